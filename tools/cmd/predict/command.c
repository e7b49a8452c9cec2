/* command.c - sgdperf predict: one worker's profile to a throughput curve */
#include "base/printers.h"
#include "cmd/commands.h"
#include "cmd/predict/predict.h"
#include "files/status.h"
#include "jobs/parallel.h"

static const option_use uses[] = {
    ABOUT(
    "usage: sgdperf predict --mode async|sync|allreduce --workers 1-16 [--model NAME]\n"
    "                       [options of the job] [--elasticity] [--format table|csv|json]\n"
    "\n"
    "Predicts the throughput of a job on many workers from the profile of one, which resource\n"
    "limits it, and where the time of a step goes.\n"
    "\n"),
    USE(WORKERS), USE(ELASTICITY), USE(INPUTS), USE(BANDS), PARALLEL_USES,
    USE_HELP(FORMAT, "table, csv (a row a point) or json", "table"),
    ABOUT(
    "\n"
    "  steps by layers, of --mode allreduce with --layers: which of these to use\n"),
    USE_HELP(LAYERS,
         "columns layer,bytes,forward_s,backward_s,update_s,tensors: bytes of gradients, 4 a "
         "parameter, and of each tensor, as 8192+32", NULL),
    USE(SHARDING), USE(COLLECTIVE), USE(PROTOCOLS), USE(LOCAL_LATENCY), USE(BUCKET),
    USE(FIRST_BUCKET), USE(UNIT), USE(PREFETCH), USE(ACCUMULATE), USE(LOCAL_STEPS),
    USE(INTERFERENCE), USE(PRECISION), USE(ACTIVATIONS), USE(MEMORY),
    ABOUT(
    "\n"
    "The job\n"),
    JOB_USES,
    ABOUT(
    JOB_UNITS
    "\n"
    "Prints per point batches_per_s (of all workers together: K a synchronous step), the step\n"
    "(workers over batches_per_s) and its parts, the speedup over one worker (of the first type),\n"
    "utilizations and the bottleneck, which has the largest. Beyond the saturation a shared\n"
    "resource is what counts. Beyond the knee, of a curve from 1 on without gaps, no point of the\n"
    "curve gains more than 1 %: a longer curve may have a later one. fcfs may pass utilization 1\n"
    "by some percent, cynthia by far. branch: which of fcfs and exact the switch took. --servers\n"
    "divides transfers and updates alike. Asynchronous points 1 to K share a pass and take O(K)\n"
    "in all, but O(K^2) with overlap, machines, types, a delay, or exact on links of a cap.\n"
    "Exit status 3: a point did not converge, its best estimate is printed.\n"
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
    "  saturation at 2.653 workers\n")
};

static int run(args *a)
{
    curve_set curves = {0};
    output out = {0};
    sgdp_status status;
    rows_use(curves.processes = parallel_read(a));
    if (replica_wanted(a)) return replica_predict(a, curves.processes);
    job_read(&curves.jobs, a, 0);
    curves_read_workers(&curves, a);
    curves_read_band(&curves, a);
    curves_note_sample(&curves);
    curves_choose_resources(&curves);
    if (args_given(a, OPTION_ELASTICITY)) curves_choose_inputs(&curves);
    status = curves_predict(&curves, args_given(a, OPTION_ELASTICITY));
    curves_note_limits(&curves);
    out.form = args_form(a);
    if (out.form == JSON) curves_print_json(&out, &curves, status);
    else if (out.form == CSV) curves_print_csv(&out, &curves);
    else curves_print_tables(&out, &curves);
    return output_flush(&out, tool_check(status, "predict"));
}

const args_command command_predict = {
    "predict", "one worker's profile to a throughput curve", run, uses,
    COUNT_OF(uses), NULL, 0, 0, 0, NULL, 0};
