/* validate.c - sgdperf validate: predictions against measured datasets */
#include "cmd/validate/validate.h"
#include "cmd/commands.h"

#include <string.h>

static const char help[] =
    "usage: sgdperf validate [DATASET.csv ...] [--bounds FILE] [--rows]\n"
    "                        [--format table|csv|json]\n"
    "\n"
    "Predicts measured rows by every model that has what it needs, and prints per dataset and\n"
    "model the relative errors of the throughput. Without a file: all of\n"
    VALIDATE_FOLDER "/ below the current directory. - is stdin. Columns of a dataset:\n"
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
    "  worker_bandwidth_bytes_per_s,delay_s   a worker's own link, and one way to a server\n"
    "  worker_types     COUNT:FORWARD:BACKWARD[:DELAY] ..., in place of forward_s, backward_s\n"
    "                   and delay_s\n"
    "  layers           file of layers, beside the dataset, with the columns of\n"
    "                   trace-from-layers, which the simulated models replay in place of the\n"
    "                   row's times and size\n"
    "  compute_cv       coefficient of variation of the computation of a step, normal [0;\n"
    "                   rhythm and staggered: 0.02, as of workers that were measured;\n"
    "                   simulated, async: 0.05 if empty or 0, as steps that are all alike\n"
    "                   would keep workers in step]\n"
    "  updates          queued: the server runs one at a time, to the simulated models\n"
    "  steps            of each worker while it was measured, from staggered starts: replayed 20\n"
    "                   times at that length; --rows shows the extremes, low and high\n"
    "simulated replays the steps of up to 1000 workers on equally shared links (sync: mean with\n"
    "fcfs), simulated-exp with all times exponential (async), simulated-tcp on links as --link\n"
    "tcp of simulate, whose two numbers were calibrated on testbed-async and testbed-sync: there\n"
    "its error is a fit. Transfers that overlap need layers, of which each server has an equal\n"
    "part. None knows gpus or one_worker_step_s.\n"
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
    validate_read(&v, &a);
    validate_predict(&v);
    validate_score(&v);
    if (args_given(&a, "--bounds"))
        validate_apply_bounds(&v, args_text(&a, "--bounds", NULL), a.file_count == 0);
    validate_print(&out, &v, with_rows, format);
    if (validate_count_exceeded(&v) > 0) return output_flush(&out, EXIT_CHECK);
    return output_flush(&out, v.status == SGDP_OK ? EXIT_DONE : EXIT_NOT_REACHED);
}
