/* predict.c - sgdperf predict: one worker's profile to a throughput curve */
#include "base/columns.h"
#include "base/fields.h"
#include "base/printers.h"
#include "base/rows.h"
#include "cmd/commands.h"
#include "cmd/pipeline.h"
#include "files/status.h"
#include "jobs/parallel.h"
#include "model/curve_set.h"
#include "model/replica.h"

#include <assert.h>
#include <float.h>
#include <stdio.h>

static const option_use uses[] = {
    ABOUT(
    "usage: sgdperf predict --mode async|sync|allreduce --workers 1-16 [--model NAME]\n"
    "                       [options of the job] [--format table|csv|json]\n"
    "\n"
    "Predicts the throughput of a job on many workers from the profile of one, which\n"
    "resource limits it, and where the time of a step goes.\n"
    "\n"
    "What to predict\n"),
    USE(MODE), USE(WORKERS), USE(ELASTICITY), JOB_USES,
    HEADING("Ways to train, with --mode allreduce and a table of layers"),
    USE_HELP(LAYERS, "table of the layers that make up a step; see Files", NULL),
    USE(SHARDING),
    USE(COLLECTIVE), USE(PROTOCOLS), USE(LOCAL_LATENCY), USE(BUCKET), USE(FIRST_BUCKET), USE(UNIT),
    USE(PREFETCH), USE(ACCUMULATE), USE(LOCAL_STEPS), USE(INTERFERENCE), USE(PRECISION),
    USE(OPTIMIZER), USE(ACTIVATIONS), USE(MEMORY),
    HEADING("Pipelines, with a table of layers: --workers are group x pipeline x copies"),
    USE(PIPELINE), USE(SCHEDULE), USE(STAGES), USE(GROUP), USE(TOTAL_BATCH),
    HEADING("Output"),
    USE_HELP(FORMAT, "output format: table, csv (a row per point) or json", "table"),
    USE(INPUTS), USE(BANDS),
    PARALLEL_USES,
    ABOUT(JOB_UNITS),
    SECTION("Files",
    JOB_PROFILE JOB_LAYERS
    "             --pipeline: also output_bytes, weight_s, group.\n"
    JOB_NOTES JOB_BACKUP_NOTE JOB_NOTES_END),
    SECTION("Results",
    "  batches_per_s   mini-batches/s of all workers; a synchronous step of K has K\n"
    "  step_s          workers / batches_per_s\n"
    "  speedup         throughput over that of one worker (of the first type)\n"
    "  bottleneck      the resource with the largest utilization: a worker counts all\n"
    "                  of its computing, also behind transfers. Models fcfs (by\n"
    "                  some percent) and cynthia may give more than 1\n"
    "  saturation      workers from which on a shared resource sets the throughput\n"
    "  knee            first point of the curve that no later point exceeds by more\n"
    "                  than 1 %; a longer curve may have a later knee\n"
    "  branch          model that switch took: fcfs or exact\n"
    "  link            of all-reduces: also counts all-to-alls\n"
    "  low, high       interval that holds 90 % of unseen rows, for models of auto\n"
    "Asynchronous points 1 to K share a pass, O(K) in all. It is O(K^2) with overlap,\n"
    "machines, types, a delay, or exact on links with a cap.\n"
    "Exit status 3: a point did not converge, its best estimate is printed.\n"),
    SECTION("Example: 29 ms of compute, 72 ms each way, 18 ms per update",
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
    "  saturation at 2.653 workers\n")
};

static const option_rule rules[] = {
    MISSING(ONE(MODE)), EXCLUDES(ONE(WORKERS), ONE(WORKER_TYPE)), TOKEN_RULES,
    NEEDS(EACH(REPLICA_OPTIONS), IS(MODE, "allreduce")),
    NEEDS(EACH(REPLICA_OPTIONS), ONE(LAYERS)), REPLICA_RULES,
    PIPELINE_RULES, NEEDS(EACH(OPTION_STAGES, OPTION_GROUP), ONE(PIPELINE)),
    NEEDS(ONE(PIPELINE), IS(MODE, "allreduce")), NEEDS(ONE(PIPELINE), ONE(LAYERS)),
    EXCLUDES(ONE(CARDS), ONE(PIPELINE)),
    EXCLUDES(EACH(OPTION_BUCKET, OPTION_FIRST_BUCKET, OPTION_UNIT, OPTION_PREFETCH,
                  OPTION_LOCAL_STEPS, OPTION_INTERFERENCE, OPTION_OVERLAP, OPTION_VARY,
                  OPTION_OVERLAP_EXPONENT, OPTION_VARY_SHAPE, OPTION_UPDATE, OPTION_BACKUP,
                  OPTION_SERVER_COST, OPTION_INPUT_RATE, OPTION_ALLTOALL_SIZE, OPTION_TOKENS),
             ONE(PIPELINE)),
    UNLESS(IS(MODE, "async sync"), EXCLUDES,
           EACH(OPTION_JOBS_ON_NETWORK, OPTION_MODEL, OPTION_PROFILE, OPTION_FORWARD,
                OPTION_BACKWARD, OPTION_COMPUTE, OPTION_MODEL_SIZE, OPTION_UPLINK, OPTION_DOWNLINK,
                OPTION_SERVERS, OPTION_SHARES, OPTION_UPDATES, OPTION_OVERLAP_ITERATE,
                OPTION_THRESHOLD, OPTION_STEP, OPTION_WORKER_TYPE,
                OPTION_WORKER_BANDWIDTH, OPTION_DELAY, OPTION_PORT_BUFFER, OPTION_VARY_SAMPLE,
                OPTION_SWITCH_ANEW, OPTION_MEASURED_ON,
                OPTION_ELASTICITY, OPTION_BANDS, OPTION_SERVER_COST), ONE(LAYERS))
};

/* ---- What is shown --------------------------------------------------------- */

/* By sgdp_input; NULL: has no elasticity. */
static const char *const input_names[SGDP_INPUT_COUNT] = {
    [SGDP_INPUT_FORWARD] = "forward", [SGDP_INPUT_BACKWARD] = "backward",
    [SGDP_INPUT_UPDATE] = "update", [SGDP_INPUT_TRANSFER] = "transfer",
    [SGDP_INPUT_BANDWIDTH] = "bandwidth", [SGDP_INPUT_LATENCY] = "latency",
    [SGDP_INPUT_FLOW_CAP] = "flow_cap", [SGDP_INPUT_LOCAL_BANDWIDTH] = "local_bandwidth",
    [SGDP_INPUT_OVERLAP] = "overlap_exponent", [SGDP_INPUT_MESSAGE] = "server_cost"
};

static size_t find_knee(const curve_set *c, size_t job)
{
    size_t knee = 0;
    if (!c->contiguous) return 0;
    double *X = (double *)tool_alloc(c->points, sizeof *X);
    for (size_t i = 0; i < c->points; i++) X[i] = c->prediction[job * c->points + i].batches_per_s;
    if (sgdp_knee(X, c->points, 0.01, &knee) != SGDP_OK) return 0;
    return knee < c->points ? knee : 0;
}

static void choose_resources(curve_set *c)
{
    int server = 0;
    size_t i;
    for (i = 0; i < c->jobs.count; i++) server |= c->jobs.job[i].compute.update_s > 0.0;
    c->resource[c->resources++] = SGDP_WORKER;
    if (c->jobs.mode == MODE_ALLREDUCE) {
        c->resource[c->resources++] = SGDP_LINK;
        if (server) c->resource[c->resources++] = SGDP_SERVER;
    } else {
        c->resource[c->resources++] = SGDP_UPLINK;
        c->resource[c->resources++] = SGDP_SERVER;
        c->resource[c->resources++] = SGDP_DOWNLINK;
    }
    if (c->jobs.job[0].machine.gpus > 1) c->resource[c->resources++] = SGDP_LOCAL;
    for (i = 0; i < c->jobs.count && !(c->jobs.job[i].machine.input_examples_per_s > 0.0); i++) {}
    if (i < c->jobs.count) c->resource[c->resources++] = SGDP_HOST;
}

static void choose_inputs(curve_set *c)
{
    for (size_t i = 0; i < SGDP_INPUT_COUNT; i++)
        for (size_t job = 0; job < c->jobs.count && input_names[i] && !c->shown[i]; job++)
            c->shown[i] = job_uses(&c->jobs, job, (sgdp_input)i);
}

/* ---- Fields of a job's points: see base/fields.h --------------------------- */

enum { COLUMN_NAME = 48, MOST_COLUMNS = 16 + 3 * SGDP_RESOURCE_COUNT + SGDP_INPUT_COUNT };

typedef struct field_list {
    unsigned form;                /* SCREEN or CSV                                  */
    field  field[MOST_COLUMNS];
    char   name[MOST_COLUMNS][COLUMN_NAME];
    size_t count;
} field_list;

/* These values, in a column called as the three texts joined. */
static void add_field(field_list *list, const char *before, const char *name,
                      const char *after, field values)
{
    char *text = list->name[list->count];
    const int length = snprintf(text, COLUMN_NAME, "%s%s%s", before, name, after);
    assert(length > 0 && length < COLUMN_NAME && list->count < MOST_COLUMNS);
    (void)length;
    values.name = text;
    list->field[list->count++] = values;
}

static const sgdp_prediction *first_of(const curve_set *c, size_t job)
{
    return &c->prediction[job * c->points];
}

/* Numbers of a prediction. */
static field number(const char *name, const double *first)
{
    return field_number(name, first, sizeof(sgdp_prediction));
}

static field workers_of(const curve_set *c, size_t job)
{
    return field_whole("workers", &first_of(c, job)->workers, sizeof(sgdp_prediction));
}

static field examples_of(const curve_set *c, size_t job)
{
    static const char name[] = "examples_per_s";
    if (!(c->jobs.job[job].compute.batch > 0.0)) return field_empty(name);
    return number(name, &first_of(c, job)->examples_per_s);
}

static field band_field(const curve_set *c, size_t job, const char *name, const double *of)
{
    return of ? field_number(name, of + job * c->points, sizeof *of) : field_empty(name);
}

static field class_of(const curve_set *c, size_t job)
{
    const band_class *first = c->of_class + job * c->points;
    return field_word("class", first, sizeof *first, band_words, BAND_CLASSES);
}

static field elasticity_of(const curve_set *c, size_t job, sgdp_input input)
{
    const double *first = c->elasticity + job * c->points * SGDP_INPUT_COUNT + input;
    return field_number(input_names[input], first, SGDP_INPUT_COUNT * sizeof *first);
}

/* ---- Words ----------------------------------------------------------------- */

#define WORD(name, text) text,

static field bottleneck_of(const curve_set *c, size_t job)
{
    static const char *const words[] = {SGDP_RESOURCE_TABLE(WORD)};
    assert(sizeof(sgdp_resource) == sizeof(unsigned));
    return field_word("bottleneck", &first_of(c, job)->bottleneck, sizeof(sgdp_prediction),
                      words, COUNT_OF(words));
}

static field branch_of(const curve_set *c, size_t job)
{
    static const char *const words[] = {SGDP_MODEL_TABLE(WORD)};
    assert(sizeof(sgdp_model) == sizeof(unsigned));
    return field_word("branch", &first_of(c, job)->solution.branch, sizeof(sgdp_prediction), words,
                      COUNT_OF(words));
}

#undef WORD

static field status_of(const curve_set *c, size_t job)
{
    static const char *words[SGDP_STATUS_COUNT];
    assert(sizeof(sgdp_status) == sizeof(unsigned));
    for (size_t i = 0; i < COUNT_OF(words); i++) words[i] = tool_status_word((sgdp_status)i);
    return field_word("status", &c->status[job * c->points], sizeof(sgdp_status), words,
                      COUNT_OF(words));
}

/* ---- JSON ------------------------------------------------------------------ */

/* What solved the queueing network; it is left out where there was none. */
static void method_members(field_rows *rows, const sgdp_prediction *p)
{
    static const char *const words[] = {
        "none", "lattice", "polynomial", "schweitzer", "linearizer"
    };
    field method = field_word("method", &p->solution.method, sizeof *p, words, COUNT_OF(words));
    field residual = number("method_residual", &p->solution.method_residual);
    assert(sizeof(sgdp_method) == sizeof(unsigned));
    method.when = residual.when = &p->solution.method;
    method.never = residual.never = SGDP_METHOD_AUTO;
    fields_member(rows, &method);
    fields_member(rows, &residual);
}

/* Which model was solved, where that may be another one. */
static void branch_member(field_rows *rows, const curve_set *c, size_t job)
{
    field branch = branch_of(c, job);
    if (c->jobs.model != SGDP_ASYNC_SWITCH) {
        branch.when = branch.first;
        branch.never = c->jobs.model;
    }
    fields_member(rows, &branch);
}

static void add(field_rows *rows, field f) { fields_member(rows, &f); }

static void time_members(field_rows *rows, const curve_set *c, const sgdp_prediction *p)
{
    output *out = fields_output(rows);
    json_object(out, "time_s");
    for (size_t i = 0; i < c->resources; i++) {
        json_object(out, sgdp_resource_text(c->resource[i]));
        add(rows, number("service", &p->time.service_s[c->resource[i]]));
        add(rows, number("waiting", &p->time.waiting_s[c->resource[i]]));
        json_end(out);
    }
    add(rows, number("barrier", &p->time.barrier_s));
    json_end(out);
}

/* Of a job with types, which has one point. */
static void json_types(output *out, const curve_set *c, const sgdp_job *job,
                       const sgdp_prediction *p)
{
    json_array(out, "types");
    for (size_t i = 0; i < job->workers.types; i++) {
        json_object(out, NULL);
        json_integer(out, "count", job->workers.type[i].count);
        json_number(out, "batches_per_s", p->types.batches_per_s[i]);
        if (c->jobs.mode != MODE_ASYNC)
            json_number(out, "waiting_share", p->types.waiting_share[i]);
        json_end(out);
    }
    json_end(out);
}

static void iteration_members(field_rows *rows, const curve_set *c, const sgdp_prediction *p)
{
    uint32_t *iterations = (uint32_t *)tool_alloc(c->points, sizeof *iterations);
    for (size_t i = 0; i < c->points; i++) iterations[i] = (uint32_t)p[i].solution.iterations;
    add(rows, field_whole("iterations", iterations, sizeof *iterations));
    add(rows, number("residual", &p->solution.residual));
}

static void elasticity_members(field_rows *rows, const curve_set *c, size_t job)
{
    json_object(fields_output(rows), "elasticity");
    for (size_t k = 0; k < SGDP_INPUT_COUNT; k++)
        if (c->shown[k]) add(rows, elasticity_of(c, job, (sgdp_input)k));
    json_end(fields_output(rows));
}

static void rate_members(field_rows *rows, const curve_set *c, size_t job)
{
    const sgdp_prediction *p = first_of(c, job);
    add(rows, workers_of(c, job));
    add(rows, number("batches_per_s", &p->batches_per_s));
    add(rows, examples_of(c, job));
    add(rows, band_field(c, job, "low", c->low));
    add(rows, band_field(c, job, "high", c->high));
    add(rows, class_of(c, job));
    if (c->spread)
        add(rows, field_number("profile_half_width", c->spread + job * c->points,
                               sizeof *c->spread));
    add(rows, number("step_s", &p->step_s));
    add(rows, number("speedup", &p->scaling.speedup));
    add(rows, number("efficiency", &p->scaling.efficiency));
}

static field_rows *json_points(const curve_set *c, size_t job)
{
    const sgdp_prediction *p = first_of(c, job);
    const sgdp_job *of = &c->jobs.job[job];
    field_rows *rows = fields_object();
    rate_members(rows, c, job);
    json_object(fields_output(rows), "utilization");
    for (size_t k = 0; k < c->resources; k++)
        add(rows, number(sgdp_resource_text(c->resource[k]),
                                &p->utilization[c->resource[k]]));
    json_end(fields_output(rows));
    add(rows, bottleneck_of(c, job));
    time_members(rows, c, p);
    add(rows, status_of(c, job));
    method_members(rows, p);
    branch_member(rows, c, job);
    if (of->overlap.rule == SGDP_OVERLAP_FIXED_POINT) iteration_members(rows, c, p);
    if (of->workers.types > 0) json_types(fields_output(rows), c, of, p);
    if (c->elasticity) elasticity_members(rows, c, job);
    return rows;
}

static void json_curve(output *out, const curve_set *c, size_t job)
{
    const size_t knee = find_knee(c, job);
    rows_json(out, "points", c->points, json_points(c, job));
    json_number(out, "saturation_workers", first_of(c, job)->scaling.saturation_workers);
    if (knee > 0) json_integer(out, "knee", knee);
    else json_null(out, "knee");
}

static void print_json(output *out, const curve_set *c, sgdp_status status)
{
    json_object(out, NULL);
    json_string(out, "mode", mode_words[c->jobs.mode]);
    json_string(out, "model", sgdp_model_text(c->jobs.model));
    json_bool(out, "auto", c->jobs.chosen);
    json_string(out, "status", tool_status_word(status));
    if (!c->jobs.name) {
        json_curve(out, c, 0);
    } else {
        json_array(out, "jobs");
        for (size_t job = 0; job < c->jobs.count; job++) {
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

static void add_in(field_list *list, unsigned in, field of)
{
    if ((in & list->form) != 0) add_field(list, "", of.name, "", of);
}

static void resource_fields(const curve_set *c, const sgdp_prediction *p, field_list *list)
{
    for (size_t i = 0; i < c->resources; i++) {
        const sgdp_resource r = c->resource[i];
        const char *name = sgdp_resource_text(r);
        add_field(list, "utilization_", name, "", number("", &p->utilization[r]));
        add_field(list, "service_", name, "_s", number("", &p->time.service_s[r]));
        add_field(list, "waiting_", name, "_s", number("", &p->time.waiting_s[r]));
    }
}

static void list_rates(const curve_set *c, size_t job, unsigned form, field_list *list)
{
    const sgdp_prediction *p = first_of(c, job);
    const unsigned in_band = c->low ? TABLES : CSV;
    list->count = 0;
    list->form = form;
    if (c->jobs.name) add_in(list, CSV, field_text("job", &c->jobs.name[job]));
    add_in(list, TABLES, workers_of(c, job));
    add_in(list, TABLES, number("batches_per_s", &p->batches_per_s));
    add_in(list, c->jobs.job[job].compute.batch > 0.0 ? TABLES : CSV, examples_of(c, job));
    add_in(list, TABLES, number("step_s", &p->step_s));
    add_in(list, TABLES, number("speedup", &p->scaling.speedup));
    add_in(list, TABLES, number("efficiency", &p->scaling.efficiency));
    add_in(list, TABLES, bottleneck_of(c, job));
    add_in(list, c->jobs.model == SGDP_ASYNC_SWITCH ? TABLES : CSV, branch_of(c, job));
    add_in(list, CSV, number("saturation_workers", &p->scaling.saturation_workers));
    add_in(list, CSV, status_of(c, job));
    add_in(list, CSV, number("barrier_s", &p->time.barrier_s));
    if (form == CSV) resource_fields(c, p, list);
    for (size_t i = 0; i < SGDP_INPUT_COUNT && form == CSV; i++)
        if (c->shown[i])
            add_field(list, "elasticity_", input_names[i], "",
                             elasticity_of(c, job, (sgdp_input)i));
    add_in(list, in_band, band_field(c, job, "low", c->low));
    add_in(list, in_band, band_field(c, job, "high", c->high));
    add_in(list, CSV, class_of(c, job));
}

static void print_csv(output *out, curve_set *c)
{
    field_list list;
    for (size_t job = 0; job < c->jobs.count; job++) {
        list_rates(c, job, CSV, &list);
        if (job == 0) rows_table(out, list.field, list.count, c->points);
        else rows_more(out, list.field, list.count, c->points);
    }
}

/* ---- Tables, for a human --------------------------------------------------- */

static void add_named(field_list *list, const char *name, field values)
{
    add_field(list, "", name, "", values);
}

static void print_rates(output *out, const curve_set *c, size_t job)
{
    field_list list;
    list_rates(c, job, SCREEN, &list);
    rows_table(out, list.field, list.count, c->points);
}

/* Columns of the resources that are printed, the same of every point. */
static void print_resources(output *out, const curve_set *c, size_t job)
{
    const sgdp_prediction *p = first_of(c, job);
    field_list list;
    list.count = 0;
    add_named(&list, "workers", workers_of(c, job));
    for (size_t k = 0; k < c->resources; k++)
        add_named(&list, sgdp_resource_text(c->resource[k]),
            number("", &p->utilization[c->resource[k]]));
    output_print(out, "\nutilization\n");
    rows_table(out, list.field, list.count, c->points);
}

/* Nobody waits for a worker, a machine, or a ring of his own: no columns for that. */
static int is_waited_for(const curve_set *c, size_t job, sgdp_resource r)
{
    if (r == SGDP_WORKER || r == SGDP_LOCAL || r == SGDP_HOST) return 0;
    if (c->jobs.mode != MODE_ALLREDUCE) return 1;
    return r == SGDP_LINK && c->jobs.job[job].collective.jobs > 1;
}

static int is_overlapped(const sgdp_job *job)
{
    return job->overlap.rule != SGDP_OVERLAP_NONE || job->overlap.exponent > 1.0;
}

static void print_times(output *out, const curve_set *c, size_t job)
{
    const sgdp_prediction *p = first_of(c, job);
    field_list list;
    list.count = 0;
    add_named(&list, "workers", workers_of(c, job));
    for (size_t k = 0; k < c->resources; k++) {
        const sgdp_resource r = c->resource[k];
        add_named(&list, sgdp_resource_text(r), number("", &p->time.service_s[r]));
        if (is_waited_for(c, job, r))
            add_named(&list, "waiting", number("", &p->time.waiting_s[r]));
    }
    if (c->jobs.mode != MODE_ASYNC && c->jobs.job[job].workers.types > 1)
        add_named(&list, "barrier", number("", &p->time.barrier_s));
    output_print(out, "\nseconds of a step: at each resource, and waiting for it%s%s\n",
                 c->jobs.job[job].collective.alltoall_bytes > 0.0
                     ? "; link: all-reduce and all-to-all together" : "",
                 is_overlapped(&c->jobs.job[job])
                     ? "; of computing, what transfers leave" : "");
    rows_table(out, list.field, list.count, c->points);
}

static void print_elasticities(output *out, const curve_set *c, size_t job)
{
    field_list list;
    list.count = 0;
    add_named(&list, "workers", workers_of(c, job));
    for (size_t k = 0; k < SGDP_INPUT_COUNT; k++)
        if (c->shown[k])
            add_named(&list, input_names[k], elasticity_of(c, job, (sgdp_input)k));
    for (size_t k = 0; k < list.count; k++) list.field[k].digits = 3;
    output_print(out, "\nelasticity: percent of throughput for one percent more\n");
    rows_table(out, list.field, list.count, c->points);
}

static void print_types(output *out, const curve_set *c, size_t job)
{
    const sgdp_job *of = &c->jobs.job[job];
    const sgdp_prediction *p = &c->prediction[job];
    output_print(out, "\ntypes of workers\n");
    columns t = columns_open(out, SCREEN, NULL);
    for (size_t i = 0; columns_next(&t, i < of->workers.types); i++) {
        column_whole(&t, ALL, "count", of->workers.type[i].count);
        column_number(&t, ALL, "forward_s", of->workers.type[i].forward_s);
        column_number(&t, ALL, "backward_s", of->workers.type[i].backward_s);
        column_number(&t, ALL, "batches_per_s", p->types.batches_per_s[i]);
        if (c->jobs.mode != MODE_ASYNC)
            column_number(&t, ALL, "waiting_share", p->types.waiting_share[i]);
    }
}

static void print_curve(output *out, const curve_set *c, size_t job)
{
    const double saturation = first_of(c, job)->scaling.saturation_workers;
    const size_t knee = find_knee(c, job);
    size_t missed = 0;
    if (c->jobs.name) output_print(out, "\njob %s\n", c->jobs.name[job]);
    print_rates(out, c, job);
    print_resources(out, c, job);
    print_times(out, c, job);
    if (c->jobs.job[job].workers.types > 0) print_types(out, c, job);
    if (c->elasticity) print_elasticities(out, c, job);
    output_print(out, "\n");
    if (saturation <= DBL_MAX && c->jobs.mode != MODE_ALLREDUCE)
        output_print(out, "saturation at %.4g workers\n", saturation);
    if (knee > 0)
        output_print(out, "knee at %lu: the rest of this curve gains less than 1 %%\n",
                     (unsigned long)knee);
    for (size_t i = 0; i < c->points; i++) missed += c->status[job * c->points + i] != SGDP_OK;
    if (missed > 0)
        output_print(out, "not converged: %lu of %lu points %s\n", (unsigned long)missed,
                     (unsigned long)c->points,
                     missed == 1 ? "is a best estimate" : "are best estimates");
}

static void print_tables(output *out, const curve_set *c)
{
    output_print(out, "%s, model %s%s\n", mode_words[c->jobs.mode],
                 sgdp_model_text(c->jobs.model), c->jobs.chosen ? " (by auto)" : "");
    for (size_t job = 0; job < c->jobs.count; job++) print_curve(out, c, job);
}

/* ---- Steps by layers ------------------------------------------------------- */

static void print_layer_band(columns *t, unsigned in, const replica_set *s,
                             const replica_point *p)
{
    const band_class of = replica_class(s, p);
    const band b = replica_band(s, p);
    const int known = of != BAND_CLASSES;
    column_number(t, in, "low", known_if(known, p->batches_per_s * (1.0 - b.low)));
    column_number(t, in, "high", known_if(known, p->batches_per_s * (1.0 + b.high)));
    column_text(t, in & ~(unsigned)SCREEN, "class", known ? band_words[of] : NULL);
}

/* What points of other models have too. Computing that exchanges hide is in no part. */
static void json_common(columns *t, const replica_set *s, const replica_point *p)
{
    const sgdpar_replica_step *of = &p->step;
    const double busy_s = of->step_s - p->input_s; /* but for what waits for input */
    const double link_s = of->exchange_s < busy_s ? of->exchange_s : busy_s;
    const step_parts parts = {
        .worker = of->compute_s < of->step_s ? of->compute_s / of->step_s : 1.0,
        .link = link_s / of->step_s, .worker_s = busy_s - link_s, .link_s = link_s,
        .input_s = p->input_s, .reads = s->input_rate > 0.0,
        .bottleneck = p->input_s > 0.0 ? "input"
            : of->compute_s >= of->exchange_s ? "worker" : "link"
    };
    print_layer_band(t, JSON, s, p);
    json_step_parts(t->out, p->efficiency * p->workers, &parts);
}

static void print_layer_points(output *out, const replica_set *s)
{
    int banded = 0;
    for (size_t i = 0; i < s->points; i++)
        banded |= replica_class(s, &s->point[i]) != BAND_CLASSES;
    columns t = columns_open(out, ALL, "points");
    for (size_t i = 0; columns_next(&t, i < s->points); i++) {
        const replica_point *p = &s->point[i];
        column_whole(&t, ALL, "workers", p->workers);
        column_text(&t, ALL, "sharding", sgdpar_sharding_text(p->sharding));
        column_number(&t, ALL, "batches_per_s", p->batches_per_s);
        column_number(&t, s->batch > 0.0 ? ALL : DATA, "examples_per_s",
                      known_if(s->batch > 0.0, s->batch * p->batches_per_s));
        if (out->form == JSON) json_common(&t, s, p);
        replica_print_members(&t, s, p);
        print_layer_band(&t, banded ? TABLES : CSV, s, p);
        json_bool(out, "quickest", p == replica_quickest(s, p->group));
    }
}

static void print_quickest(output *out, const replica_set *s)
{
    output_print(out, "\n");
    for (size_t g = 0; g < s->groups; g++) {
        const replica_point *best = replica_quickest(s, g);
        output_print(out, "quickest on %lu worker%s%s: ", COUNTED(s->workers[g]),
                     s->memory_bytes > 0.0 ? " of those that fit" : "");
        output_print(out, "%s", best ? sgdpar_sharding_text(best->sharding) : "none fits");
        if (best && best->bucket_bytes > 0.0 && s->buckets > 1)
            output_print(out, ", buckets of %.9g bytes", best->bucket_bytes);
        if (best && s->accumulates > 1)
            output_print(out, ", %lu micro-batches a step", (unsigned long)best->accumulate);
        if (best && s->collectives > 1) output_print(out, ", %s", s->ways[best->ways].text);
        output_print(out, "\n");
    }
}

static void print_layers(output *out, const replica_set *s)
{
    json_object(out, NULL);
    json_string(out, "mode", "allreduce");
    json_string(out, "model", "layers");
    print_layer_points(out, s);
    json_end(out);
    if (s->points > s->groups) print_quickest(out, s);
}

/* Reads, predicts and prints; returns the status to exit with. */
static int predict_layers(const args *a, size_t processes)
{
    static const replica_usual usual = { "ddp", "1", "25MiB", NULL };
    replica_set s;
    output out = {.form = args_form(a)};
    replica_read(&s, a, NULL, NULL, &usual);
    replica_note(&s, a);
    if (s.accumulates > 1)
        tool_note("larger-batch",
                  "more micro-batches a step enlarge the total batch, which may need more examples "
                  "for the same loss: 'quickest' means the most mini-batches/s");
    replica_answer_all(&s, s.point, s.points, processes);
    replica_note_answers(s.point, s.points);
    replica_note_bands(&s, s.point, s.points);
    replica_note_hidden(&s, replica_quickest(&s, s.groups - 1), a);
    print_layers(&out, &s);
    return output_flush(&out, EXIT_DONE);
}

/* ---- What could be taken for more than it is -------------------------------- */

/* A barrier of more workers than a sample has times. */
static void note_sample(const curve_set *c)
{
    const size_t samples = c->jobs.job[0].compute.vary.samples;
    uint32_t most = 0;
    for (size_t i = 0; i < c->points; i++)
        if (c->workers[i] > most) most = c->workers[i];
    if (samples > 0 && most > samples && c->jobs.mode != MODE_ASYNC)
        tool_note("small-sample", "%s has %lu times for up to %lu workers: the slowest worker may "
                  "be slower than any measured time; give more times", NAME_OF(VARY_SAMPLE),
                  (unsigned long)samples, (unsigned long)most);
}

/* What the bottleneck and the speedup are not. */
static void note_limits(const curve_set *c)
{
    size_t points = 0;
    double most = 0.0;
    for (size_t at = 0; at < c->jobs.count * c->points; at++) {
        const double share = curves_own_link(c, at);
        points += share > 0.0;
        if (share > most) most = share;
    }
    if (points > 0)
        tool_note("bottleneck-own-link",
                  "at %lu of %lu points a worker's own link is the busiest resource (up to %.0f "
                  "%% of a step each way): the table has no column for this link",
                  (unsigned long)points,
                  (unsigned long)(c->jobs.count * c->points), 100.0 * most);
}

/* ---- The command ----------------------------------------------------------- */

/* Of a profile that was traced within one machine, unless the link between machines is given. */
static void stop_at_machine(curve_set *c, const args *a)
{
    const uint32_t most = c->jobs.job[0].workers.types > 0 ? 0 : topology_machine(c->jobs.file, a);
    c->points = topology_keep_inside(c->jobs.file, most, OPTION_WORKERS, c->workers, c->points);
    c->contiguous = c->contiguous && c->points > 1;
}

static int run(args *a)
{
    curve_set curves = {0};
    output out = {.form = args_form(a)};
    rows_use(curves.processes = parallel_read(a));
    if (args_given(a, OPTION_PIPELINE)) return pipeline_run(a, 0);
    if (replica_wanted(a)) return predict_layers(a, curves.processes);
    job_read(&curves.jobs, a, 0);
    job_note_machines(&curves.jobs);
    curves_read_workers(&curves, a);
    stop_at_machine(&curves, a);
    curves_read_bands(&curves, a);
    note_sample(&curves);
    choose_resources(&curves);
    if (args_given(a, OPTION_ELASTICITY)) choose_inputs(&curves);
    sgdp_status status = curves_predict(&curves, args_given(a, OPTION_ELASTICITY));
    note_limits(&curves);
    (void)curves_note_bands(&curves);
    if (out.form == JSON) print_json(&out, &curves, status);
    else if (out.form == CSV) print_csv(&out, &curves);
    else print_tables(&out, &curves);
    return output_flush(&out, tool_check(status, "predict"));
}

const args_command command_predict = {
    "predict", "predict throughput from the profile of one worker", run, uses,
    COUNT_OF(uses), rules, COUNT_OF(rules), 0, 0, NULL, 0,
    EACH(OPTION_MODE, OPTION_WORKERS, OPTION_FORWARD, OPTION_BACKWARD, OPTION_MODEL_SIZE)};
