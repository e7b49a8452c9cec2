/* job.c - jobs described by options and profiles */
#include "files/job.h"
#include "files/status.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { JOB_MOST_SERVERS = 1000000 };

static const char options_help[] =
    "The job\n"
    "  --mode async|sync|allreduce  required\n"
    "  --model NAME           async: exact fcfs hybrid switch interleaved cynthia [switch]\n"
    "                         sync: ps fcfs average [average]; allreduce: ring doubling [ring]\n"
    "  --forward T --backward T  compute of one mini-batch on one worker\n"
    "  --update T             the server applies one gradient; allreduce: once a step [0]\n"
    "  --model-size S --bandwidth B  of the gradient or model sent each way, and of the link\n"
    "  --uplink T --downlink T  in their place: transfer times of one worker alone\n"
    "                         (allreduce: one of them, or the longer one)\n"
    "  --batch N              examples of a mini-batch [1]\n"
    "  --profile FILE.csv     any of these from the columns forward_s, backward_s, update_s,\n"
    "                         model_bytes, bandwidth_bytes_per_s, uplink_s, downlink_s, batch;\n"
    "                         a row a job, named by the column job if there is one. Transfer\n"
    "                         times in a row go before size and bandwidth.\n"
    "  --worker-type COUNT:FORWARD:BACKWARD  unequal workers, repeated; in place of --forward\n"
    "                         and --backward. A synchronous step waits for the slowest.\n"
    "The cluster\n"
    "  --servers M            parameter servers [1], the model spread evenly, or\n"
    "  --shares X,X,...       by these parts, which add up to 1, or\n"
    "  --layers FILE.csv      by layers (columns layer,bytes): each to the emptiest server\n"
    "  --server shared|independent  updates queue for one server, or run on separate cores\n"
    "                         (asynchronous) [shared]\n"
    "  --latency T            of each message of an all-reduce [0]\n"
    "  --gpus G               accelerators of a machine [1]: a worker is one of them;\n"
    "  --local-bandwidth B      among them gradients are reduced and models broadcast\n"
    "  --flow-cap B           the most that one flow gets of the link [no limit]\n"
    "The model\n"
    "  --threshold X          a utilization, 0 to 1: of hybrid [0.8] or switch [0.6]\n"
    "  --overlap              transfers hide behind compute, corrected once;\n"
    "  --overlap-iterate      asynchronous: until the throughput settles\n"
    "Units: time T ns us ms s min h d [s]; size S B kB MB GB KiB MiB GiB [B];\n"
    "bandwidth B bps kbps Mbps Gbps B/s kB/s MB/s GB/s [B/s].\n";

const char *job_help(const char *usage, const char *rest)
{
    const size_t bytes = strlen(usage) + sizeof options_help + strlen(rest);
    char *help = (char *)tool_alloc(bytes, 1);
    snprintf(help, bytes, "%s%s%s", usage, options_help, rest);
    return help;
}

/* ---- Options against each other -------------------------------------------- */

/* Fails if an option was given that the mode has no use for. */
static void refuse_in_mode(const job_set *set, const args *a, const char *option)
{
    if (args_given(a, option))
        args_fail(option, NULL, "not with --mode %s", mode_words[set->mode]);
}

static void refuse_in_model(const job_set *set, const args *a, const char *option)
{
    if (args_given(a, option))
        args_fail(option, NULL, "not with --model %s", sgdp_model_text(set->model));
}

static void refuse_together(const args *a, const char *option, const char *other)
{
    if (args_given(a, option) && args_given(a, other))
        args_fail(option, NULL, "not with %s", other);
}

/* Refuses what would be ignored; a value that changes nothing (--servers 1) may stand. */
static void check_options(const job_set *set, const args *a)
{
    if (set->mode == MODE_ALLREDUCE) {
        refuse_in_mode(set, a, "--server");
        refuse_in_mode(set, a, "--shares");
        refuse_in_mode(set, a, "--layers");
        if (args_integer(a, "--servers", 1, JOB_MOST_SERVERS, 1) > 1)
            refuse_in_mode(set, a, "--servers");
    } else {
        refuse_in_mode(set, a, "--latency");
    }
    if (set->mode != MODE_ASYNC) refuse_in_mode(set, a, "--overlap-iterate");
    if (set->model == SGDP_ASYNC_CYNTHIA) {
        refuse_in_model(set, a, "--overlap");
        refuse_in_model(set, a, "--overlap-iterate");
        refuse_in_model(set, a, "--worker-type");
        refuse_in_model(set, a, "--server");
        if (args_integer(a, "--gpus", 1, UINT32_MAX, 1) > 1) refuse_in_model(set, a, "--gpus");
    }
    if (set->model != SGDP_ASYNC_HYBRID && set->model != SGDP_ASYNC_SWITCH &&
        args_given(a, "--threshold"))
        args_fail("--threshold", NULL, "only with --model hybrid or switch");
    refuse_together(a, "--shares", "--layers");
    refuse_together(a, "--forward", "--worker-type");
    refuse_together(a, "--backward", "--worker-type");
    if (args_given(a, "--layers") && !args_given(a, "--servers"))
        args_fail("--layers", NULL, "needs --servers");
    if (args_given(a, "--local-bandwidth") && !args_given(a, "--gpus"))
        args_fail("--local-bandwidth", NULL, "needs --gpus");
}

/* ---- The cluster ----------------------------------------------------------- */

static void read_layers(sgdp_job *job, const char *path)
{
    const csv_table *t = csv_read(path, 0);
    const int layer = csv_require(t, "layer"), bytes = csv_require(t, "bytes");
    double *size = (double *)tool_alloc(t->rows, sizeof *size);
    double *shares = (double *)tool_alloc(job->servers, sizeof *shares);
    size_t row;
    csv_unique(t, &layer, 1);
    if (csv_column(t, "server") != CSV_NONE)
        tool_fail("%s:%lu: column 'server': --layers places them itself, --shares tells how they"
                  " are placed", t->name, (unsigned long)t->header_line);
    for (row = 0; row < t->rows; row++) {
        if (csv_is_empty(t, row, layer)) csv_fail(t, row, layer, "the cell is empty");
        size[row] = csv_number(t, row, bytes, NUMBER_NON_NEGATIVE);
    }
    if (sgdp_greedy_shares(size, t->rows, job->servers, shares) != SGDP_OK)
        tool_fail("%s:%lu: column 'bytes': the sum is 0 or too large", t->name,
                  (unsigned long)t->header_line);
    job->shares = shares;
}

static void read_servers(sgdp_job *job, const args *a)
{
    static const char *const updates[] = {"shared", "independent"};
    double *shares = NULL, sum = 0.0;
    const size_t count = args_numbers(a, "--shares", UNIT_NONE, NUMBER_FRACTION, &shares);
    const uint64_t servers = args_integer(a, "--servers", 1, JOB_MOST_SERVERS,
                                          count > 0 ? count : 1);
    size_t i;
    job->servers = (uint32_t)servers;
    job->separate_updates = (int)args_choice(a, "--server", updates, COUNT_OF(updates), 0);
    if (args_given(a, "--layers")) read_layers(job, args_text(a, "--layers", NULL));
    if (count == 0) return;
    if (count != servers)
        args_fail("--shares", NULL, "%lu of them, but --servers is %lu", (unsigned long)count,
                  (unsigned long)servers);
    for (i = 0; i < count; i++) sum += shares[i];
    if (!(fabs(sum - 1.0) <= 1e-6)) args_fail("--shares", NULL, "the sum is %.9g, not 1", sum);
    job->shares = shares;
}

static double worker_time(const char *text)
{
    double value = 0.0;
    const char *wrong = number_quantity(text, UNIT_TIME, NUMBER_NON_NEGATIVE, &value);
    if (wrong) args_fail("--worker-type", text, "%s", wrong);
    return value;
}

static void read_types(sgdp_job *job, const args *a)
{
    const size_t types = args_count(a, "--worker-type");
    sgdp_worker_type *type = (sgdp_worker_type *)tool_alloc(types, sizeof *type);
    uint64_t sum = 0;
    size_t i;
    for (i = 0; i < types; i++) {
        const char *text = args_at(a, "--worker-type", i), *wrong;
        uint64_t count = 0;
        char **part;
        if (args_split(text, ':', &part) != 3)
            args_fail("--worker-type", text, "is not COUNT:FORWARD:BACKWARD");
        wrong = number_whole(part[0], 1, UINT32_MAX, &count);
        if (wrong) args_fail("--worker-type", part[0], "%s", wrong);
        type[i].count = (uint32_t)count;
        type[i].forward_s = worker_time(part[1]);
        type[i].backward_s = worker_time(part[2]);
        sum += count;
        if (sum > UINT32_MAX) args_fail("--worker-type", text, "makes too many workers");
    }
    job->types = types;
    job->type = types > 0 ? type : NULL;
}

/* All that does not depend on the row of a profile. */
static sgdp_job read_cluster(const args *a)
{
    sgdp_job job;
    double threshold;
    memset(&job, 0, sizeof job);
    read_servers(&job, a);
    read_types(&job, a);
    job.latency_s = args_number(a, "--latency", UNIT_TIME, NUMBER_NON_NEGATIVE, 0.0);
    job.gpus = (uint32_t)args_integer(a, "--gpus", 1, UINT32_MAX, 1);
    job.local_bandwidth_bytes_per_s =
        args_number(a, "--local-bandwidth", UNIT_BANDWIDTH, NUMBER_POSITIVE, 0.0);
    job.flow_cap_bytes_per_s =
        args_number(a, "--flow-cap", UNIT_BANDWIDTH, NUMBER_POSITIVE, 0.0);
    threshold = args_number(a, "--threshold", UNIT_NONE, NUMBER_FRACTION, 0.0);
    job.threshold = args_given(a, "--threshold") && !(threshold > 0.0) ? -1.0 : threshold;
    if (args_given(a, "--overlap")) job.overlap = SGDP_OVERLAP_ONE_PASS;
    if (args_given(a, "--overlap-iterate")) job.overlap = SGDP_OVERLAP_FIXED_POINT;
    if (job.gpus > 1 && !args_given(a, "--local-bandwidth"))
        tool_fail("--local-bandwidth is missing: --gpus is more than 1");
    return job;
}

/* ---- Quantities of options and profiles ------------------------------------ */

enum quantity {
    FORWARD = 0, BACKWARD, UPDATE, MODEL_SIZE, BANDWIDTH, UPLINK, DOWNLINK, BATCH, QUANTITIES
};

static const struct {
    const char *option, *column;
    number_unit unit;
    number_rule rule;
    size_t      field;        /* of sgdp_job                                        */
    sgdp_input  input;        /* SGDP_INPUT_COUNT: nothing that is fitted           */
} quantities[QUANTITIES] = {
    {"--forward", "forward_s", UNIT_TIME, NUMBER_NON_NEGATIVE,
     offsetof(sgdp_job, forward_s), SGDP_INPUT_FORWARD},
    {"--backward", "backward_s", UNIT_TIME, NUMBER_NON_NEGATIVE,
     offsetof(sgdp_job, backward_s), SGDP_INPUT_BACKWARD},
    {"--update", "update_s", UNIT_TIME, NUMBER_NON_NEGATIVE,
     offsetof(sgdp_job, update_s), SGDP_INPUT_UPDATE},
    {"--model-size", "model_bytes", UNIT_SIZE, NUMBER_POSITIVE,
     offsetof(sgdp_job, model_bytes), SGDP_INPUT_TRANSFER},
    {"--bandwidth", "bandwidth_bytes_per_s", UNIT_BANDWIDTH, NUMBER_POSITIVE,
     offsetof(sgdp_job, bandwidth_bytes_per_s), SGDP_INPUT_BANDWIDTH},
    {"--uplink", "uplink_s", UNIT_TIME, NUMBER_NON_NEGATIVE,
     offsetof(sgdp_job, uplink_s), SGDP_INPUT_COUNT},
    {"--downlink", "downlink_s", UNIT_TIME, NUMBER_NON_NEGATIVE,
     offsetof(sgdp_job, downlink_s), SGDP_INPUT_COUNT},
    {"--batch", "batch", UNIT_NONE, NUMBER_POSITIVE,
     offsetof(sgdp_job, batch), SGDP_INPUT_COUNT},
};

typedef struct job_reader {
    job_set    *set;
    const args *a;
    unsigned    fitted;
    int         column[QUANTITIES];    /* in set->file; CSV_NONE                    */
    int         given[QUANTITIES];     /* by the present row, or an option          */
} job_reader;

static int is_fitted(const job_reader *r, enum quantity q)
{
    const sgdp_input input = quantities[q].input;
    return input != SGDP_INPUT_COUNT && (r->fitted & JOB_FITTED(input)) != 0;
}

/* A quantity comes from an option or from a column, not from both. */
static void find_columns(job_reader *r)
{
    const csv_table *t = r->set->file;
    size_t q;
    for (q = 0; q < QUANTITIES; q++) {
        const char *option = quantities[q].option;
        r->column[q] = t ? csv_column(t, quantities[q].column) : CSV_NONE;
        if (is_fitted(r, (enum quantity)q)) {
            if (args_given(r->a, option)) args_fail(option, NULL, "is to be fitted");
            r->column[q] = CSV_NONE;
        }
        if (r->column[q] != CSV_NONE && args_given(r->a, option))
            args_fail(option, NULL, "not with the column '%s' of %s", quantities[q].column,
                      t->name);
    }
    for (q = FORWARD; q <= BACKWARD; q++)
        if (r->column[q] != CSV_NONE && args_given(r->a, "--worker-type"))
            args_fail("--worker-type", NULL, "not with the column '%s' of %s",
                      quantities[q].column, t->name);
}

/* What the row and the options give, into the job; the rest stays 0. */
static void read_quantities(job_reader *r, size_t row, sgdp_job *job)
{
    size_t q;
    for (q = 0; q < QUANTITIES; q++) {
        double *field = (double *)(void *)((char *)job + quantities[q].field);
        const int option = args_given(r->a, quantities[q].option);
        r->given[q] = option || !csv_is_empty(r->set->file, row, r->column[q]);
        if (option)
            *field = args_number(r->a, quantities[q].option, quantities[q].unit,
                                 quantities[q].rule, 0.0);
        else if (r->given[q])
            *field = csv_number(r->set->file, row, r->column[q], quantities[q].rule);
    }
}

static void need(const job_reader *r, size_t row, enum quantity q)
{
    const csv_table *t = r->set->file;
    if (r->given[q] || is_fitted(r, q)) return;
    if (r->column[q] != CSV_NONE) csv_fail(t, row, r->column[q], "the cell is empty");
    if (t)
        tool_fail("%s:%lu: no column '%s', and no %s", t->name, (unsigned long)t->header_line,
                  quantities[q].column, quantities[q].option);
    tool_fail("%s is missing", quantities[q].option);
}

/* Transfer times need no size and no bandwidth: an option that would only seem to
 * count is refused, and so is a time of 0 where the library would take the size. */
static void check_times(job_reader *r, size_t row, sgdp_job *job)
{
    const int local = job->gpus > 1, capped = job->flow_cap_bytes_per_s > 0.0;
    if (r->set->mode == MODE_ALLREDUCE) {
        if (job->uplink_s < job->downlink_s) job->uplink_s = job->downlink_s;
        job->downlink_s = job->uplink_s;
    } else {
        need(r, row, UPLINK);
        need(r, row, DOWNLINK);
    }
    if (!args_given(r->a, "--gpus") && args_given(r->a, "--model-size"))
        args_fail("--model-size", NULL, "not with transfer times, but for --gpus");
    if (!capped && args_given(r->a, "--bandwidth"))
        args_fail("--bandwidth", NULL, "not with transfer times, but for --flow-cap");
    if (local && (!(job->uplink_s > 0.0) || !(job->downlink_s > 0.0)))
        job_fail(r->set, row, "with --gpus a transfer time of 0 cannot be");
    if (!local) job->model_bytes = 0.0;
    if (!capped) job->bandwidth_bytes_per_s = 0.0;
}

static void read_job(job_reader *r, size_t row, sgdp_job *job)
{
    read_quantities(r, row, job);
    if (job->types == 0) {
        need(r, row, FORWARD);
        need(r, row, BACKWARD);
    }
    if (r->set->mode != MODE_ALLREDUCE) need(r, row, UPDATE);
    if (job->gpus > 1) need(r, row, MODEL_SIZE);
    if (job->flow_cap_bytes_per_s > 0.0) need(r, row, BANDWIDTH);
    if (r->given[UPLINK] || r->given[DOWNLINK]) {
        check_times(r, row, job);
    } else {
        need(r, row, MODEL_SIZE);
        need(r, row, BANDWIDTH);
    }
}

/* The names of the column job, distinct; without one, several rows are counted. */
static void read_names(job_set *set)
{
    const csv_table *t = set->file;
    const int column = csv_column(t, "job");
    size_t row;
    if (column == CSV_NONE && set->count == 1) return;
    if (column != CSV_NONE) csv_unique(t, &column, 1);
    set->name = (const char **)tool_alloc(set->count, sizeof *set->name);
    for (row = 0; row < set->count; row++) {
        if (column == CSV_NONE) {
            char *number = (char *)tool_alloc(24, 1);
            snprintf(number, 24, "%lu", (unsigned long)row);
            set->name[row] = number;
            continue;
        }
        if (csv_is_empty(t, row, column)) csv_fail(t, row, column, "the cell is empty");
        set->name[row] = csv_text(t, row, column);
    }
}

static void refuse_fitted(const job_reader *r, sgdp_input input, const char *option)
{
    if ((r->fitted & JOB_FITTED(input)) != 0 && args_given(r->a, option))
        args_fail(option, NULL, "is to be fitted");
}

void job_read(job_set *set, const args *a, unsigned fitted)
{
    job_reader reader;
    sgdp_job cluster;
    size_t row;
    memset(set, 0, sizeof *set);
    memset(&reader, 0, sizeof reader);
    reader.set = set;
    reader.a = a;
    reader.fitted = fitted;
    set->mode = mode_read(a);
    set->model = mode_read_model(a, set->mode);
    check_options(set, a);
    refuse_fitted(&reader, SGDP_INPUT_LATENCY, "--latency");
    refuse_fitted(&reader, SGDP_INPUT_THRESHOLD, "--threshold");
    cluster = read_cluster(a);
    set->count = 1;
    if (args_given(a, "--profile")) {
        set->file = csv_read(args_text(a, "--profile", NULL), 0);
        set->count = set->file->rows;
        read_names(set);
    }
    find_columns(&reader);
    set->job = (sgdp_job *)tool_alloc(set->count, sizeof *set->job);
    for (row = 0; row < set->count; row++) {
        set->job[row] = cluster;
        read_job(&reader, row, &set->job[row]);
    }
}

/* ---- Predicting ------------------------------------------------------------ */

void job_fail(const job_set *set, size_t i, const char *reason, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, reason);
    vsnprintf(text, sizeof text, reason, arguments);
    va_end(arguments);
    if (set->file) csv_fail(set->file, i, CSV_NONE, "%s", text);
    tool_fail("%s", text);
}

/* Options and cells have been checked: what the library still refuses is a step that
 * takes no time, or numbers beyond a double together. */
static sgdp_status check_status(const job_set *set, size_t i, uint32_t workers,
                                sgdp_status status)
{
    const char *model = sgdp_model_text(set->model);
    const unsigned long count = (unsigned long)workers;
    if (status == SGDP_OK || status == SGDP_NOT_CONVERGED) return status;
    if (status == SGDP_OVER_BUDGET || status == SGDP_TOO_LARGE)
        job_fail(set, i, "%lu workers are too many for --model %s", count, model);
    if (status == SGDP_BAD_ARGUMENT)
        job_fail(set, i, "a step of %lu worker%s takes no time, or its numbers are too large "
                 "or too small together", count, count == 1 ? "" : "s");
    job_fail(set, i, "%s", sgdp_status_text(status));
}

static uint32_t workers_of(const sgdp_job *job, uint32_t workers)
{
    uint32_t sum = 0;
    size_t i;
    for (i = 0; i < job->types; i++) sum += job->type[i].count;
    return job->types > 0 ? sum : workers;
}

/* Makes room in set->work for predictions with so many workers. */
static void reserve_work(job_set *set, size_t i, uint32_t workers)
{
    size_t bytes = 0;
    check_status(set, i, workers,
                 sgdp_predict_bytes(&set->job[i], set->model, workers, &bytes));
    if (bytes > set->work_bytes)
        set->work = tool_grow(NULL, 0, &set->work_bytes, bytes, 1);
}

sgdp_status job_predict(job_set *set, size_t i, uint32_t workers, sgdp_prediction *out)
{
    const uint32_t K = workers_of(&set->job[i], workers);
    reserve_work(set, i, K);
    return check_status(set, i, K, sgdp_predict(&set->job[i], set->model, K, set->work,
                                                set->work_bytes, out));
}

sgdp_status job_elasticity(job_set *set, size_t i, uint32_t workers, double *elasticity)
{
    const uint32_t K = workers_of(&set->job[i], workers);
    reserve_work(set, i, K);
    return check_status(set, i, K, sgdp_elasticity(&set->job[i], set->model, K, set->work,
                                                   set->work_bytes, elasticity));
}

int job_uses(const job_set *set, size_t i, sgdp_input input)
{
    const sgdp_job *job = &set->job[i];
    const double transfer_s = job->uplink_s + job->downlink_s;
    switch (input) {
    case SGDP_INPUT_FORWARD:
    case SGDP_INPUT_BACKWARD:        return 1;
    case SGDP_INPUT_UPDATE:          return job->update_s > 0.0;
    case SGDP_INPUT_TRANSFER:        return transfer_s > 0.0 || job->model_bytes > 0.0;
    case SGDP_INPUT_BANDWIDTH:       return job->bandwidth_bytes_per_s > 0.0;
    case SGDP_INPUT_LATENCY:         return job->latency_s > 0.0;
    case SGDP_INPUT_FLOW_CAP:        return job->flow_cap_bytes_per_s > 0.0;
    case SGDP_INPUT_LOCAL_BANDWIDTH: return job->gpus > 1;
    case SGDP_INPUT_THRESHOLD:
    case SGDP_INPUT_COUNT:           break;
    }
    return 0;
}
