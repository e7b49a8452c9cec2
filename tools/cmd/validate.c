/* validate.c - sgdperf validate: predictions against measured datasets */
#include "base/columns.h"
#include "cmd/commands.h"
#include "cmd/validate_streams.h"
#include "files/status.h"
#include "jobs/parallel.h"
#include "model/rivals.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TARGETS_FILE "validation/paper_targets.csv"

static const option_use uses[] = {
    ABOUT(
    "usage: sgdperf validate [DATASET.csv ...] [--bounds FILE]\n"
    "                        [--rows|--coverage|--targets|--rivals] [--format F]\n"
    "\n"
    "Predicts measured rows by every model that has what it needs, and prints the\n"
    "relative errors of the throughput per dataset and model.\n"
    "\n"
    "Above them stands a table by kind of cluster, and the errors over all rows of a\n"
    "mode that has several datasets.\n"
    "Without a file: all of validation/datasets/; - is stdin.\n"
    "Files of recorded streams (calibrate --fit window): predicts when they end.\n"
    "\n"
    "What to check\n"),
    USE(BOUNDS), USE(OVERHEAD), USE(COVERAGE), USE(TARGETS), USE(RIVALS),
    HEADING("Output"),
    USE(ROWS),
    USE_HELP(FORMAT, "output format: table (errors in percent), csv or json (as fractions)",
         "table"),
    PARALLEL_USES,
    SECTION("Columns of a dataset",
    "  dataset,point    names; results are per dataset, a point is one of its rows\n"
    "  mode             async, sync or allreduce; one for a dataset\n"
    "  workers,servers  how many\n"
    "  batch            examples of a mini-batch\n"
    "  forward_s,backward_s,update_s          times of one worker alone, seconds\n"
    "  model_bytes,bandwidth_bytes_per_s      sent each way, and over which links\n"
    "  overlap          1: transfers hide behind computation, 0: they do not\n"
    "  batches_per_s    measured mini-batches per second of all workers together, K\n"
    "                   of them in a synchronous step of K workers\n"
    "An empty cell is unknown, and keeps models away that need it. Optional columns:\n"
    "  fit              what is not known but fitted: server (update_s), bandwidth,\n"
    "                   latency, threshold (of hybrid and switch) or exposure (and\n"
    "                   growth, of an all-reduce)\n"
    "  group            rows that share it, over the file; or one curve, for black\n"
    "                   boxes\n"
    "  pool             of calibrate --pool: rows that ran over the same links\n"
    "  curve            rows of one are joined where they are drawn [the point's name\n"
    "                   without the number of workers at its end: a-k4 is of a]\n"
    "  role             fit: the row determines what is fitted, or is an input, not\n"
    "                   scored; score: predicted with it; empty: without a fit\n"
    "  one_worker_step_s  measured; computation is what transfers and update leave of\n"
    "                   it, in the proportions of forward_s and backward_s\n"
    "  uplink_s,downlink_s  transfer times, in place of size and bandwidth\n"
    "  gpus,local_bandwidth_bytes_per_s,latency_s,flow_cap_bytes_per_s,\n"
    "  port_buffer_bytes  as predict [gpus 1]\n"
    "  server_cost_s,input_rate  as predict\n"
    "  worker_bandwidth_bytes_per_s,delay_s   a worker's link, and one way to a\n"
    "                                         server\n"
    "  worker_types     COUNT:FORWARD:BACKWARD[:DELAY] ..., in place of forward_s,\n"
    "                   backward_s and delay_s\n"
    "  layers           file of layers, beside the dataset, as of trace-from-layers:\n"
    "                   replayed in place of the row's times and size\n"
    "  inputs           measured or declared, as a link's speed; to --coverage\n"
    "                   [measured]\n"
    "  network,local_network  kinds of links, of sgdperf networks\n"
    "  stack            kind of software, of sgdperf stacks: in place of an overlap\n"
    "  machines         on which it ran; 1 tells what gpus does not\n"
    "  source           rows of one err alike, to --coverage [the dataset]\n"
    "  kind             line of the table by kind of cluster [by the inputs]\n"
    "  rival_batches_per_s  what the source itself predicts\n"
    "  compute_cv       coefficient of variation of a step's computation [0; rhythm,\n"
    "                   staggered: 0.02; simulated, async: 0.05 if empty or 0, as\n"
    "                   steps that are all alike keep workers in step]\n"
    "  jitter           of it: normal, lognormal, exponential, none [normal]\n"
    "  delayed_workers  number of workers that have a delay [0: all]\n"
    "  shares           each server's part of the model, separated by blanks [even]\n"
    "  updates          queued, or separate: each on a core of its own. Queued ones\n"
    "                   of a synchronous step are replayed once a worker, where\n"
    "                   models count one\n"
    "  jobs             allreduce: number of identical jobs on the same links [1]\n"
    "  place,order,buckets,bucket_bytes,...  as the testbed writes them; rows of runs\n"
    "                   that no model knows are left out\n"
    "  steps            of each worker while it was measured, from staggered starts:\n"
    "                   replayed 20 times at that length; --rows shows the extremes,\n"
    "                   low and high\n"),
    SECTION("Files",
    "  bounds           columns dataset,model,mean_error,max_error, fractions\n"),
    SECTION("Results",
    "  whole,once,turns  streams: sent whole; a window and then the rest; a window at\n"
    "                   each turn. The window is fitted to rows of role fit.\n"
    "  simulated        replays up to 1000 workers on equally shared links; sync: the\n"
    "                   mean with fcfs\n"
    "  simulated-exp    the same with all times exponential (async)\n"
    "  simulated-tcp    the same with --link tcp of simulate. It was calibrated on\n"
    "                   testbed-async and testbed-sync: there its error is a fit, as\n"
    "                   are those of staggered, and on testbed-async of interleaved\n"
    "                   and rhythm.\n"
    "  simulated-chain  simulated-tcp, but of several servers (async, with steps,\n"
    "                   layers in order) each goes on by itself\n"
    "  covered          the share of rows in the band of the other sources\n"
    "  kind             of cluster, by the default model; all-reduces: errors of\n"
    "                   their time, from declared links\n"
    "  too_fast,in_band  share of rows predicted too fast, and in the band of predict\n"
    "  linear           mean error of the smallest configuration, scaled up\n"
    "  amdahl,usl       fitted to it and to the rows that calibrated ours; usl also\n"
    "                   to smaller rows. Only rows that have such points; --rivals\n"
    "                   shows ours at the same rows\n"
    "  printed          what the source's own model predicts\n"
    "  targets          classes are mode; several servers, machines of several\n"
    "                   accelerators, unequal workers, overlap; papers' errors are in\n"
    "                   validation/paper_targets.csv\n"
    "Transfers that overlap need layers. No simulated model knows gpus or\n"
    "one_worker_step_s. Black boxes are fitted to groups whose rows differ in workers\n"
    "and batch only; those of Optimus with servers also to rows that differ in them.\n"),
    SECTION("Example: 2 workers, predicted from the profile of one",
    "  $ { printf \\\n"
    "      'dataset,point,mode,workers,servers,batch,forward_s,backward_s,update_s,'\n"
    "      printf 'model_bytes,bandwidth_bytes_per_s,overlap,batches_per_s\\n'\n"
    "      printf 'mine,two,async,2,1,32,0.01,0.019,0.018,9e6,125e6,0,8.4\\n'; } |\n"
    "    sgdperf validate -\n")
};

/* ---- Output: rows ------------------------------------------------------------ */

/* What predict prints of the row beside its own model's value. */
static void print_band(columns *t, const validation *v, size_t row, size_t model, double x)
{
    const dataset_row *r = &v->data.row[row];
    const int usual = model == (size_t)dataset_usual(r);
    const band_class of = usual ? validate_class(v, r) : BAND_CLASSES;
    const int known = band_is_known(band_shipped(of));
    const band b = validate_band_at(v, row);
    column_text(t, DATA, "source", r->source);
    column_text(t, DATA, "class", of == BAND_CLASSES ? NULL : band_words[of]);
    column_number(t, DATA, "band_low", known_if(known, x * (1.0 - b.low)));
    column_number(t, DATA, "band_high", known_if(known, x * (1.0 + b.high)));
}

/* model VALIDATE_MODELS for a row that nothing predicts. */
static void print_row(columns *t, const validation *v, size_t row, size_t model)
{
    const dataset_row *r = &v->data.row[row];
    const replay *several = validate_replays(v, row, model);
    const int known = model < VALIDATE_MODELS;
    const double x = known ? validate_predicted(v, row, model) : 0.0;
    const double error = relative_error(x, r->batches_per_s);
    columns_row(t);
    column_text(t, ALL, "dataset", v->data.name[r->dataset]);
    column_text(t, ALL, "point", r->point);
    column_text(t, ALL, "mode", mode_words[r->mode]);
    column_whole(t, ALL, "workers", r->workers);
    column_text(t, ALL, "model", known ? validate_model_name(model) : NULL);
    column_number(t, ALL, "measured", r->batches_per_s);
    column_number(t, ALL, "predicted", known_if(known, x));
    column_round(t, SCREEN, "error_%", 3, known_if(known, 100.0 * error));
    column_number(t, DATA, "error", known_if(known, error));
    column_text(t, ALL, "role", dataset_role_names[r->role]);
    column_text(t, ALL, "curve", r->curve);
    column_number(t, several ? ALL : TABLES, "low", several ? several->low : (double)NAN);
    column_number(t, several ? ALL : TABLES, "high", several ? several->high : (double)NAN);
    print_band(t, v, row, model, x);
}

static void print_rows(output *out, const validation *v)
{
    columns t = columns_open(out, ALL, "rows");
    for (size_t row = 0; row < v->data.rows; row++) {
        for (size_t m = 0; m < VALIDATE_MODELS; m++)
            if (validate_predicted(v, row, m) > 0.0) print_row(&t, v, row, m);
        if (t.in != JSON && !validate_is_predicted(v, row))
            print_row(&t, v, row, VALIDATE_MODELS);
    }
    columns_close(&t);
}

/* ---- Output: pooled errors ------------------------------------------------------------ */

static void print_mode(columns *t, const validation *v, train_mode mode, size_t m,
                       const sgdfit_error_statistics *e, size_t sets)
{
    columns_row(t);
    column_text(t, SCREEN, "all of", mode_words[mode]);
    column_text(t, JSON, "mode", mode_words[mode]);
    column_text(t, ALL, "model", validate_model_name(m));
    column_whole(t, SCREEN, "sets", sets);
    column_whole(t, JSON, "datasets", sets);
    validate_print_errors(t, e);
    json_bool(t->out, "default", validate_is_usual(v, mode, m));
}

/* A human sees nothing of a mode with one dataset, whose own lines say as much. */
static void print_pooled(output *out, const validation *v)
{
    sgdfit_error_statistics e[VALIDATE_MODELS];
    size_t sets[VALIDATE_MODELS], mode, m, most;
    columns t = columns_open(out, SCREEN | JSON, "pooled");
    for (mode = 0; mode < MODE_COUNT && t.in != 0; mode++) {
        for (most = m = 0; m < VALIDATE_MODELS; m++) {
            const validate_pool of = {(train_mode)mode, m, NULL, 0};
            e[m] = validate_pooled(v, &of, &sets[m]);
            if (sets[m] > most) most = sets[m];
        }
        for (m = 0; m < VALIDATE_MODELS && (most > 1 || t.in == JSON); m++)
            if (e[m].rows > 0) print_mode(&t, v, (train_mode)mode, m, &e[m], sets[m]);
    }
    if (t.in != JSON && t.rows == 0) return;
    columns_close(&t);
    output_print(out, "\n");
}

/* ---- Output: kinds of clusters ------------------------------------------------ */

static void print_kind(columns *t, const rival_line *k)
{
    const double percent = t->in == SCREEN ? 100.0 : 1.0;
    columns_row(t);
    column_text(t, ALL, "kind", k->kind);
    column_whole(t, ALL, "rows", k->rows);
    column_whole(t, ALL, "sources", k->sources);
    column_round(t, SCREEN, "mean", 3, 100.0 * k->error);
    column_number(t, JSON, "mean_error", k->error);
    column_round(t, ALL, "too_fast", 3, percent * (double)k->fast / (double)k->rows);
    column_round(t, ALL, "in_band", 3,
                 known_if(k->banded > 0, percent * (double)k->inside / (double)k->banded));
    for (size_t i = 0; i < RIVALS; i++)
        column_round(t, ALL, rival_words[i], 3,
                     known_if(k->rival[i].rows > 0, percent * k->rival[i].theirs));
}

static void print_kinds(output *out, const rival_table *f)
{
    columns t = columns_open(out, SCREEN | JSON, "kinds");
    for (size_t i = 0; i < f->lines && t.in != 0; i++) print_kind(&t, &f->line[i]);
    if (t.in != JSON && f->lines == 0) return;
    columns_close(&t);
    output_print(out, "\n%lu measurements of %lu source%s\n\n", (unsigned long)f->measurements,
                 COUNTED(f->sources));
}

/* ---- Output: rivals, at the rows that they predict ----------------------------- */

static void print_pairs(columns *t, const rival_line *line, size_t lines)
{
    const double percent = t->in == SCREEN ? 100.0 : 1.0;
    for (size_t i = 0; i < lines; i++, line++)
        for (size_t k = 0; k < RIVALS; k++) {
            if (line->rival[k].rows == 0) continue;
            columns_row(t);
            column_text(t, ALL, "kind", line->kind);
            column_text(t, ALL, "source", line->source ? line->source : "all");
            column_text(t, ALL, "rival", rival_words[k]);
            column_whole(t, ALL, "rows", line->rival[k].rows);
            column_round(t, ALL, "ours", 3, percent * line->rival[k].ours);
            column_round(t, ALL, "theirs", 3, percent * line->rival[k].theirs);
        }
}

static void print_rivals(output *out, validation *v, int everything)
{
    rival_table f;
    rivals_read(&f, v, everything);
    if (out->form == SCREEN) print_kinds(out, &f);
    output_print(out, "mean errors, percent, at the rows that a rival predicts\n\n");
    json_object(out, NULL);
    columns t = columns_open(out, ALL, "rivals");
    print_pairs(&t, f.line, f.lines);
    print_pairs(&t, f.by_source, f.source_lines);
    columns_close(&t);
    json_end(out);
}

/* ---- Output: results --------------------------------------------------------- */

/* Rows to be scored that nothing predicts, by dataset, with the first one's reason. */
static void print_unpredicted(output *out, const validation *v)
{
    columns t = columns_open(out, JSON, "not_predicted");
    for (size_t d = 0; d < v->data.datasets; d++) {
        const dataset_row *first;
        const size_t count = validate_unpredicted(v, d, &first);
        if (!first) continue;
        columns_row(&t);
        column_text(&t, ALL, "dataset", v->data.name[d]);
        column_whole(&t, ALL, "rows", count);
        column_text(&t, ALL, "file", first->file->name);
        column_whole(&t, ALL, "line", csv_line(first->file, first->row));
        column_text(&t, ALL, "column", first->lacks ? first->lacks : first->foreign);
        if (out->form == SCREEN)
            output_print(out, "\nnot predicted: %lu row%s of %s; %s:%lu: %s\n",
                         COUNTED(count), v->data.name[d], first->file->name,
                         (unsigned long)csv_line(first->file, first->row), validate_why(first));
    }
    columns_close(&t);
}

static const char *dataset_of_group(const validation *v, size_t group)
{
    return v->data.name[v->data.row[v->of_group[group].row[0]].dataset];
}

/* How many of the results have bounds. */
static size_t print_results(output *out, const validation *v)
{
    size_t bounds = 0;
    columns t = columns_open(out, ALL, "results");
    for (size_t i = 0; columns_next(&t, i < v->results); i++) {
        const validate_result *r = &v->result[i];
        const validate_bound b = {r->bounded != 0, r->ok, r->bound_mean, r->bound_max};
        column_text(&t, ALL, "dataset", v->data.name[r->dataset]);
        column_text(&t, ALL, "model", validate_model_name(r->model));
        validate_print_errors(&t, &r->errors);
        validate_print_bound(&t, v->with_bounds, &b);
        json_bool(out, "default", validate_is_default(v, r));
        bounds += r->bounded != 0;
    }
    return bounds;
}

static void json_fitted(output *out, const validation *v)
{
    columns t = columns_open(out, JSON, "fitted");
    for (size_t i = 0; columns_next(&t, i < v->fitted_count); i++) {
        const fitted_value *f = &v->fitted[i];
        column_text(&t, ALL, "dataset", dataset_of_group(v, f->group));
        column_text(&t, ALL, "group", v->data.group[f->group].name);
        column_text(&t, ALL, "model", validate_model_name(f->model));
        column_text(&t, ALL, "quantity", f->quantity);
        column_number(&t, ALL, "value", f->value);
    }
}

/* A fitted quantity with its unit. */
static const char *unit_of(const char *quantity)
{
    static const char *const units[] = {"server, s", "bandwidth, B/s", "latency, s"};
    for (size_t i = 0; i < COUNT_OF(units); i++)
        if (strncmp(units[i], quantity, strlen(quantity)) == 0) return units[i];
    return quantity;
}

/* Fitted values, one line for the groups of a dataset. */
static void print_fitted(output *out, const validation *v)
{
    double *value = (double *)tool_alloc(v->fitted_count, sizeof *value);
    unsigned char *printed = (unsigned char *)tool_alloc(v->fitted_count, 1);
    if (v->fitted_count == 0) return;
    output_print(out, "\n");
    columns t = columns_open(out, SCREEN, NULL);
    for (size_t i = 0; i < v->fitted_count; i++) {
        const fitted_value *f = &v->fitted[i];
        const char *dataset = dataset_of_group(v, f->group);
        size_t n = 0;
        if (printed[i]) continue;
        for (size_t j = i; j < v->fitted_count; j++) {
            const fitted_value *other = &v->fitted[j];
            if (other->model != f->model || strcmp(other->quantity, f->quantity) != 0 ||
                strcmp(dataset_of_group(v, other->group), dataset) != 0)
                continue;
            value[n++] = other->value;
            printed[j] = 1;
        }
        qsort(value, n, sizeof *value, number_compare);
        columns_row(&t);
        column_text(&t, ALL, "dataset", dataset);
        column_text(&t, ALL, "model", validate_model_name(f->model));
        column_text(&t, ALL, "fitted", unit_of(f->quantity));
        column_whole(&t, ALL, "groups", n);
        column_round(&t, ALL, "smallest", 4, value[0]);
        column_round(&t, ALL, "median", 4, sgdfit_quantile(value, n, 0.5));
        column_round(&t, ALL, "largest", 4, value[n - 1]);
    }
    columns_close(&t);
}

/* How often the measured value is one that replays of the measured length come to. */
static void print_inside(output *out, const validation *v)
{
    for (size_t d = 0; d < v->data.datasets; d++)
        for (size_t m = VALIDATE_REPLAYED; m < VALIDATE_MODELS; m++) {
            size_t rows = 0, inside = 0;
            for (size_t i = 0; i < v->of_dataset[d].count; i++) {
                const size_t row = v->of_dataset[d].row[i];
                const double x = v->data.row[row].batches_per_s;
                const replay *several = validate_replays(v, row, m);
                if (!several || !validate_is_scored(v, row)) continue;
                rows++;
                inside += x >= several->low && x <= several->high;
            }
            if (rows > 0)
                output_print(out, "\n%s, %s: measured inside the spread of %d replays in %lu of "
                             "%lu row%s\n", v->data.name[d], validate_model_name(m),
                             (int)REPLAY_RUNS, (unsigned long)inside, COUNTED(rows));
        }
}

static void print(output *out, validation *v, int with_rows, int everything)
{
    rival_table kinds;
    if (out->form != CSV) rivals_read(&kinds, v, everything);
    if (with_rows && out->form != JSON) print_rows(out, v);
    if (with_rows && out->form == CSV) return;
    if (with_rows) output_print(out, "\n");
    output_print(out, "relative errors of the predicted throughput, percent\n\n");
    if (out->form == SCREEN) print_kinds(out, &kinds);
    if (out->form == SCREEN) print_pooled(out, v);
    json_object(out, NULL);
    json_string(out, "status", tool_status_word(v->status));
    size_t bounds = print_results(out, v);
    json_fitted(out, v);
    if (out->form == SCREEN) print_fitted(out, v);
    if (out->form == SCREEN) print_inside(out, v);
    print_unpredicted(out, v);
    if (out->form == JSON) print_kinds(out, &kinds);
    if (out->form == JSON) print_pooled(out, v);
    if (with_rows && out->form == JSON) print_rows(out, v);
    json_end(out);
    if (v->status != SGDP_OK) output_print(out, "\na prediction has not converged\n");
    if (v->with_bounds)
        output_print(out, "\n%lu of %lu bounds exceeded\n",
                     (unsigned long)validate_count_exceeded(v), (unsigned long)bounds);
}

/* ---- Targets: what papers print ---------------------------------------------- */

/* Columns of the file, in the order of the cells of a line. */
enum { T_SOURCE, T_FIGURE, T_MODEL, T_ON, T_CLASS, T_ANALOGUE, T_MEAN, T_MAX, T_COUNT };

static const char *const target_columns[T_COUNT] = {
    "source", "figure", "model", "measured_on", "class", "analogue", "mean_error", "max_error"
};

typedef struct targets {
    const csv_table *file;
    int              column[T_COUNT];
} targets;

static const char *target_text(const targets *t, size_t row, int cell)
{
    return csv_text(t->file, row, t->column[cell]);
}

/* The mode that a class begins with. */
static train_mode mode_of_class(const targets *t, size_t row)
{
    const char *text = target_text(t, row, T_CLASS);
    for (size_t mode = 0; mode < MODE_COUNT; mode++)
        if (strncmp(text, mode_words[mode], strlen(mode_words[mode])) == 0)
            return (train_mode)mode;
    csv_fail(t->file, row, t->column[T_CLASS], "'%s' is not a class of rows", text);
}

/* The rows of its class, by "switch", or "switch uncorrected". */
static validate_pool analogue_of(const targets *t, size_t row)
{
    const char *text = target_text(t, row, T_ANALOGUE), *rest;
    validate_pool of = {mode_of_class(t, row), 0, target_text(t, row, T_CLASS), 0};
    for (; of.model < VALIDATE_MODELS; of.model++) {
        const size_t n = strlen(validate_model_name(of.model));
        rest = text + n;
        if (strncmp(validate_model_name(of.model), text, n) != 0) continue;
        of.uncorrected = strcmp(rest, " uncorrected") == 0;
        if (*rest == '\0' || of.uncorrected) return of;
    }
    csv_fail(t->file, row, t->column[T_ANALOGUE], "'%s' is not a model", text);
}

static void print_ours(columns *t, const validation *v, const validate_pool *of,
                       const char *name)
{
    size_t sets;
    const sgdfit_error_statistics e = validate_pooled(v, of, &sets);
    const int some = e.rows > 0;
    const double percent = t->in == SCREEN ? 100.0 : 1.0;
    columns_row(t);
    column_text(t, ALL, "class", of->class);
    column_text(t, TABLES, "ours", name);
    column_text(t, JSON, "model", name);
    column_whole(t, ALL, "rows", e.rows);
    column_round(t, TABLES, "mean", 3, known_if(some, percent * e.mean));
    column_round(t, TABLES, "max", 3, known_if(some, percent * e.max));
    column_number(t, JSON, "mean_error", known_if(some, e.mean));
    column_number(t, JSON, "max_error", known_if(some, e.max));
}

/* What a paper prints; row: of the targets, or behind them for none. */
static void print_theirs(columns *t, const targets *of, size_t row)
{
    const int some = row < of->file->rows;
    const double percent = t->in == SCREEN ? 100.0 : 1.0;
    double error[2] = {(double)NAN, (double)NAN};
    for (int i = 0; i < 2 && some; i++)
        if (!csv_is_empty(of->file, row, of->column[T_MEAN + i]))
            error[i] = percent * csv_number(of->file, row, of->column[T_MEAN + i],
                                            NUMBER_NON_NEGATIVE);
    column_text(t, ALL, "source", some ? target_text(of, row, T_SOURCE) : NULL);
    column_text(t, ALL, "figure", some ? target_text(of, row, T_FIGURE) : NULL);
    column_text(t, TABLES, "theirs", some ? target_text(of, row, T_MODEL) : NULL);
    column_text(t, JSON, "their_model", some ? target_text(of, row, T_MODEL) : NULL);
    column_text(t, ALL, "measured_on", some ? target_text(of, row, T_ON) : NULL);
    column_round(t, TABLES, "their_mean", 3, error[0]);
    column_round(t, TABLES, "their_max", 3, error[1]);
    column_number(t, JSON, "their_mean_error", error[0]);
    column_number(t, JSON, "their_max_error", error[1]);
}

static void print_target(columns *t, const validation *v, const targets *of, size_t row)
{
    const validate_pool ours = analogue_of(of, row);
    print_ours(t, v, &ours, target_text(of, row, T_ANALOGUE));
    print_theirs(t, of, row);
}

/* Is this the first row of its class? The usual model then stands above it. */
static int is_first_of_class(const targets *of, size_t row)
{
    for (size_t i = 0; i < row; i++)
        if (strcmp(target_text(of, i, T_CLASS), target_text(of, row, T_CLASS)) == 0) return 0;
    return 1;
}

/* The rows of the class of this one, below its usual model. */
static void print_target_class(columns *t, const validation *v, const targets *of, size_t row)
{
    const char *class = target_text(of, row, T_CLASS);
    const train_mode mode = mode_of_class(of, row);
    const validate_pool usual = {mode, VALIDATE_USUAL, class, 0};
    print_ours(t, v, &usual, "auto");
    print_theirs(t, of, of->file->rows);
    for (; row < of->file->rows; row++)
        if (strcmp(target_text(of, row, T_CLASS), class) == 0) print_target(t, v, of, row);
}

static void print_targets(output *out, const validation *v)
{
    targets of;
    size_t others = 0;
    of.file = csv_read(TARGETS_FILE, 0);
    for (int cell = 0; cell < T_COUNT; cell++)
        of.column[cell] = csv_require(of.file, target_columns[cell]);
    output_print(out, "relative errors, percent: ours over all rows of a class, and those that "
                      "papers print\nof theirs, on clusters of their own; the first line of a "
                      "class is the usual model's\n\n");
    json_object(out, NULL);
    if (out->form == JSON) print_pooled(out, v);
    columns t = columns_open(out, ALL, "targets");
    for (size_t row = 0; row < of.file->rows; row++) {
        if (*target_text(&of, row, T_CLASS) == '\0') others++;
        else if (t.in == JSON) print_target(&t, v, &of, row);
        else if (is_first_of_class(&of, row)) print_target_class(&t, v, &of, row);
    }
    columns_close(&t);
    json_integer(out, "without_analogue", others);
    json_end(out);
    output_print(out, "\n%lu other figures of the papers have no analogue here: "
                      "validation/FINDINGS.md\n", (unsigned long)others);
}

/* ---- Coverage: how far from a prediction a row of its class lies -------------- */

enum { LEAST_ROWS = 20 };              /* of a class that is judged                 */

static void print_class(columns *t, const char *name, const validate_band *b)
{
    columns_row(t);
    column_text(t, ALL, "class", name);
    column_number(t, ALL, "level", VALIDATE_LEVEL);
    column_round(t, ALL, "low", 3, known_if(b->bounded, b->band.low));
    column_round(t, ALL, "high", 3, known_if(b->bounded, b->band.high));
    column_whole(t, ALL, "sources", b->sources);
    column_whole(t, ALL, "rows", b->rows);
    column_whole(t, ALL, "left_out_rows", b->left_out.rows);
    column_round(t, ALL, "covered", 3, known_if(b->tested, b->covered));
    column_round(t, ALL, "left_out_low", 3, known_if(b->tested, b->left_out.low));
    column_round(t, ALL, "left_out_high", 3, known_if(b->tested, b->left_out.high));
}

static void print_coverage(output *out, validation *v)
{
    json_object(out, NULL);
    columns t = columns_open(out, ALL, "classes");
    for (size_t i = 0; i < BAND_CLASSES; i++) {
        const validate_band b = validate_band_of(v, (band_class)i);
        if (b.rows == 0) continue;
        if (b.rows < LEAST_ROWS)
            tool_note("few-rows",
                      "the class of rows '%s' has only %lu row%s, too few to judge "
                      "its prediction interval",
                      band_words[i], COUNTED(b.rows));
        print_class(&t, band_words[i], &b);
    }
    if (t.rows == 0) {
        const validate_band none = {0};
        (void)columns_row_if(&t, 0);
        print_class(&t, NULL, &none);
    }
    columns_close(&t);
    json_end(out);
}

/* ---- The command ------------------------------------------------------------- */

static const option_rule rules[] = {
    EXCLUDES(ONE(ROWS), EACH(OPTION_COVERAGE, OPTION_TARGETS, OPTION_RIVALS)),
    EXCLUDES(ONE(COVERAGE), EACH(OPTION_TARGETS, OPTION_RIVALS)),
    EXCLUDES(ONE(TARGETS), ONE(RIVALS))
};

static int run(args *a)
{
    validation v = {0};
    output out = {.form = args_form(a)};
    if (validate_has_streams(a)) return validate_streams(a);
    if (args_given(a, OPTION_OVERHEAD))
        args_fail(OPTION_OVERHEAD, NULL, "can only be used with files of streams");
    validate_read(&v, a);
    size_t processes = parallel_read(a);
    /* Bands are those of the usual models, none of which is replayed; so are rivals' rows. */
    if ((args_given(a, OPTION_COVERAGE) || args_given(a, OPTION_RIVALS)) &&
        !args_given(a, OPTION_BOUNDS)) processes = 0;
    validate_predict(&v, processes);
    validate_score(&v);
    if (args_given(a, OPTION_BOUNDS))
        validate_apply_bounds(&v, args_text(a, OPTION_BOUNDS, NULL), a->file_count == 0);
    if (args_given(a, OPTION_COVERAGE)) print_coverage(&out, &v);
    else if (args_given(a, OPTION_TARGETS)) print_targets(&out, &v);
    else if (args_given(a, OPTION_RIVALS)) print_rivals(&out, &v, a->file_count == 0);
    else print(&out, &v, args_given(a, OPTION_ROWS), a->file_count == 0);
    if (validate_count_exceeded(&v) > 0) return output_flush(&out, EXIT_CHECK);
    return output_flush(&out, v.status == SGDP_OK ? EXIT_DONE : EXIT_NOT_REACHED);
}

const args_command command_validate = {
    "validate", "compare predictions with measured datasets", run, uses,
    COUNT_OF(uses), rules, COUNT_OF(rules), 0, (size_t)-1, NULL, 0,
    EACH(OPTION_BOUNDS, OPTION_ROWS, OPTION_COVERAGE, OPTION_FORMAT)};
