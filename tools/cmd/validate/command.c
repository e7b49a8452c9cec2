/* command.c - sgdperf validate: predictions against measured datasets */
#include "base/output.h"
#include "base/tool.h"
#include "cmd/commands.h"
#include "jobs/parallel.h"
#include "model/validation.h"
#include "options/args.h"
#include "options/options.h"

#include <stdio.h>
#include <string.h>

static const option_use uses[] = {
    ABOUT(
    "usage: sgdperf validate [DATASET.csv ...] [--bounds FILE] [--rows | --coverage | --targets]\n"
    "                        [--processes N] [--format table|csv|json]\n"
    "\n"
    "Predicts measured rows by every model that has what it needs, and prints per dataset and\n"
    "model the relative errors of the throughput; above them, where a mode has several datasets,\n"
    "those over all of its rows. Without a file: all of\n"
    "validation/datasets/. - is stdin. Columns of a dataset:\n"
    "  dataset,point    names; results are per dataset, a point is one of its rows\n"
    "  mode             async, sync or allreduce; one for a dataset\n"
    "  workers,servers  how many\n"
    "  batch            examples of a mini-batch\n"
    "  forward_s,backward_s,update_s          times of one worker alone, seconds\n"
    "  model_bytes,bandwidth_bytes_per_s      sent each way, and over which links\n"
    "  overlap          1: transfers hide behind computation, 0: they do not\n"
    "  batches_per_s    measured: mini-batches per second of all workers together, K of them in a\n"
    "                   synchronous step of K workers\n"
    "An empty cell is unknown, and keeps models away that need it. Optional columns:\n"
    "  fit              what is not known but fitted: server (update_s), bandwidth, latency or\n"
    "                   threshold (of hybrid and switch)\n"
    "  group            rows that share it, over the file; or one curve, for black boxes\n"
    "  pool             of calibrate --pool: rows that ran over the same links\n"
    "  curve            rows of one are joined where they are drawn [the point's name without\n"
    "                   the number of workers at its end: a-k4 is of a]\n"
    "  role             fit: the row determines what is fitted, or is an input, not scored;\n"
    "                   score: predicted with it; empty: without a fit\n"
    "  one_worker_step_s  measured; computation is what transfers and update leave of it, in the\n"
    "                   proportions of forward_s and backward_s\n"
    "  uplink_s,downlink_s  transfer times, in place of size and bandwidth\n"
    "  gpus,local_bandwidth_bytes_per_s,latency_s,flow_cap_bytes_per_s,\n"
    "  port_buffer_bytes  as predict [gpus 1]\n"
    "  worker_bandwidth_bytes_per_s,delay_s   a worker's own link, and one way to a server\n"
    "  worker_types     COUNT:FORWARD:BACKWARD[:DELAY] ..., in place of forward_s, backward_s\n"
    "                   and delay_s\n"
    "  layers           file of layers, beside the dataset, as of trace-from-layers: replayed in\n"
    "                   place of the row's times and size\n"
    "  inputs           measured or declared, as a link's speed; to --coverage [measured]\n"
    "  compute_cv       coefficient of variation of a step's computation [0; rhythm, staggered:\n"
    "                   0.02; simulated, async: 0.05 if empty or 0, as steps that are all alike\n"
    "                   keep workers in step]\n"
    "  jitter           of it: normal, lognormal, exponential, none [normal]\n"
    "  delayed_workers  so many have a delay [0: all]\n"
    "  shares           each server's part of the model, separated by blanks [even]\n"
    "  updates          queued, or separate: each on a core of its own. Queued ones of a\n"
    "                   synchronous step are replayed once a worker, where models count one\n"
    "  jobs             allreduce: so many alike at once on the same links [1]\n"
    "  place,order,buckets,bucket_bytes,...  as the testbed writes them; rows of runs that no\n"
    "                   model knows are left out\n"
    "  steps            of each worker while it was measured, from staggered starts: replayed 20\n"
    "                   times at that length; --rows shows the extremes, low and high\n"
    "simulated replays up to 1000 workers on equally shared links (sync: mean with fcfs),\n"
    "simulated-exp with all times exponential (async), simulated-tcp with --link tcp of simulate,\n"
    "calibrated on testbed-async and testbed-sync: there its error is a fit, as are those of\n"
    "staggered, and on testbed-async of interleaved and rhythm. simulated-chain is simulated-tcp,\n"
    "but of several servers (async, with steps, layers in order) each goes on by itself.\n"
    "Transfers that overlap need layers. None knows gpus or one_worker_step_s.\n"
    "Black boxes: for a group whose rows differ in workers and batch only; Optimus' forms with\n"
    "servers: in servers too.\n"
    "\n"),
    USE(BOUNDS), USE(COVERAGE), USE(TARGETS), USE(ROWS), PARALLEL_USES,
    USE_HELP(FORMAT, "table (errors in percent), csv or json (fractions)", "table"),
    ABOUT(
    "\n"
    "Example: 2 workers, predicted from the profile of one\n"
    "  $ { printf 'dataset,point,mode,workers,servers,batch,forward_s,backward_s,update_s,'\n"
    "      printf 'model_bytes,bandwidth_bytes_per_s,overlap,batches_per_s\\n'\n"
    "      printf 'mine,two,async,2,1,32,0.01,0.019,0.018,9e6,125e6,0,8.4\\n'; } |\n"
    "    sgdperf validate -\n")
};

static int run(args *a)
{
    validation v;
    output out = {0};
    size_t processes;
    int with_rows;

    out.form = args_form(a);
    with_rows = args_given(a, OPTION_ROWS);
    memset(&v, 0, sizeof v);
    if (with_rows + args_given(a, OPTION_COVERAGE) + args_given(a, OPTION_TARGETS) > 1)
        args_fail(with_rows ? OPTION_ROWS : OPTION_COVERAGE, NULL, "not with %s",
                  option_name(args_given(a, OPTION_TARGETS) ? OPTION_TARGETS : OPTION_COVERAGE));
    validate_read(&v, a);
    processes = parallel_read(a);
    /* Bands are those of the usual models, none of which is replayed. */
    if (args_given(a, OPTION_COVERAGE) && !args_given(a, OPTION_BOUNDS)) processes = 0;
    validate_predict(&v, processes);
    validate_score(&v);
    if (args_given(a, OPTION_BOUNDS))
        validate_apply_bounds(&v, args_text(a, OPTION_BOUNDS, NULL), a->file_count == 0);
    if (args_given(a, OPTION_COVERAGE)) validate_print_coverage(&out, &v);
    else if (args_given(a, OPTION_TARGETS)) validate_print_targets(&out, &v);
    else validate_print(&out, &v, with_rows);
    if (validate_count_exceeded(&v) > 0) return output_flush(&out, EXIT_CHECK);
    return output_flush(&out, v.status == SGDP_OK ? EXIT_DONE : EXIT_NOT_REACHED);
}

const args_command command_validate = {
    "validate", "predictions against measured datasets", run, uses,
    COUNT_OF(uses), NULL, 0, 0, (size_t)-1, NULL, 0};
