/* replica.c - steps of data-parallel training by layers: predictions */
#include "cmd/predict/replica.h"
#include "jobs/parallel.h"
#include "files/modes.h"
#include "files/status.h"

#include <string.h>

const replica_scale replica_as_is = { 1.0, 1.0 };

int replica_wanted(const args *a)
{
    static const option_id own[] = { REPLICA_OPTIONS };
    static const option_id others[] = {
        OPTION_MODEL, OPTION_PROFILE, OPTION_FORWARD, OPTION_BACKWARD, OPTION_MODEL_SIZE,
        OPTION_UPLINK, OPTION_DOWNLINK, OPTION_SERVERS, OPTION_SHARES, OPTION_UPDATES,
        OPTION_OVERLAP, OPTION_OVERLAP_ITERATE, OPTION_THRESHOLD, OPTION_STEP, OPTION_WORKER_TYPE,
        OPTION_WORKER_BANDWIDTH, OPTION_DELAY, OPTION_PORT_BUFFER, OPTION_VARY_SAMPLE,
        OPTION_SWITCH_ANEW, OPTION_MEASURED_ON, OPTION_BACKUP, OPTION_CPU_MACHINES,
        OPTION_ELASTICITY, OPTION_INPUTS, OPTION_BANDS
    };
    size_t i;
    if (args_given(a, OPTION_LAYERS) && !args_given(a, OPTION_SERVERS)
        && mode_read(a) == MODE_ALLREDUCE) {
        if (args_given(a, OPTION_JOBS_ON_NETWORK))
            args_fail(OPTION_JOBS_ON_NETWORK, NULL,
                      "not with steps by --layers: how jobs fill each "
                      "other's gaps is known of one exchange a step");
        args_refuse(a, others, COUNT_OF(others), "not with steps by --layers");
        return 1;
    }
    for (i = 0; i < COUNT_OF(own); i++)
        if (args_given(a, own[i]))
            args_fail(own[i], NULL, "needs --mode allreduce and --layers");
    return 0;
}

/* ---- A replica of a point -------------------------------------------------- */

sgdpar_replica replica_of(const replica_set *s, const replica_point *p, const replica_scale *scale)
{
    sgdpar_replica r = s->replica;
    r.sharding = p->sharding;
    r.accumulate = p->accumulate;
    r.bucket_bytes = (uint64_t)p->asked_bytes;
    r.protocol = s->ways[p->ways].list.protocol;
    r.protocols = s->ways[p->ways].list.count;
    r.topology = topology_on(&r.topology, s->gpus, p->workers);
    r.topology.bandwidth_bytes_per_s *= scale->link;
    r.compute_scale = scale->compute;
    tool_check(sgdp_slowest(&s->vary, p->workers, &r.slowest), s->file);
    return r;
}

int replica_has_buckets(const replica_set *s, const replica_point *p)
{
    return p->sharding <= SGDPAR_SHARDING_GRADIENTS && s->replica.local_steps == 0
        && p->workers > 1;
}

static sgdpar_status predict_on(const replica_set *s, replica_point *p, sgdpar_replica *r)
{
    const int buckets = replica_has_buckets(s, p);
    size_t bytes = 0;
    sgdpar_status status;
    p->bucket_bytes = buckets ? p->asked_bytes : 0.0;
    if (buckets && !(p->asked_bytes > 0.0)) {
        uint64_t best = 0;
        r->bucket_bytes = (uint64_t)s->least_bucket;
        status = sgdpar_best_bucket(r, &best, &p->step);
        p->bucket_bytes = (double)(r->bucket_bytes = best);
        return status;
    }
    tool_check_parallel(sgdpar_replica_time_bytes(r, &bytes), s->file);
    return sgdpar_replica_time(r, tool_alloc(bytes, 1), bytes, &p->step);
}

static void predict_step(const replica_set *s, replica_point *p, sgdpar_replica *r)
{
    const topology_ways *ways = &s->ways[p->ways];
    sgdpar_replica quick = *r;
    char links[300];
    if (predict_on(s, p, r) == SGDPAR_OK) return;
    quick.topology = topology_quick(&r->topology);
    quick.protocol = protocols_quick(&ways->list).protocol;
    if (predict_on(s, p, &quick) == SGDPAR_OK)
        tool_fail("%lu workers, %s: times are too large for a number on these links: %s",
                  (unsigned long)p->workers, sgdpar_sharding_text(p->sharding),
                  topology_text(&r->topology, ways->file, links, sizeof links));
    tool_fail("%lu workers, %s: none of the ways of --collective and --protocols does what "
              "it needs on these machines (%lu of %lu, --gpus): --collective '%s'",
              (unsigned long)p->workers, sgdpar_sharding_text(p->sharding),
              (unsigned long)r->topology.machines, (unsigned long)r->topology.gpus,
              ways->text);
}

void replica_answer(const replica_set *s, replica_point *p, const replica_scale *scale)
{
    const sgdpar_topology *on;
    sgdpar_replica r = replica_of(s, p, scale), alone = r;
    const double passes = r.accumulate;
    sgdpar_replica_step one;
    predict_step(s, p, &r);
    on = &r.topology;
    alone.sharding = SGDPAR_SHARDING_NONE;
    alone.topology.machines = alone.topology.gpus = 1;
    alone.overlap_exponent = 0.0;
    alone.local_steps = 0;
    alone.slowest = 1.0;
    tool_check_parallel(sgdpar_replica_time(&alone, NULL, 0, &one), s->file);
    if (!(p->step.step_s > 0.0)) tool_fail("%s: its layers take no time", s->file);
    p->batches_per_s = p->workers * passes / p->step.step_s;
    p->efficiency = one.step_s / p->step.step_s;
    tool_check_parallel(sgdpar_memory_of(p->sharding, &s->precision, s->parameters, s->largest_unit,
                                s->replica.prefetch, p->workers, on->gpus,
                                s->activations_bytes, &p->memory), s->file);
    p->fits = p->memory.total_bytes <= s->memory_bytes;
}

typedef struct answering {
    const replica_set   *of;
    const replica_point *point;
    replica_scale      (*scale_of)(const void *ctx, size_t i);
    const void          *ctx;
} answering;

/* parallel_task */
static void answer_point(void *ctx, size_t i, void *result)
{
    const answering *all = (const answering *)ctx;
    const replica_scale scale = all->scale_of(all->ctx, i);
    replica_point *p = (replica_point *)result;
    *p = all->point[i];
    replica_answer(all->of, p, &scale);
}

void replica_answer_all(const replica_set *s, replica_point *point, size_t count,
                        replica_scale (*scale_of)(const void *ctx, size_t i), const void *ctx,
                        size_t processes)
{
    replica_point *answer = (replica_point *)tool_alloc(count, sizeof *answer);
    answering all;
    size_t i;
    all.of = s;
    all.point = point;
    all.scale_of = scale_of;
    all.ctx = ctx;
    parallel_begin_here();
    parallel_run(count, processes, answer_point, &all, answer, sizeof *answer, "points");
    for (i = 0; i < count; i++) point[i] = answer[i];
}

/* ---- What could be taken for more than it is ------------------------------- */

static int has_latency(const replica_set *s)
{
    size_t w;
    if (s->replica.topology.latency_s > 0.0 || s->replica.topology.local_latency_s > 0.0) return 1;
    for (w = 0; w < s->collectives; w++)
        if (topology_ways_cost(&s->ways[w].list)) return 1;
    return 0;
}

static int has_auto(const replica_set *s)
{
    size_t w = 0;
    while (w < s->collectives && strcmp(s->ways[w].text, "auto") != 0) w++;
    return w < s->collectives;
}

/* Without a latency many small messages are as good as few. */
void replica_note(const replica_set *s, const args *a)
{
    size_t i = 0;
    if (s->precision.gradient > 0.0)
        tool_note("mixed-precision",
                  "--precision mixed takes the bytes of %s as 4 a parameter, and sends 2: where "
                  "they are of 2 already, or where gradients are exchanged in single precision, "
                  "as of PyTorch's autocast, take single", s->file);
    if (s->replica.local_steps > 0)
        tool_note("local-steps",
                  "--local-steps: parameters differ between two averages, so that the same loss "
                  "may need more examples; times are those of the same number");
    while (i < s->groups && s->workers[i] == 1) i++;
    if (i == s->groups) return;
    if (!has_latency(s)) topology_note_free();
    if (has_auto(s) && !args_given(a, OPTION_PROTOCOLS))
        tool_note("best-collective",
                  "--collective auto is the quickest of every way there is, at no cost of calls: "
                  "no library has them all; --protocols validation/collectives/nccl.csv has those "
                  "of NCCL and what they cost");
}

void replica_note_answers(const replica_set *s, const replica_point *point, size_t count)
{
    int small = 0, above = 0;
    size_t i;
    (void)s;
    for (i = 0; i < count; i++) {
        small |= point[i].bucket_bytes > 0.0 && point[i].bucket_bytes < SGDPAR_FIRST_BUCKET_BYTES;
        above |= point[i].efficiency > 1.0 + 1e-9;
    }
    if (small)
        tool_note("small-buckets",
                  "buckets of less than 1 MiB: what their many calls cost the accelerator and its "
                  "host is in no number, so they look too good");
    if (above)
        tool_note("efficiency-above-one",
                  "efficiency above 1: it is over one worker of ddp, who updates all parameters "
                  "alone");
}

const replica_point *replica_quickest(const replica_set *s, size_t group)
{
    const replica_point *best = NULL;
    size_t i;
    for (i = 0; i < s->points; i++) {
        const replica_point *p = &s->point[i];
        if (p->group != group || (s->memory_bytes > 0.0 && !p->fits)) continue;
        if (!best || p->batches_per_s > best->batches_per_s) best = p;
    }
    return best;
}
