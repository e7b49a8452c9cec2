/* fuzz_collectives.c - any topology, protocols, tensors and units: times of collectives and of
 * data-parallel steps, buckets and memory are told or refused, and what is told adds up */
#define FUZZ_RUNS 8000
#include "../sgdperf_parallel.h"

#include "fuzz_call.h"

enum { WAYS = 3, TENSORS = 5, STAGES = 8, MICRO_BATCHES = 12 };

static struct {
    sgdpar_collective collective;
    sgdpar_protocol   way[WAYS];
    size_t            ways;
    sgdpar_tensor     tensor[TENSORS];
    sgdpar_unit       unit[TENSORS];
    double            bytes, bandwidth, parameters, largest;
    sgdpar_replica    replica;
    sgdpar_precision  precision;
    uint32_t          n, k;
    sgdpar_stage      stage[STAGES];
    sgdpar_pipeline   pipeline;
    double            gradient[STAGES], output[STAGES];
    sgdpar_copies     copies;
    uint32_t          machine[STAGES];
    sgdpar_shared     shared;
    sgdpar_stream     stream[TENSORS];
    sgdpar_connection connection;
} in;

static struct {
    double   time_s;
    sgdpar_division division;
    size_t   chosen, first[TENSORS], buckets;
    uint64_t bucket[TENSORS], limit;
    sgdpar_replica_step step;
    sgdpar_memory memory;
    sgdpar_precision precision;
    sgdpar_link_times links;
    sgdpar_exchange exchange;
    double   gain[SGDPAR_REMEDY_COUNT];
    sgdpar_device device[STAGES];
    sgdpar_pipeline_step line;
    sgdpar_stage stage[STAGES];
    double   end_s[TENSORS];
} out;

static void read_way(fuzz_bytes *b, sgdpar_protocol *p)
{
    const unsigned code = fuzz_byte(b);
    p->collective = (sgdpar_collective)(fuzz_byte(b) % (SGDPAR_COLLECTIVE_COUNT + 1));
    p->algorithm = (sgdpar_algorithm)(fuzz_byte(b) % (SGDPAR_ALGORITHM_COUNT + 1));
    p->inside = (sgdpar_algorithm)(code % 2 ? 0 : code / 2 % (SGDPAR_ALGORITHM_COUNT + 1));
    p->form = (sgdpar_form)(fuzz_byte(b) % (SGDPAR_FORM_COUNT + 1));
    p->chunks = fuzz_count(b, 9);
    p->cost.base_s = fuzz_number(b) / 64.0;
    p->cost.latency_s = fuzz_number(b) / 64.0;
    p->cost.local_latency_s = fuzz_number(b) / 64.0;
    p->cost.fraction = code % 16 == 3 ? fuzz_number(b) : 0.25 * (double)(code / 16 % 5);
    p->cost.most_bytes_per_s = code % 16 == 5 ? fuzz_number(b) : 0.0;
    p->range.from_bytes = code % 16 == 7 ? fuzz_number(b) : 0.0;
    p->range.below_bytes = code % 16 == 9 ? p->range.from_bytes + fuzz_number(b) : 0.0;
    if (code % 16 == 11) p->range.from_machines = fuzz_count(b, 5);
    if (code % 16 == 13) p->range.below_machines = p->range.from_machines + fuzz_count(b, 5);
}

static void read_topology(fuzz_bytes *b, sgdpar_topology *t)
{
    const unsigned code = fuzz_byte(b);
    t->machines = fuzz_count(b, 6);
    t->gpus = fuzz_count(b, 5);
    t->latency_s = fuzz_number(b) / 64.0;
    t->bandwidth_bytes_per_s = (code & 4 ? 1.0 : 0.0) + 4.0 * fuzz_number(b);
    t->local_latency_s = fuzz_number(b) / 64.0;
    t->local_bandwidth_bytes_per_s = 1.0 + 8.0 * fuzz_number(b);
    if (code % 4 == 0) t->flow_cap_bytes_per_s = fuzz_number(b);
    if (code % 4 == 0) t->channels = fuzz_count(b, 4);
}

static void read_replica(fuzz_bytes *b, sgdpar_replica *r)
{
    const unsigned code = fuzz_byte(b), more = fuzz_byte(b);
    r->sharding = (sgdpar_sharding)(code % (SGDPAR_SHARDING_COUNT + 1));
    r->layers.tensor = in.tensor;
    r->layers.tensors = code / 8 % (TENSORS + 1);
    r->layers.unit = in.unit;
    r->layers.units = code / 8 % (TENSORS + 1);
    r->compute.forward_s = fuzz_number(b);
    r->compute.tail_s = fuzz_number(b) / 4.0;
    r->compute.update_s = fuzz_number(b) / 4.0;
    r->buckets.first_bytes = fuzz_count(b, 32);
    r->buckets.cap_bytes = fuzz_count(b, 64);
    r->layers.gathered = fuzz_number(b) / 2.0;
    r->schedule.prefetch = fuzz_count(b, 4);
    r->schedule.accumulate = fuzz_count(b, 3);
    if (more % 8 == 1) r->schedule.local_steps = fuzz_count(b, 4);
    if (more / 8 % 4 == 1) r->overlap.compute_slowdown = 1.0 + fuzz_number(b);
    if (more / 8 % 4 == 2) r->overlap.exchange_slowdown = 1.0 + fuzz_number(b);
    if (more / 32 % 4 == 1) r->overlap.exponent = 1.0 + fuzz_number(b);
    if (more / 32 % 4 == 2) r->compute.slowest = 1.0 + fuzz_number(b) / 4.0;
    r->network.protocol = in.way;
    r->network.protocols = in.ways;
}

/* An end of each span, after its start. */
static void on_span(void *ctx, const sgdpar_span *span)
{
    (void)ctx;
    require(span->start_s <= span->end_s && span->device < in.pipeline.devices);
    require(strcmp(sgdpar_activity_text(span->what), "no such value") != 0);
}

/* At most STAGES stages: a count above the array's size would be the caller's fault. */
static void read_pipeline(fuzz_bytes *b, sgdpar_pipeline *p)
{
    const unsigned code = fuzz_byte(b);
    p->schedule = (sgdpar_pipelining)(code % (SGDPAR_PIPELINING_COUNT + 1));
    p->chunks = p->schedule == SGDPAR_PIPELINING_INTERLEAVED ? code / 8 % 3 : code / 128;
    p->devices = fuzz_byte(b) % (p->chunks > 1 ? STAGES / 2 + 1 : STAGES + 1);
    p->micro_batches = fuzz_count(b, MICRO_BATCHES);
    if (code % 16 < 8) p->micro_batches *= p->devices;
    p->stage = in.stage;
    for (size_t i = 0; i < STAGES; i++) {
        sgdpar_stage *s = &in.stage[i];
        s->forward_s = fuzz_number(b) / 8.0;
        s->backward_s = fuzz_number(b) / 8.0;
        s->weight_s = fuzz_byte(b) / 256.0 * s->backward_s;
        s->send_s = fuzz_number(b) / 64.0;
        s->exchange_s = fuzz_number(b) / 8.0;
        s->update_s = fuzz_number(b) / 64.0;
        s->activations_bytes = fuzz_number(b);
        in.gradient[i] = 4.0 * fuzz_number(b);
        in.output[i] = fuzz_number(b);
    }
    for (size_t i = 0; i < STAGES; i++) in.machine[i] = fuzz_byte(b) % (STAGES + 1);
    in.shared.machine = code % 8 < 6 ? in.machine : NULL;
    in.shared.between = code / 16 % 2;
    in.shared.on_span = on_span;
    in.copies.network = in.replica.network;
    in.copies.copies = fuzz_count(b, 6);
    in.copies.sharding = (sgdpar_sharding)(code / 4 % 3);
    in.copies.gradient_bytes = in.gradient;
    in.copies.output_bytes = code % 2 ? in.output : NULL;
}

/* Few turns: a window at each turn is not far below the streams. */
static void read_streams(fuzz_bytes *b)
{
    sgdpar_connection *c = &in.connection;
    double at_s = 0.0, most = 0.0;
    for (size_t i = 0; i < TENSORS; i++) {
        at_s = (fuzz_byte(b) < 250 ? at_s : 0.0) + fuzz_number(b) / 8.0;
        in.stream[i] = (sgdpar_stream){.bytes = fuzz_number(b), .start_s = at_s};
        most = fmax(most, in.stream[i].bytes);
    }
    c->bandwidth_bytes_per_s = fuzz_number(b);
    c->window_bytes = fuzz_number(b) / 4.0;
    c->every_turn = fuzz_byte(b) % 2 && most < 1e3 * c->window_bytes;
    c->parsing_s_per_byte = fuzz_number(b) / 8.0;
    c->parsing_s = -fuzz_number(b);
}

static void read_all(fuzz_bytes *b)
{
    in.collective = (sgdpar_collective)(fuzz_byte(b) % (SGDPAR_COLLECTIVE_COUNT + 1));
    in.ways = fuzz_byte(b) % (WAYS + 1);
    in.n = fuzz_count(b, 9);
    in.k = fuzz_count(b, 9);
    in.bytes = 16.0 * fuzz_number(b);
    in.bandwidth = fuzz_number(b);
    in.parameters = 16.0 * fuzz_number(b);
    in.largest = fuzz_number(b);
    read_topology(b, &in.replica.network.topology);
    read_replica(b, &in.replica);
    for (size_t i = 0; i < WAYS; i++) read_way(b, &in.way[i]);
    for (size_t i = 0; i < TENSORS; i++) {
        in.tensor[i].bytes = fuzz_count(b, 90) * (uint64_t)(fuzz_byte(b) < 250 ? 1 : UINT32_MAX);
        in.tensor[i].backward_s = fuzz_number(b) / 8.0;
        in.unit[i].bytes = (double)in.tensor[i].bytes;
        in.unit[i].forward_s = fuzz_number(b) / 8.0;
        in.unit[i].backward_s = in.tensor[i].backward_s;
    }
    in.precision.parameter = fuzz_number(b);
    in.precision.gradient = fuzz_number(b);
    in.precision.optimizer = fuzz_number(b);
    read_pipeline(b, &in.pipeline);
    read_streams(b);
}

/* ---- One collective ---------------------------------------------------------------- */

static unsigned time_of(void *work, size_t bytes)
{
    (void)work, (void)bytes;
    return sgdpar_collective_time(in.collective, in.way, &in.replica.network.topology, in.bytes,
                                  &out.time_s);
}

/* Twice the bytes take no less. */
static void check_time(void)
{
    double more_s = -1.0;
    require(fuzz_is_size(out.time_s));
    if (sgdpar_collective_time(in.collective, in.way, &in.replica.network.topology, 2.0 * in.bytes,
                               &more_s) == SGDPAR_OK)
        require(more_s >= out.time_s * (1.0 - 1e-12));
}

static unsigned least(void *work, size_t bytes)
{
    (void)work, (void)bytes;
    return sgdpar_best_protocol(in.collective, &in.replica.network, in.bytes, &out.chosen,
                                &out.time_s);
}

static void check_least(void)
{
    double s = -1.0;
    require(out.chosen < in.ways && in.way[out.chosen].collective == in.collective);
    require(sgdpar_collective_time(in.collective, &in.way[out.chosen], &in.replica.network.topology,
                                   in.bytes, &s) == SGDPAR_OK);
    require(fuzz_same(s, out.time_s) && fuzz_is_size(s));
}

static unsigned links(void *work, size_t bytes)
{
    (void)work, (void)bytes;
    return sgdpar_collective_links(in.collective, &in.replica.network, in.bytes, &out.links);
}

static void check_links(void)
{
    require(fuzz_is_size(out.links.alone_s));
    for (size_t i = 0; i < SGDPAR_LEVEL_COUNT; i++) {
        require(out.links.latency_s[i] >= 0.0 && out.links.busy_s[i] >= 0.0);
        require(out.links.share[i] >= 0.0 && out.links.share[i] <= 1.0);
    }
}

static unsigned exchange(void *work, size_t bytes)
{
    (void)work, (void)bytes;
    return sgdpar_exchange_links(in.replica.sharding, (int)(in.n % 2), &in.replica.network,
                                 in.bytes, &out.links);
}

static sgdpar_machines machines(void)
{
    const sgdpar_topology *on = &in.replica.network.topology;
    return (sgdpar_machines){ in.n, on->machines, on->gpus, in.k, on->gpus, in.bytes,
                              in.bandwidth, on->latency_s, on->flow_cap_bytes_per_s };
}

static unsigned rings(void *work, size_t bytes)
{
    const sgdpar_machines all = machines();
    (void)work, (void)bytes;
    return sgdpar_ring_exchange(in.way[0].form, in.way[0].chunks, &all, &out.exchange);
}

static unsigned pairs(void *work, size_t bytes)
{
    const sgdpar_machines all = machines();
    (void)work, (void)bytes;
    return sgdpar_pairwise_exchange(&all, &out.exchange);
}

static void check_rings(void)
{
    const sgdpar_exchange *e = &out.exchange;
    require(fuzz_is_size(e->local_s) && fuzz_is_size(e->link_s) && fuzz_is_size(e->growth_s));
    require(e->carried_s >= 0.0 && e->carried_s <= e->link_s);
}

static unsigned byteps(void *work, size_t bytes)
{
    (void)work, (void)bytes;
    return sgdpar_byteps(in.n, in.k, in.bytes, in.bandwidth, &out.division);
}

/* All parts that are added up are the whole. */
static void check_byteps(void)
{
    const double n = (double)in.n, k = (double)in.k;
    const sgdpar_division *d = &out.division;
    require(fuzz_is_size(d->time_s) && d->beside >= 0.0 && d->own >= 0.0);
    if (in.n > 1 && in.k <= in.n) require(fabs(k * d->beside + n * d->own - 1.0) < 1e-9);
}

static unsigned buckets(void *work, size_t bytes)
{
    (void)work, (void)bytes;
    return sgdpar_buckets(in.tensor, in.replica.layers.tensors, &in.replica.buckets, out.bucket,
                          out.first, &out.buckets);
}

static void check_buckets(void)
{
    uint64_t all = 0, sum = 0;
    require(out.buckets >= 1 && out.buckets <= in.replica.layers.tensors && out.first[0] == 0);
    for (size_t i = 0; i < in.replica.layers.tensors; i++) all += in.tensor[i].bytes;
    for (size_t i = 0; i < out.buckets; i++) {
        sum += out.bucket[i];
        require(i == 0 || out.first[i] > out.first[i - 1]);
        require(out.first[i] < in.replica.layers.tensors);
    }
    require(sum == all);
}

/* ---- A step ------------------------------------------------------------------------ */

static unsigned step_need(size_t *need) { return sgdpar_replica_time_bytes(&in.replica, need); }

static unsigned step(void *work, size_t bytes)
{
    return sgdpar_replica_time(&in.replica, work, bytes, &out.step);
}

static void check_step(void)
{
    const sgdpar_replica_step *s = &out.step;
    require(fuzz_is_size(s->step_s) && fuzz_is_size(s->compute_s) && fuzz_is_size(s->exchange_s));
    require(s->exposed_s >= -1e-9 * s->step_s && s->exposed_s <= s->step_s);
    require(fabs(s->compute_s + s->exposed_s - s->step_s) <= 1e-9 * s->step_s);
}

static unsigned best(void *work, size_t bytes)
{
    (void)work, (void)bytes;
    return sgdpar_best_bucket(&in.replica, &out.limit, &out.step);
}

static void check_best(void)
{
    require(out.limit > 0);
    check_step();
}

static unsigned line_need(size_t *need) { return sgdpar_pipeline_time_bytes(&in.pipeline, need); }

static unsigned line(void *work, size_t bytes)
{
    return sgdpar_pipeline_time(&in.pipeline, work, bytes, out.device, &out.line);
}

/* A device does its passes, then its update; the bubble is what is left of its time. */
static void check_line(void)
{
    const sgdpar_pipeline_step *s = &out.line;
    double shares = s->bubble_share;
    require(fuzz_is_size(s->step_s) && s->largest_s <= s->passes_s * (1.0 + 1e-12));
    require(s->passes_s <= s->step_s && s->bubble_share >= 0.0 && s->bubble_share <= 1.0);
    for (size_t p = 0; p < in.pipeline.devices; p++) {
        require(out.device[p].passes_s <= s->largest_s && out.device[p].done_s <= s->step_s);
        require(fuzz_is_size(out.device[p].activations_bytes));
        if (s->passes_s > 0.0) shares += out.device[p].passes_s / s->passes_s / in.pipeline.devices;
    }
    /* Subnormal times have no nine digits. */
    require(s->passes_s < 1e-290 || fabs(shares - 1.0) <= 1e-9);
}

static unsigned replay_need(size_t *need)
{
    return sgdpar_pipeline_replay_bytes(&in.pipeline, need);
}

static unsigned replay(void *work, size_t bytes)
{
    return sgdpar_pipeline_replay(&in.pipeline, &in.shared, work, bytes, out.device, &out.line);
}

/* Stages are read and written: what is written counts if it is not refused. */
static unsigned transfers(void *work, size_t bytes)
{
    const uint32_t chunks = in.pipeline.chunks > 1 ? in.pipeline.chunks : 1;
    const size_t stages = (size_t)chunks * in.pipeline.devices;
    const size_t size = (stages < STAGES ? stages : STAGES) * sizeof(sgdpar_stage);
    sgdpar_stage *stage = (sgdpar_stage *)fuzz_area(size, 0);
    (void)work, (void)bytes;
    memcpy(stage, in.stage, size);
    unsigned status = sgdpar_pipeline_transfers(&in.copies, in.pipeline.devices, chunks, stage);
    require(status == SGDPAR_OK || memcmp(stage, in.stage, size) == 0);
    if (status == SGDPAR_OK) memcpy(out.stage, stage, size);
    free(stage);
    return status;
}

static void check_transfers(void)
{
    for (size_t i = 0; i < in.pipeline.devices; i++) {
        require(fuzz_is_size(out.stage[i].send_s) && fuzz_is_size(out.stage[i].exchange_s));
        require(in.copies.copies > 1 || !(out.stage[i].exchange_s > 0.0));
    }
}

static unsigned remedies(void *work, size_t bytes)
{
    return sgdpar_remedies(&in.replica, (int)(in.k % 2), work, bytes, out.gain);
}

static void check_remedies(void)
{
    for (size_t i = 0; i < SGDPAR_REMEDY_COUNT; i++) require(out.gain[i] >= -1.0);
}

static unsigned memory(void *work, size_t bytes)
{
    const sgdpar_model model = { in.precision, in.parameters, in.largest, in.bytes, in.n, in.k,
                                 in.replica.schedule.prefetch, in.replica.sharding };
    (void)work, (void)bytes;
    return sgdpar_memory_of(&model, &out.memory);
}

static unsigned optimizer(void *work, size_t bytes)
{
    const sgdpar_optimizer how = (sgdpar_optimizer)(in.n % (SGDPAR_OPTIMIZER_COUNT + 1));
    sgdpar_precision p = in.precision;
    const sgdpar_status status = sgdpar_set_optimizer(&p, how, &in.unit[0].bytes, in.k % 2);
    (void)work, (void)bytes;
    if (status == SGDPAR_OK) out.precision = p;
    return status;
}

static void check_optimizer(void)
{
    require(out.precision.optimizer >= -1.0 && out.precision.optimizer <= 12.0);
}

static void check_memory(void)
{
    const sgdpar_memory *m = &out.memory;
    const double sum = m->parameters_bytes + m->gradients_bytes + m->optimizer_bytes
        + m->gathered_bytes + m->activations_bytes;
    require(m->parameters_bytes >= 0.0 && m->gradients_bytes >= 0.0 && m->gathered_bytes >= 0.0);
    require(fuzz_is_size(m->total_bytes) && fabs(sum - m->total_bytes) <= 1e-12 * sum);
}

static unsigned ends_need(size_t *bytes)
{
    return sgdpar_stream_ends_bytes(in.n % (TENSORS + 1), bytes);
}

static unsigned ends(void *work, size_t bytes)
{
    return sgdpar_stream_ends(in.stream, in.n % (TENSORS + 1), &in.connection, work, bytes,
                              out.end_s);
}

static void check_ends(void)
{
    for (size_t i = 0; i < in.n % (TENSORS + 1); i++)
        require(out.end_s[i] >= in.stream[i].start_s && fuzz_finite(out.end_s[i]));
}

static fuzz_call calls[] = {
    {"collective_time", NULL, time_of, check_time, 0, 0},
    {"best_protocol", NULL, least, check_least, 0, 0},
    {"collective_links", NULL, links, check_links, 0, 0},
    {"exchange_links", NULL, exchange, check_links, 0, 0},
    {"ring_exchange", NULL, rings, check_rings, 0, 0},
    {"pairwise_exchange", NULL, pairs, check_rings, 0, 0},
    {"byteps", NULL, byteps, check_byteps, 0, 0},
    {"buckets", NULL, buckets, check_buckets, 0, 0},
    {"replica_time", step_need, step, check_step, 0, 0},
    {"best_bucket", NULL, best, check_best, 0, 0},
    {"pipeline_time", line_need, line, check_line, 0, 0},
    {"pipeline_replay", replay_need, replay, check_line, 0, 0},
    {"pipeline_transfers", NULL, transfers, check_transfers, 0, 0},
    {"stream_ends", ends_need, ends, check_ends, 0, 0},
    {"remedies", step_need, remedies, check_remedies, 0, 0},
    {"memory_of", NULL, memory, check_memory, 0, 0},
    {"set_optimizer", NULL, optimizer, check_optimizer, 0, 0},
};
static const fuzz_chapter chapter = FUZZ_CHAPTER(calls, read_all, NULL, in, out);
FUZZ_CALLS("fuzz_collectives", chapter);
