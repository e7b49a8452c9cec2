/* buckets.c - --bucket-layers: how large the buckets of an all-reduce should be, by replaying the
 * layers of a step on the workers that are recommended */
#include "cmd/advise/advise.h"
#include "files/status.h"
#include "files/exchange.h"

#include <string.h>

#define MIB 1048576.0

/* The last one is PyTorch's own. */
static const double tried[ADVICE_BUCKETS] = {
    1.0 * MIB, 2.0 * MIB, 5.0 * MIB, 10.0 * MIB, 50.0 * MIB, 100.0 * MIB, 25.0 * MIB
};

/* Steps of the recommended workers with buckets of so many bytes; returns the time of one. */
static double replay(const advice_set *s, const sgdsim_layer *layer, size_t n, double bucket)
{
    enum { STEPS = 2 };
    const sgdp_job *job = &s->curves.jobs.job[s->advice.recommended / s->curves.points];
    const uint32_t workers = s->choice[s->advice.recommended].workers;
    sgdsim_op *op = (sgdsim_op *)tool_alloc(n, 5 * sizeof *op);
    uint32_t *waits = (uint32_t *)tool_alloc(n, 7 * sizeof *waits);
    size_t *closing = (size_t *)tool_alloc(n, sizeof *closing), buckets = 0, bytes = 0;
    sgdsim_step step;
    sgdsim_trace trace;
    sgdsim_config run;
    sgdsim_result out;
    memset(&run, 0, sizeof run);
    memset(&out, 0, sizeof out);
    tool_check_sim(sgdsim_trace_layers(layer, n, 0, op, waits), option_name(OPTION_BUCKET_LAYERS));
    tool_check_sim(sgdsim_trace_buckets(layer, n, bucket, &(sgdsim_draft){op, waits + 5 * n, NULL},
                                        closing, &buckets),
                   option_name(OPTION_BUCKET_LAYERS));
    step.op = op;
    step.ops = 3 * n + 2 * buckets;
    trace.step = &step;
    trace.steps = 1;
    run.workers.types = 1;
    run.workers.trace = &trace;
    run.workers.count = &workers;
    run.mode = SGDSIM_SYNC;
    run.links.rule = SGDSIM_LINK_EXCHANGE;
    run.links.exchange_s = exchange_ring_s;
    run.links.bandwidth_bytes_per_s = job->links.bandwidth_bytes_per_s;
    run.links.delay_s = &job->links.latency_s;
    run.length.steps = STEPS;
    tool_check_sim(sgdsim_run_bytes(&run, &bytes), option_name(OPTION_BUCKET_LAYERS));
    tool_check_sim(sgdsim_run(&run, tool_alloc(bytes, 1), bytes, &out),
                   option_name(OPTION_BUCKET_LAYERS));
    return out.makespan_s / (double)STEPS;
}

/* The layers of the file on the recommended machines. */
static sgdsim_layer *read_layers(const advice_set *s, const char *path, size_t *n)
{
    const double scale = s->offer[s->advice.recommended / s->curves.points].compute_scale;
    const double model_bytes = s->curves.jobs.job[0].model_bytes;
    sgdsim_layer *layer;
    double bytes = 0.0;
    int column;
    size_t i;
    const csv_table *t = layers_read(path, &layer, &column);
    *n = t->rows;
    layers_check_sums(t, layer);
    for (i = 0; i < *n; i++) {
        layer[i].forward_s *= scale;
        layer[i].backward_s *= scale;
        bytes += layer[i].bytes;
    }
    if (bytes < 0.95 * model_bytes || bytes > 1.05 * model_bytes)
        tool_note("sizes-differ",
                  "%s: its layers have %.4g bytes, the job %.4g", t->name, bytes, model_bytes);
    return layer;
}

static void check_options(const advice_set *s)
{
    const job_set *jobs = &s->curves.jobs;
    if (jobs->mode != MODE_ALLREDUCE)
        args_fail(OPTION_BUCKET_LAYERS, NULL, "is for --mode allreduce");
    if (jobs->job[0].machine.gpus > 1) args_fail(OPTION_BUCKET_LAYERS, NULL, "not with --gpus");
    if (!(jobs->job[0].links.latency_s > 0.0))
        args_fail(OPTION_BUCKET_LAYERS, NULL,
                  "needs --latency, of a message: without it the smallest "
                  "always win");
    if (!(jobs->job[0].links.bandwidth_bytes_per_s > 0.0))
        args_fail(OPTION_BUCKET_LAYERS, NULL, "needs a bandwidth, not transfer times");
}

void advice_try_buckets(advice_set *s, const args *a)
{
    const char *path = args_text(a, OPTION_BUCKET_LAYERS, NULL);
    sgdsim_layer *layer;
    size_t n = 0, i;
    if (!path) return;
    check_options(s);
    layer = read_layers(s, path, &n);
    if (s->choice[s->advice.recommended].workers == 1) {
        tool_note("one-worker", "--bucket-layers: one worker exchanges nothing");
        return;
    }
    for (i = 0; i < ADVICE_BUCKETS; i++) {
        s->bucket[i].bytes = tried[i];
        s->bucket[i].step_s = replay(s, layer, n, tried[i]);
        if (s->bucket[i].step_s <= s->bucket[s->best_bucket].step_s * (1.0 + 1e-9))
            s->best_bucket = i;        /* of equal ones the largest, or the usual one */
    }
    s->buckets = ADVICE_BUCKETS;
}
