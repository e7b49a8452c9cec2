/* job_cluster.c - the cluster that a job is to run on, and options against each other */
#include "files/job_cluster.h"

#include <math.h>
#include <string.h>

enum { JOB_MOST_SERVERS = 1000000 };

/* ---- Options against each other -------------------------------------------- */

/* How updates of different workers meet at the server. To Eq. 1, that of the server in all
 * models but interleaved and cynthia, a queue of exponential updates and a server shared
 * equally are one. */
enum updates { UPDATES_QUEUED = 0, UPDATES_SEPARATE, UPDATES_SHARED };

static enum updates read_updates(const args *a)
{
    static const char *const words[] = {"queued", "separate", "shared"};
    return (enum updates)args_choice(a, "--updates", words, COUNT_OF(words), UPDATES_QUEUED);
}

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

void job_check_options(const job_set *set, const args *a)
{
    if (set->mode != MODE_ASYNC) refuse_in_mode(set, a, "--updates");
    if (set->model == SGDP_ASYNC_INTERLEAVED && read_updates(a) == UPDATES_SHARED)
        args_fail("--updates", "shared", "is not known to --model interleaved");
    if (set->mode == MODE_ALLREDUCE) {
        refuse_in_mode(set, a, "--shares");
        refuse_in_mode(set, a, "--layers");
        if (args_integer(a, "--servers", 1, JOB_MOST_SERVERS, 1) > 1)
            refuse_in_mode(set, a, "--servers");
    } else {
        refuse_in_mode(set, a, "--latency");
        refuse_in_mode(set, a, "--rings");
        refuse_in_mode(set, a, "--overlap-exponent");
    }
    if (set->mode != MODE_ASYNC) refuse_in_mode(set, a, "--overlap-iterate");
    if (set->model == SGDP_ASYNC_CYNTHIA) {
        refuse_in_model(set, a, "--overlap");
        refuse_in_model(set, a, "--overlap-iterate");
        refuse_in_model(set, a, "--worker-type");
        refuse_in_model(set, a, "--updates");
        if (args_integer(a, "--gpus", 1, UINT32_MAX, 1) > 1) refuse_in_model(set, a, "--gpus");
    }
    if (set->model != SGDP_ASYNC_HYBRID && set->model != SGDP_ASYNC_SWITCH &&
        args_given(a, "--threshold"))
        args_fail("--threshold", NULL, "only with --model hybrid or switch");
    refuse_together(a, "--shares", "--layers");
    refuse_together(a, "--overlap-exponent", "--overlap");
    refuse_together(a, "--step", "--worker-type");
    if (args_given(a, "--rings") && !args_given(a, "--flow-cap"))
        args_fail("--rings", NULL, "needs --flow-cap");
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
    double *shares = NULL, sum = 0.0;
    const size_t count = args_numbers(a, "--shares", UNIT_NONE, NUMBER_FRACTION, &shares);
    const uint64_t servers = args_integer(a, "--servers", 1, JOB_MOST_SERVERS,
                                          count > 0 ? count : 1);
    size_t i;
    job->servers = (uint32_t)servers;
    job->separate_updates = read_updates(a) == UPDATES_SEPARATE;
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

sgdp_job job_read_cluster(const args *a)
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
    job.rings = (uint32_t)args_integer(a, "--rings", 1, UINT32_MAX, 1);
    job.overlap_exponent =
        args_number(a, "--overlap-exponent", UNIT_NONE, NUMBER_POSITIVE, 0.0);
    if (args_given(a, "--overlap-exponent") && job.overlap_exponent < 1.0)
        args_fail("--overlap-exponent", args_text(a, "--overlap-exponent", NULL),
                  "is less than 1");
    return job;
}
