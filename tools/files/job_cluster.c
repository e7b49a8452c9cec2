/* job_cluster.c - the cluster that a job is to run on, and options against each other */
#include "files/job_cluster.h"
#include "files/exchange.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { JOB_MOST_SERVERS = 1000000, JOB_MOST_JOBS = 100000 };

/* ---- Options against each other -------------------------------------------- */

/* How updates of different workers meet at the server. To Eq. 1, that of the server in all
 * models but interleaved and cynthia, a queue of exponential updates and a server shared
 * equally are one. */
enum updates { UPDATES_QUEUED = 0, UPDATES_SEPARATE, UPDATES_SHARED };

static enum updates read_updates(const args *a)
{
    static const char *const words[] = {"queued", "separate", "shared"};
    return (enum updates)args_choice(a, OPTION_UPDATES, words, COUNT_OF(words), UPDATES_QUEUED);
}

/* Fails if an option was given that the mode has no use for. */
static void refuse_in_mode(const job_set *set, const args *a, option_id option)
{
    if (args_given(a, option))
        args_fail(option, NULL, "not with --mode %s", mode_words[set->mode]);
}

static void refuse_in_model(const job_set *set, const args *a, option_id option)
{
    if (args_given(a, option))
        args_fail(option, NULL, "not with --model %s", sgdp_model_text(set->model));
}

/* Models of means alone take the same answer whatever the variation. */
static void note_variation(const job_set *set, const args *a)
{
    const option_id option = args_given(a, OPTION_VARY) ? OPTION_VARY : OPTION_VARY_SAMPLE;
    if (args_given(a, option) && set->mode == MODE_ASYNC && set->model != SGDP_ASYNC_RHYTHM)
        tool_note("option-without-effect",
                  "%s has no effect on model %s, which knows mean times alone", option_name(option),
                  sgdp_model_text(set->model));
    else if (set->mode == MODE_ASYNC && args_given(a, OPTION_VARY_SHAPE))
        tool_note("option-without-effect",
                  "--vary-shape has no effect on model rhythm, which knows the deviation alone");
}

/* Is some worker far away, by option or by type? */
static int is_far(const args *a)
{
    size_t i;
    if (args_given(a, OPTION_DELAY)) return 1;
    for (i = 0; i < args_count(a, OPTION_WORKER_TYPE); i++)
        if (strstr(args_at(a, OPTION_WORKER_TYPE, i), "delay=")) return 1;
    return 0;
}

/* What the papers' models lack, and which collective the usual model is. */
static void note_links(const job_set *set, const sgdp_job *job, const args *a)
{
    const char *model = sgdp_model_text(set->model);
    const int ours = set->model == SGDP_ASYNC_RHYTHM || set->model == SGDP_SYNC_STAGGERED;
    if (set->mode == MODE_ALLREDUCE) {
        if (set->chosen && job->gpus > 1)
            tool_note("model-of-machines",
                      "model %s reduces inside a machine and exchanges the whole model between "
                      "machines: NCCL's one ring through all accelerators is --model flat", model);
        return;
    }
    if (ours) return;
    if (is_far(a))
        tool_note("delay-without-windows",
                  "to model %s a delay is its time alone, and windows of TCP cost more than that: "
                  "rhythm and staggered count them", model);
    if (job->servers > 1 && !(job->worker_bandwidth_bytes_per_s > 0.0))
        tool_note("worker-link-unknown",
                  "to model %s a worker has no link of its own: even one alone sends to all "
                  "servers at once, each at full speed, unless --worker-bandwidth tells it", model);
}

static void check_port(const job_set *set, const args *a)
{
    if (!args_given(a, OPTION_PORT_BUFFER)) return;
    if (set->model != SGDP_ASYNC_RHYTHM && set->model != SGDP_SYNC_STAGGERED)
        args_fail(OPTION_PORT_BUFFER, NULL, "only with --model rhythm or staggered");
    if (!args_given(a, OPTION_DELAY) && !args_given(a, OPTION_WORKER_TYPE))
        args_fail(OPTION_PORT_BUFFER, NULL, "needs --delay, or --worker-type with one");
}

enum { ASYNC = 1 << MODE_ASYNC, SYNC = 1 << MODE_SYNC, ALLREDUCE = 1 << MODE_ALLREDUCE };

/* Options that count in some modes alone. */
static const struct { option_id id; unsigned modes; } counts[] = {
    {OPTION_BACKUP, SYNC}, {OPTION_UPDATES, ASYNC}, {OPTION_OVERLAP_ITERATE, ASYNC},
    {OPTION_SHARES, ASYNC | SYNC}, {OPTION_LAYERS, ASYNC | SYNC}, {OPTION_DELAY, ASYNC | SYNC},
    {OPTION_WORKER_BANDWIDTH, ASYNC | SYNC}, {OPTION_LATENCY, ALLREDUCE},
    {OPTION_RINGS, ALLREDUCE}, {OPTION_CPU_MACHINES, ALLREDUCE},
    {OPTION_JOBS_ON_NETWORK, ALLREDUCE}, {OPTION_OVERLAP_EXPONENT, ALLREDUCE}
};

static const option_rule rules[] = {
    NEEDS(SWITCH_ANEW, OVERLAP), NEEDS(VARY_SHAPE, VARY), EXCLUDES(VARY, VARY_SAMPLE),
    EXCLUDES(DELAY, WORKER_TYPE), EXCLUDES(SHARES, LAYERS), EXCLUDES(OVERLAP_EXPONENT, OVERLAP),
    EXCLUDES(STEP, WORKER_TYPE), NEEDS(RINGS, FLOW_CAP), EXCLUDES(FORWARD, WORKER_TYPE),
    EXCLUDES(BACKWARD, WORKER_TYPE), NEEDS(LAYERS, SERVERS), NEEDS(LOCAL_BANDWIDTH, GPUS),
    EXCLUDES(GPUS, BACKUP), EXCLUDES(WORKER_TYPE, BACKUP), EXCLUDES(MEASURED_ON, BACKUP)
};

/* Workers that a step does not wait for. */
static void check_backup(const job_set *set, const args *a)
{
    if (!args_given(a, OPTION_BACKUP)) return;
    if (set->model == SGDP_SYNC_STAGGERED)
        args_fail(OPTION_BACKUP, NULL, "is not known to --model staggered: ps, fcfs or average");
    if (!args_given(a, OPTION_VARY) && !args_given(a, OPTION_VARY_SAMPLE))
        tool_note("backup-without-variation",
                  "--backup without --vary or --vary-sample: where all workers are alike, not "
                  "waiting for some gains nothing");
}

/* What one model knows and another does not. */
static void check_model(const job_set *set, const args *a)
{
    if (set->model == SGDP_ASYNC_INTERLEAVED && read_updates(a) == UPDATES_SHARED)
        args_fail(OPTION_UPDATES, "shared", "is not known to --model interleaved");
    if (set->model != SGDP_ASYNC_SWITCH && args_given(a, OPTION_SWITCH_ANEW))
        args_fail(OPTION_SWITCH_ANEW, NULL, "only with --model switch");
    check_port(set, a);
    if (set->model == SGDP_ASYNC_CYNTHIA) {
        refuse_in_model(set, a, OPTION_OVERLAP);
        refuse_in_model(set, a, OPTION_OVERLAP_ITERATE);
        refuse_in_model(set, a, OPTION_WORKER_TYPE);
        refuse_in_model(set, a, OPTION_UPDATES);
        if (args_integer(a, OPTION_GPUS, 1, UINT32_MAX, 1) > 1)
            refuse_in_model(set, a, OPTION_GPUS);
    }
    if (set->model != SGDP_ASYNC_HYBRID && set->model != SGDP_ASYNC_SWITCH &&
        args_given(a, OPTION_THRESHOLD))
        args_fail(OPTION_THRESHOLD, NULL, "only with --model hybrid or switch");
}

void job_check_options(const job_set *set, const args *a)
{
    size_t i;
    for (i = 0; i < COUNT_OF(counts); i++)
        if ((counts[i].modes & 1u << set->mode) == 0) refuse_in_mode(set, a, counts[i].id);
    if (set->mode == MODE_ALLREDUCE && args_integer(a, OPTION_SERVERS, 1, JOB_MOST_SERVERS, 1) > 1)
        refuse_in_mode(set, a, OPTION_SERVERS);
    check_backup(set, a);
    note_variation(set, a);
    check_model(set, a);
    args_check(a, rules, COUNT_OF(rules));
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
    if (sgdp_greedy_shares(size, t->rows, job->servers, shares, NULL) != SGDP_OK)
        tool_fail("%s:%lu: column 'bytes': the sum is 0 or too large", t->name,
                  (unsigned long)t->header_line);
    job->shares = shares;
}

static void read_servers(sgdp_job *job, const args *a)
{
    double *shares = NULL, sum = 0.0;
    const size_t count = args_numbers(a, OPTION_SHARES, &shares);
    const uint64_t servers = args_integer(a, OPTION_SERVERS, 1, JOB_MOST_SERVERS,
                                          count > 0 ? count : 1);
    size_t i;
    job->servers = (uint32_t)servers;
    job->separate_updates = read_updates(a) == UPDATES_SEPARATE;
    if (args_given(a, OPTION_LAYERS)) read_layers(job, args_text(a, OPTION_LAYERS, NULL));
    if (count == 0) return;
    if (count != servers)
        args_fail(OPTION_SHARES, NULL, "%lu of them, but --servers is %lu", (unsigned long)count,
                  (unsigned long)servers);
    for (i = 0; i < count; i++) sum += shares[i];
    if (!(fabs(sum - 1.0) <= 1e-6)) args_fail(OPTION_SHARES, NULL, "the sum is %.9g, not 1", sum);
    job->shares = shares;
}

static double worker_time(const char *text)
{
    double value = 0.0;
    const char *wrong = number_quantity(text, UNIT_TIME, NUMBER_NON_NEGATIVE, &value);
    if (wrong) args_fail(OPTION_WORKER_TYPE, text, "%s", wrong);
    args_note_unit(OPTION_WORKER_TYPE, text, UNIT_TIME, value);
    return value;
}

static uint32_t worker_count(const char *text)
{
    uint64_t count = 0;
    const char *wrong = number_whole(text, 1, UINT32_MAX, &count);
    if (wrong) args_fail(OPTION_WORKER_TYPE, text, "%s", wrong);
    return (uint32_t)count;
}

/* COUNT:FORWARD:BACKWARD */
static sgdp_worker_type read_plain_type(const char *text)
{
    sgdp_worker_type type;
    char **part;
    memset(&type, 0, sizeof type);
    if (args_split(text, ':', &part) != 3)
        args_fail(OPTION_WORKER_TYPE, text, "is not COUNT:FORWARD:BACKWARD");
    type.count = worker_count(part[0]);
    type.forward_s = worker_time(part[1]);
    type.backward_s = worker_time(part[2]);
    return type;
}

/* KEY=VALUE,... */
static sgdp_worker_type read_named_type(const job_set *set, const char *text)
{
    enum { COUNT, FORWARD, BACKWARD, DELAY, KEYS };
    static const char *const keys[KEYS] = {"count", "forward", "backward", "delay"};
    int given[KEYS] = {0};
    sgdp_worker_type type;
    char **words, **part;
    const size_t n = args_split(text, ',', &words);
    size_t i, k;
    memset(&type, 0, sizeof type);
    for (i = 0; i < n; i++) {
        const size_t parts = args_split(words[i], '=', &part);
        for (k = 0; k < KEYS && strcmp(part[0], keys[k]) != 0; k++) {}
        if (k == KEYS || parts != 2)
            args_fail(OPTION_WORKER_TYPE, words[i], "is not one of count=N forward=T backward=T "
                      "delay=T");
        if (given[k]++) args_fail(OPTION_WORKER_TYPE, words[i], "stands twice in %s", text);
        if (k == COUNT) type.count = worker_count(part[1]);
        if (k == FORWARD) type.forward_s = worker_time(part[1]);
        if (k == BACKWARD) type.backward_s = worker_time(part[1]);
        if (k == DELAY) type.delay_s = worker_time(part[1]);
    }
    for (k = COUNT; k <= BACKWARD; k++)
        if (!given[k]) args_fail(OPTION_WORKER_TYPE, text, "has no %s", keys[k]);
    if (given[DELAY] && set->mode == MODE_ALLREDUCE)
        args_fail(OPTION_WORKER_TYPE, text, "has a delay: not with --mode allreduce");
    return type;
}

static void read_types(const job_set *set, sgdp_job *job, const args *a)
{
    const size_t types = args_count(a, OPTION_WORKER_TYPE);
    sgdp_worker_type *type = (sgdp_worker_type *)tool_alloc(types, sizeof *type);
    uint64_t sum = 0;
    size_t i;
    for (i = 0; i < types; i++) {
        const char *text = args_at(a, OPTION_WORKER_TYPE, i);
        type[i] = strchr(text, '=') ? read_named_type(set, text) : read_plain_type(text);
        sum += type[i].count;
        if (sum > UINT32_MAX) args_fail(OPTION_WORKER_TYPE, text, "makes too many workers");
    }
    job->types = types;
    job->type = types > 0 ? type : NULL;
}

/* Compute times, ascending, from the column time_s. */
static void read_sample(sgdp_variation *vary, const char *path)
{
    const csv_table *t = csv_read(path, 0);
    const int column = csv_require(t, "time_s");
    double *time = (double *)tool_alloc(t->rows, sizeof *time), sum = 0.0;
    size_t row;
    for (row = 0; row < t->rows; row++)
        sum += time[row] = csv_number(t, row, column, NUMBER_NON_NEGATIVE);
    if (!(sum > 0.0))
        tool_fail("%s:%lu: column 'time_s': the sum is 0", t->name,
                  (unsigned long)t->header_line);
    qsort(time, t->rows, sizeof *time, number_compare);
    vary->sample = time;
    vary->samples = t->rows;
}

void job_note_normal(const sgdp_variation *vary)
{
    if (vary->samples == 0 && vary->shape == SGDP_SHAPE_NORMAL && vary->cv > 0.5)
        tool_note("normal-below-zero",
                  "--vary %g: normal times below 0 are taken for 0, which makes their mean longer, "
                  "by 0.4 %% at 0.5 and 8 %% at 1: barriers count that, a worker alone does not; "
                  "--vary-shape lognormal has no such times", vary->cv);
}

static void read_variation(const job_set *set, sgdp_variation *vary, const args *a)
{
    const char *words[SGDP_SHAPE_COUNT];
    size_t i;
    for (i = 0; i < SGDP_SHAPE_COUNT; i++) words[i] = sgdp_shape_text((sgdp_shape)i);
    vary->shape = (sgdp_shape)args_choice(a, OPTION_VARY_SHAPE, words, SGDP_SHAPE_COUNT, 0);
    vary->cv = args_number(a, OPTION_VARY,
                           mode_usual_cv(set->model));
    if (vary->cv > (vary->shape == SGDP_SHAPE_EXPONENTIAL ? 1.0 : 100.0))
        args_fail(OPTION_VARY, args_text(a, OPTION_VARY, NULL), "is more than %s",
                  vary->shape == SGDP_SHAPE_EXPONENTIAL ? "1 (exponential)" : "100");
    if (args_given(a, OPTION_VARY_SAMPLE))
        read_sample(vary, args_text(a, OPTION_VARY_SAMPLE, NULL));
    if (set->mode != MODE_ASYNC) job_note_normal(vary);
}

sgdp_job job_read_cluster(const job_set *set, const args *a)
{
    sgdp_job job;
    uint32_t *beside;
    double threshold;
    memset(&job, 0, sizeof job);
    read_servers(&job, a);
    read_types(set, &job, a);
    read_variation(set, &job.vary, a);
    job.delay_s = args_number(a, OPTION_DELAY, 0.0);
    job.port_buffer_bytes =
        args_number(a, OPTION_PORT_BUFFER, 0.0);
    job.worker_bandwidth_bytes_per_s =
        args_number(a, OPTION_WORKER_BANDWIDTH, 0.0);
    job.switch_anew = args_given(a, OPTION_SWITCH_ANEW);
    job.latency_s = args_number(a, OPTION_LATENCY, 0.0);
    job.gpus = (uint32_t)args_integer(a, OPTION_GPUS, 1, UINT32_MAX, 1);
    job.local_bandwidth_bytes_per_s =
        args_number(a, OPTION_LOCAL_BANDWIDTH, 0.0);
    job.flow_cap_bytes_per_s =
        args_number(a, OPTION_FLOW_CAP, 0.0);
    threshold = args_number(a, OPTION_THRESHOLD, 0.0);
    job.threshold = args_given(a, OPTION_THRESHOLD) && !(threshold > 0.0) ? -1.0 : threshold;
    if (args_given(a, OPTION_OVERLAP)) job.overlap = SGDP_OVERLAP_ONE_PASS;
    if (args_given(a, OPTION_OVERLAP_ITERATE)) job.overlap = SGDP_OVERLAP_FIXED_POINT;
    job.rings = (uint32_t)args_integer(a, OPTION_RINGS, 1, UINT32_MAX, 1);
    beside = (uint32_t *)tool_alloc(1, sizeof *beside);
    *beside = (uint32_t)args_integer(a, OPTION_CPU_MACHINES, 0, UINT32_MAX, 0);
    if (*beside > 0 && set->model != SGDP_ALLREDUCE_RING)
        refuse_in_model(set, a, OPTION_CPU_MACHINES);
    job.exchange = exchange_of;
    job.exchange_ctx = beside;
    job.backup = (uint32_t)args_integer(a, OPTION_BACKUP, 0, UINT32_MAX, 0);
    job.jobs = (uint32_t)args_integer(a, OPTION_JOBS_ON_NETWORK, 1, JOB_MOST_JOBS, 1);
    job.overlap_exponent =
        args_number(a, OPTION_OVERLAP_EXPONENT, 0.0);
    if (args_given(a, OPTION_OVERLAP_EXPONENT) && job.overlap_exponent < 1.0)
        args_fail(OPTION_OVERLAP_EXPONENT, args_text(a, OPTION_OVERLAP_EXPONENT, NULL),
                  "is less than 1");
    note_links(set, &job, a);
    return job;
}
