/* cmd_predict.c - sgdperf predict: one worker's profile to a throughput curve */
#include "files/job.h"
#include "files/status.h"
#include "cmd/commands.h"

#include <assert.h>
#include <float.h>
#include <stdio.h>
#include <string.h>

static const char usage[] =
    "usage: sgdperf predict --mode async|sync|allreduce --workers 1-16 [--model NAME]\n"
    "                       [options of the job] [--elasticity] [--format table|csv|json]\n"
    "\n"
    "Predicts the throughput of a job on many workers from the profile of one, which resource\n"
    "limits it, and where the time of a step goes.\n"
    "\n"
    "  --workers W            8, 1-16, 1-64:4 or 1,2,4; required unless --worker-type is given\n"
    "  --elasticity           percent of throughput gained for one percent more of each input\n"
    "  --format F             table, csv (a row a point) or json [table]\n"
    "\n";

static const char rest[] =
    "\n"
    "Prints per point batches_per_s (of all workers together), the step (workers over\n"
    "batches_per_s) and its parts, the speedup over one worker, utilizations and the bottleneck,\n"
    "which has the largest. Beyond the saturation a shared resource is what counts. Beyond the\n"
    "knee, of a curve from 1 on without gaps, no point of the curve gains more than 1 %: a longer\n"
    "curve may have a later one. fcfs may pass utilization 1 by some percent, cynthia by far.\n"
    "branch: which of fcfs and exact the switch took. --servers divides transfers and updates\n"
    "alike. A curve of K points up to K workers takes O(K^2) time. Exit status\n"
    "3: a point did not converge, its best estimate is printed.\n"
    "\n"
    "Example: 29 ms of compute, 72 ms each way, 18 ms per update\n"
    "  $ sgdperf predict --mode async --model exact --workers 2-4 --forward 10ms \\\n"
    "      --backward 19ms --update 18ms --uplink 72ms --downlink 72ms\n"
    "  async, model exact\n"
    "  workers  batches_per_s   step_s  speedup  efficiency  bottleneck\n"
    "        2         8.0979  0.24698   1.5467     0.77334  uplink\n"
    "        3         9.6937  0.30948   1.8515     0.61717  uplink\n"
    "        4         10.643  0.37583   2.0328      0.5082  uplink\n"
    "\n"
    "  utilization\n"
    "  workers    worker   uplink   server  downlink\n"
    "        2   0.11742  0.58305  0.14576   0.58305\n"
    "        3  0.093706  0.69795  0.17449   0.69795\n"
    "        4  0.077162  0.76629  0.19157   0.76629\n"
    "\n"
    "  seconds of a step: at each resource, and waiting for it\n"
    "  workers  worker  uplink   waiting  server    waiting  downlink   waiting\n"
    "        2   0.029   0.072  0.027141   0.018  0.0016963     0.072  0.027141\n"
    "        3   0.029   0.072  0.057804   0.018   0.002871     0.072  0.057804\n"
    "        4   0.029   0.072  0.090596   0.018  0.0036417     0.072  0.090596\n"
    "\n"
    "  saturation at 2.653 workers\n";

typedef struct curve_set {
    job_set          jobs;
    uint32_t        *workers;     /* [points] of each job                           */
    size_t           points;
    int              contiguous;  /* workers are 1, 2, ...: the curve has a knee    */
    sgdp_prediction *prediction;  /* [jobs][points]                                 */
    sgdp_status     *status;      /* [jobs][points]                                 */
    double          *elasticity;  /* [jobs][points][SGDP_INPUT_COUNT], NULL: none   */
    sgdp_resource    resource[SGDP_RESOURCE_COUNT]; /* those that are printed       */
    size_t           resources;
    int              shown[SGDP_INPUT_COUNT]; /* inputs whose elasticity is printed */
} curve_set;

/* By sgdp_input; empty: has no elasticity. */
static const char input_names[SGDP_INPUT_COUNT][16] = {
    [SGDP_INPUT_FORWARD] = "forward", [SGDP_INPUT_BACKWARD] = "backward",
    [SGDP_INPUT_UPDATE] = "update", [SGDP_INPUT_TRANSFER] = "transfer",
    [SGDP_INPUT_BANDWIDTH] = "bandwidth", [SGDP_INPUT_LATENCY] = "latency",
    [SGDP_INPUT_FLOW_CAP] = "flow_cap", [SGDP_INPUT_LOCAL_BANDWIDTH] = "local_bandwidth"
};

/* ---- Predicting ------------------------------------------------------------ */

static void read_workers(curve_set *c, const args *a)
{
    const int types = c->jobs.job[0].types > 0;
    size_t i;
    if (types && args_given(a, "--workers"))
        args_fail("--workers", NULL, "not with --worker-type, whose counts add up");
    c->points = args_workers(a, "--workers", &c->workers);
    if (types) {                       /* one point, its workers are the types'     */
        c->points = 1;
        c->workers = (uint32_t *)tool_alloc(1, sizeof *c->workers);
    }
    if (c->points == 0) tool_fail("--workers is missing");
    for (i = 0; i < c->points && c->workers[i] == i + 1; i++) {}
    c->contiguous = i == c->points && c->points > 1;
}

/* A ring's server and the exchange inside machines are shown where there are any. */
static void choose_resources(curve_set *c)
{
    int server = 0;
    size_t i;
    for (i = 0; i < c->jobs.count; i++) server |= c->jobs.job[i].update_s > 0.0;
    c->resource[c->resources++] = SGDP_WORKER;
    if (c->jobs.mode == MODE_ALLREDUCE) {
        c->resource[c->resources++] = SGDP_LINK;
        if (server) c->resource[c->resources++] = SGDP_SERVER;
    } else {
        c->resource[c->resources++] = SGDP_UPLINK;
        c->resource[c->resources++] = SGDP_SERVER;
        c->resource[c->resources++] = SGDP_DOWNLINK;
    }
    if (c->jobs.job[0].gpus > 1) c->resource[c->resources++] = SGDP_LOCAL;
}

/* Elasticities of inputs that some job has. */
static void choose_inputs(curve_set *c)
{
    size_t job, i;
    for (i = 0; i < SGDP_INPUT_COUNT; i++)
        for (job = 0; job < c->jobs.count && input_names[i][0] && !c->shown[i]; job++)
            c->shown[i] = job_uses(&c->jobs, job, (sgdp_input)i);
}

static sgdp_status predict_point(curve_set *c, size_t job, size_t i)
{
    const size_t types = c->jobs.job[job].types, at = job * c->points + i;
    sgdp_prediction *p = &c->prediction[at];
    sgdp_status status, last;
    if (types > 0) {
        p->type_batches_per_s = (double *)tool_alloc(types, sizeof(double));
        p->type_waiting_share = (double *)tool_alloc(types, sizeof(double));
    }
    status = job_predict(&c->jobs, job, c->workers[i], p);
    c->status[at] = status;
    if (!c->elasticity) return status;
    last = job_elasticity(&c->jobs, job, c->workers[i], c->elasticity + at * SGDP_INPUT_COUNT);
    return last != SGDP_OK ? last : status;
}

/* All points of all jobs; the worst status of any. */
static sgdp_status predict_all(curve_set *c, int elasticity)
{
    const size_t total = c->jobs.count * c->points;
    sgdp_status worst = SGDP_OK;
    size_t job, i;
    c->prediction = (sgdp_prediction *)tool_alloc(total, sizeof *c->prediction);
    c->status = (sgdp_status *)tool_alloc(total, sizeof *c->status);
    if (elasticity)
        c->elasticity = (double *)tool_alloc(total, SGDP_INPUT_COUNT * sizeof(double));
    for (job = 0; job < c->jobs.count; job++)
        for (i = 0; i < c->points; i++) {
            tool_progress("predict", job * c->points + i, total);
            if (predict_point(c, job, i) != SGDP_OK) worst = SGDP_NOT_CONVERGED;
        }
    tool_progress("predict", total, total);
    return worst;
}

/* Workers beyond which no more gain more than 1 %; 0: none within the curve. */
static size_t knee_of(const curve_set *c, size_t job)
{
    double *X;
    size_t knee = 0, i;
    if (!c->contiguous) return 0;
    X = (double *)tool_alloc(c->points, sizeof *X);
    for (i = 0; i < c->points; i++) X[i] = c->prediction[job * c->points + i].batches_per_s;
    if (sgdp_knee(X, c->points, 0.01, &knee) != SGDP_OK) return 0;
    return knee < c->points ? knee : 0;
}

/* ---- JSON ------------------------------------------------------------------ */

/* What solved the queueing network. */
static const char *method_word(sgdp_method method)
{
    static const char *const words[] = {
        "none", "lattice", "polynomial", "schweitzer", "linearizer"
    };
    return (size_t)method < COUNT_OF(words) ? words[method] : "none";
}

static void json_time(output *out, const curve_set *c, const sgdp_prediction *p)
{
    size_t i;
    json_object(out, "time_s");
    for (i = 0; i < c->resources; i++) {
        json_object(out, sgdp_resource_text(c->resource[i]));
        json_number(out, "service", p->service_s[c->resource[i]]);
        json_number(out, "waiting", p->waiting_s[c->resource[i]]);
        json_end(out);
    }
    json_number(out, "barrier", p->barrier_s);
    json_end(out);
}

static void json_types(output *out, const curve_set *c, const sgdp_job *job,
                       const sgdp_prediction *p)
{
    size_t i;
    json_array(out, "types");
    for (i = 0; i < job->types; i++) {
        json_object(out, NULL);
        json_integer(out, "count", job->type[i].count);
        json_number(out, "batches_per_s", p->type_batches_per_s[i]);
        if (c->jobs.mode != MODE_ASYNC)
            json_number(out, "waiting_share", p->type_waiting_share[i]);
        json_end(out);
    }
    json_end(out);
}

static void json_point(output *out, const curve_set *c, size_t job, size_t i)
{
    const size_t at = job * c->points + i;
    const sgdp_prediction *p = &c->prediction[at];
    const sgdp_job *of = &c->jobs.job[job];
    size_t k;
    json_object(out, NULL);
    json_integer(out, "workers", p->workers);
    json_number(out, "batches_per_s", p->batches_per_s);
    json_number(out, "examples_per_s", p->examples_per_s);
    json_number(out, "step_s", p->step_s);
    json_number(out, "speedup", p->speedup);
    json_number(out, "efficiency", p->efficiency);
    json_object(out, "utilization");
    for (k = 0; k < c->resources; k++)
        json_number(out, sgdp_resource_text(c->resource[k]), p->utilization[c->resource[k]]);
    json_end(out);
    json_string(out, "bottleneck", sgdp_resource_text(p->bottleneck));
    json_time(out, c, p);
    json_string(out, "status", tool_status_word(c->status[at]));
    if (p->method != SGDP_METHOD_AUTO) {
        json_string(out, "method", method_word(p->method));
        json_number(out, "method_residual", p->method_residual);
    }
    if (c->jobs.model == SGDP_ASYNC_SWITCH)
        json_string(out, "branch", sgdp_model_text(p->branch));
    if (of->overlap == SGDP_OVERLAP_FIXED_POINT) {
        json_integer(out, "iterations", p->iterations);
        json_number(out, "residual", p->residual);
    }
    if (of->types > 0) json_types(out, c, of, p);
    if (c->elasticity) {
        json_object(out, "elasticity");
        for (k = 0; k < SGDP_INPUT_COUNT; k++)
            if (c->shown[k])
                json_number(out, input_names[k], c->elasticity[at * SGDP_INPUT_COUNT + k]);
        json_end(out);
    }
    json_end(out);
}

static void json_curve(output *out, const curve_set *c, size_t job)
{
    const size_t knee = knee_of(c, job);
    size_t i;
    json_array(out, "points");
    for (i = 0; i < c->points; i++) json_point(out, c, job, i);
    json_end(out);
    json_number(out, "saturation_workers", c->prediction[job * c->points].saturation_workers);
    if (knee > 0) json_integer(out, "knee", knee);
    else json_null(out, "knee");
}

static void print_json(output *out, const curve_set *c, sgdp_status status)
{
    size_t job;
    json_object(out, NULL);
    json_string(out, "mode", mode_words[c->jobs.mode]);
    json_string(out, "model", sgdp_model_text(c->jobs.model));
    json_string(out, "status", tool_status_word(status));
    if (!c->jobs.name) {
        json_curve(out, c, 0);
    } else {
        json_array(out, "jobs");
        for (job = 0; job < c->jobs.count; job++) {
            json_object(out, NULL);
            json_string(out, "job", c->jobs.name[job]);
            json_curve(out, c, job);
            json_end(out);
        }
        json_end(out);
    }
    json_end(out);
}

/* ---- CSV ------------------------------------------------------------------- */

enum { COLUMN_NAME = 48, MOST_COLUMNS = 16 + 3 * SGDP_RESOURCE_COUNT + SGDP_INPUT_COUNT };

typedef struct column_list {
    table_column column[MOST_COLUMNS];
    char         name[MOST_COLUMNS][COLUMN_NAME];
    size_t       count;
} column_list;

/* A column called as the three texts joined. */
static void add_column(column_list *list, const char *before, const char *name,
                       const char *after)
{
    char *text = list->name[list->count];
    const int length = snprintf(text, COLUMN_NAME, "%s%s%s", before, name, after);
    assert(length > 0 && length < COLUMN_NAME);
    (void)length;
    list->column[list->count].name = text;
    list->column[list->count].digits = 0;
    list->count++;
}

static result_table *csv_table_new(const curve_set *c)
{
    static const char *const plain[] = {
        "workers", "batches_per_s", "examples_per_s", "step_s", "speedup", "efficiency",
        "bottleneck", "branch", "saturation_workers", "status", "barrier_s"
    };
    column_list list;
    size_t i;
    list.count = 0;
    if (c->jobs.name) add_column(&list, "", "job", "");
    for (i = 0; i < COUNT_OF(plain); i++) add_column(&list, "", plain[i], "");
    for (i = 0; i < c->resources; i++) {
        const char *name = sgdp_resource_text(c->resource[i]);
        add_column(&list, "utilization_", name, "");
        add_column(&list, "service_", name, "_s");
        add_column(&list, "waiting_", name, "_s");
    }
    for (i = 0; i < SGDP_INPUT_COUNT; i++)
        if (c->shown[i])
            add_column(&list, "elasticity_", input_names[i], "");
    return table_new(list.column, list.count);
}

static void print_csv(output *out, const curve_set *c)
{
    result_table *t = csv_table_new(c);
    size_t at, i;
    for (at = 0; at < c->jobs.count * c->points; at++) {
        const sgdp_prediction *p = &c->prediction[at];
        if (c->jobs.name) table_text(t, c->jobs.name[at / c->points]);
        table_integer(t, p->workers);
        table_number(t, p->batches_per_s);
        table_number(t, p->examples_per_s);
        table_number(t, p->step_s);
        table_number(t, p->speedup);
        table_number(t, p->efficiency);
        table_text(t, sgdp_resource_text(p->bottleneck));
        table_text(t, sgdp_model_text(p->branch));
        table_number(t, p->saturation_workers);
        table_text(t, tool_status_word(c->status[at]));
        table_number(t, p->barrier_s);
        for (i = 0; i < c->resources; i++) {
            table_number(t, p->utilization[c->resource[i]]);
            table_number(t, p->service_s[c->resource[i]]);
            table_number(t, p->waiting_s[c->resource[i]]);
        }
        for (i = 0; i < SGDP_INPUT_COUNT; i++)
            if (c->shown[i]) table_number(t, c->elasticity[at * SGDP_INPUT_COUNT + i]);
    }
    table_print(t, out, FORMAT_CSV);
}

/* ---- Tables for a human ---------------------------------------------------- */

static void print_rates(output *out, const curve_set *c, size_t job)
{
    const int batch = c->jobs.job[job].batch > 0.0;
    const int branch = c->jobs.model == SGDP_ASYNC_SWITCH;
    column_list list;
    result_table *t;
    size_t i;
    list.count = 0;
    add_column(&list, "", "workers", "");
    add_column(&list, "", "batches_per_s", "");
    if (batch) add_column(&list, "", "examples_per_s", "");
    add_column(&list, "", "step_s", "");
    add_column(&list, "", "speedup", "");
    add_column(&list, "", "efficiency", "");
    add_column(&list, "", "bottleneck", "");
    if (branch) add_column(&list, "", "branch", "");
    t = table_new(list.column, list.count);
    for (i = 0; i < c->points; i++) {
        const sgdp_prediction *p = &c->prediction[job * c->points + i];
        table_integer(t, p->workers);
        table_number(t, p->batches_per_s);
        if (batch) table_number(t, p->examples_per_s);
        table_number(t, p->step_s);
        table_number(t, p->speedup);
        table_number(t, p->efficiency);
        table_text(t, sgdp_resource_text(p->bottleneck));
        if (branch) table_text(t, sgdp_model_text(p->branch));
    }
    table_print(t, out, FORMAT_TABLE);
}

/* Columns of the resources that are printed, the same of every point. */
static void print_resources(output *out, const curve_set *c, size_t job)
{
    column_list list;
    result_table *t;
    size_t i, k;
    list.count = 0;
    add_column(&list, "", "workers", "");
    for (k = 0; k < c->resources; k++)
        add_column(&list, "", sgdp_resource_text(c->resource[k]), "");
    t = table_new(list.column, list.count);
    for (i = 0; i < c->points; i++) {
        const sgdp_prediction *p = &c->prediction[job * c->points + i];
        table_integer(t, p->workers);
        for (k = 0; k < c->resources; k++) table_number(t, p->utilization[c->resource[k]]);
    }
    output_print(out, "\nutilization\n");
    table_print(t, out, FORMAT_TABLE);
}

/* Nobody waits for a worker, a ring or a machine of its own: no columns for that. */
static void print_times(output *out, const curve_set *c, size_t job)
{
    const int barrier = c->jobs.mode != MODE_ASYNC && c->jobs.job[job].types > 1;
    column_list list;
    result_table *t;
    size_t i, k;
    list.count = 0;
    add_column(&list, "", "workers", "");
    for (k = 0; k < c->resources; k++) {
        const sgdp_resource r = c->resource[k];
        add_column(&list, "", sgdp_resource_text(r), "");
        if (c->jobs.mode != MODE_ALLREDUCE && r != SGDP_WORKER && r != SGDP_LOCAL)
            add_column(&list, "", "waiting", "");
    }
    if (barrier) add_column(&list, "", "barrier", "");
    t = table_new(list.column, list.count);
    for (i = 0; i < c->points; i++) {
        const sgdp_prediction *p = &c->prediction[job * c->points + i];
        table_integer(t, p->workers);
        for (k = 0; k < c->resources; k++) {
            const sgdp_resource r = c->resource[k];
            table_number(t, p->service_s[r]);
            if (c->jobs.mode != MODE_ALLREDUCE && r != SGDP_WORKER && r != SGDP_LOCAL)
                table_number(t, p->waiting_s[r]);
        }
        if (barrier) table_number(t, p->barrier_s);
    }
    output_print(out, "\nseconds of a step: at each resource, and waiting for it\n");
    table_print(t, out, FORMAT_TABLE);
}

static void print_elasticities(output *out, const curve_set *c, size_t job)
{
    column_list list;
    result_table *t;
    size_t i, k;
    list.count = 0;
    add_column(&list, "", "workers", "");
    for (k = 0; k < SGDP_INPUT_COUNT; k++)
        if (c->shown[k]) add_column(&list, "", input_names[k], "");
    for (k = 0; k < list.count; k++) list.column[k].digits = 3;
    t = table_new(list.column, list.count);
    for (i = 0; i < c->points; i++) {
        const size_t at = job * c->points + i;
        table_integer(t, c->prediction[at].workers);
        for (k = 0; k < SGDP_INPUT_COUNT; k++)
            if (c->shown[k]) table_number(t, c->elasticity[at * SGDP_INPUT_COUNT + k]);
    }
    output_print(out, "\nelasticity: percent of throughput for one percent more\n");
    table_print(t, out, FORMAT_TABLE);
}

static void print_types(output *out, const curve_set *c, size_t job)
{
    static const table_column columns[] = {
        {"count", 0}, {"forward_s", 0}, {"backward_s", 0}, {"batches_per_s", 0},
        {"waiting_share", 0}
    };
    const int waiting = c->jobs.mode != MODE_ASYNC;
    const sgdp_job *of = &c->jobs.job[job];
    const sgdp_prediction *p = &c->prediction[job];
    result_table *t = table_new(columns, COUNT_OF(columns) - !waiting);
    size_t i;
    for (i = 0; i < of->types; i++) {
        table_integer(t, of->type[i].count);
        table_number(t, of->type[i].forward_s);
        table_number(t, of->type[i].backward_s);
        table_number(t, p->type_batches_per_s[i]);
        if (waiting) table_number(t, p->type_waiting_share[i]);
    }
    output_print(out, "\ntypes of workers\n");
    table_print(t, out, FORMAT_TABLE);
}

static void print_curve(output *out, const curve_set *c, size_t job)
{
    const double saturation = c->prediction[job * c->points].saturation_workers;
    const size_t knee = knee_of(c, job);
    size_t i, missed = 0;
    if (c->jobs.name) output_print(out, "\njob %s\n", c->jobs.name[job]);
    print_rates(out, c, job);
    print_resources(out, c, job);
    print_times(out, c, job);
    if (c->jobs.job[job].types > 0) print_types(out, c, job);
    if (c->elasticity) print_elasticities(out, c, job);
    output_print(out, "\n");
    if (saturation <= DBL_MAX && c->jobs.model < SGDP_ALLREDUCE_RING)
        output_print(out, "saturation at %.4g workers\n", saturation);
    if (knee > 0)
        output_print(out, "knee at %lu: the rest of this curve gains less than 1 %%\n",
                     (unsigned long)knee);
    for (i = 0; i < c->points; i++) missed += c->status[job * c->points + i] != SGDP_OK;
    if (missed > 0)
        output_print(out, "not converged: %lu of %lu points are best estimates\n",
                     (unsigned long)missed, (unsigned long)c->points);
}

static void print_human(output *out, const curve_set *c)
{
    size_t job;
    output_print(out, "%s, model %s\n", mode_words[c->jobs.mode],
                 sgdp_model_text(c->jobs.model));
    for (job = 0; job < c->jobs.count; job++) print_curve(out, c, job);
}

/* ---- The command ----------------------------------------------------------- */

int cmd_predict(int argc, char **argv)
{
    static const args_option options[] = {
        {"--workers", ARGS_VALUE}, {"--elasticity", ARGS_FLAG}, JOB_OPTIONS
    };
    args_command command = {NULL, options, COUNT_OF(options), 0, 0};
    args a;
    curve_set curves = {0};
    output out = {0};
    sgdp_status status;
    command.help = job_help(usage, rest);
    args_parse(&a, &command, argc, argv);
    job_read(&curves.jobs, &a, 0);
    read_workers(&curves, &a);
    choose_resources(&curves);
    if (args_given(&a, "--elasticity")) choose_inputs(&curves);
    status = predict_all(&curves, args_given(&a, "--elasticity"));
    if (args_format(&a) == FORMAT_JSON) print_json(&out, &curves, status);
    else if (args_format(&a) == FORMAT_CSV) print_csv(&out, &curves);
    else print_human(&out, &curves);
    return output_flush(&out, tool_check(status, "predict"));
}
