/* fuzz_traces.c - any layers, records, exchanges and samples become traces and estimates or are
 * refused; what is made is a trace that a run takes, and holds what it was made of */
#define FUZZ_RUNS 2500
#include "../sgdperf_sim.h"

#include "fuzz_call.h"
#include "ring.h"

enum { LAYERS = 3, COPIES = 3, SERVERS = 2, OPS = 60, WAITS = 160, SAMPLES = 12 };

static struct {
    sgdsim_layer layer[LAYERS];
    size_t       layers, copies, samples, records;
    int          whole;
    double       share[SERVERS], value, other, x[SAMPLES], y[SAMPLES];
    uint32_t     servers, prefetch;
    sgdsim_record record[LAYERS * 2];
    uint32_t     waits_for[LAYERS * 2][1];
    sgdsim_exchange exchange[LAYERS];
    sgdsim_shape shape;
    uint64_t     seed;
    sgdsim_order rule;
    sgdsim_config config;
    uint32_t     workers[1];
    uint64_t     runs;
    sgdsim_op    op[5 * LAYERS];       /* a step of these layers                          */
    uint32_t     op_waits[5 * LAYERS];
    sgdsim_step  step;
    sgdsim_trace trace;
} in;

static struct {
    sgdsim_op    op[OPS];
    uint32_t     waits[WAITS], from[LAYERS * 2], order[5 * LAYERS];
    uint32_t     places[10 * LAYERS];
    uint32_t     of[3 * LAYERS + 1];
    size_t       first[5 * LAYERS + 1], closing[LAYERS], ops;
    sgdsim_layer unit[LAYERS];
    sgdsim_means means;
    double       x[SAMPLES], value;
    sgdsim_estimate estimate;
    sgdsim_rates rates;
    sgdsim_replications runs;
} out;

/* ---- Inputs ------------------------------------------------------------------------ */

static void read_steps(fuzz_bytes *b)
{
    double at_s = 0.0;
    for (size_t i = 0; i < LAYERS; i++) {
        in.layer[i].bytes = fuzz_number(b);
        in.layer[i].forward_s = fuzz_number(b);
        in.layer[i].backward_s = fuzz_number(b);
        in.layer[i].update_s = fuzz_number(b);
        in.exchange[i].start_s = fuzz_number(b);
        in.exchange[i].end_s = in.exchange[i].start_s + fuzz_number(b);
        in.exchange[i].bytes = fuzz_number(b);
        in.exchange[i].stalled_from_s = fuzz_byte(b) % 4 ? in.exchange[i].end_s : fuzz_number(b);
    }
    for (size_t i = 0; i < LAYERS * 2; i++) {
        const unsigned code = fuzz_byte(b);
        sgdsim_record *r = &in.record[i];
        r->resource = (sgdsim_resource)(code < 250 ? code % 4 : code % 8);
        r->server = code < 240 ? 0 : fuzz_count(b, 3);
        r->start_s = at_s += fuzz_number(b) / 4.0;
        r->end_s = at_s + fuzz_number(b);
        r->bytes = fuzz_number(b);
        r->waits_for = in.waits_for[i];
        r->waits = i > 0 && code / 4 % 2;
        in.waits_for[i][0] = code < 230 && i > 0 ? code % (unsigned)i : code % 8;
    }
}

static void read_config(fuzz_bytes *b)
{
    sgdsim_config *c = &in.config;
    const unsigned code = fuzz_byte(b);
    in.step.op = in.op;
    in.trace.step = &in.step;
    in.trace.steps = 1;
    in.workers[0] = 1 + code % 3;
    c->workers.types = 1;
    c->workers.trace = &in.trace;
    c->workers.count = in.workers;
    c->mode = (sgdsim_mode)(code / 4 % 2);
    c->links.rule = (sgdsim_link)(code / 8 % 4);
    c->links.exchange_s = ring_s;
    c->links.bandwidth_bytes_per_s = fuzz_number(b) + 0.25;
    c->length.steps = 1 + fuzz_byte(b) % 3;
    c->length.warmup = fuzz_byte(b) % 16 / 12;
    c->variation.seed = fuzz_byte(b);
    c->variation.service = (sgdsim_service)(code / 32 % 2);
    c->max_events = 2000;
    in.runs = code < 250 ? 1 + code % 3 : 0;
}

/* Where the layers are none, the step has no ops. */
static void read_all(fuzz_bytes *b)
{
    const unsigned code = fuzz_byte(b);
    in.layers = fuzz_byte(b) < 250 ? 1 + code % LAYERS : 0;
    in.copies = 1 + code / 4 % COPIES;
    in.samples = fuzz_byte(b) % (SAMPLES + 1);
    in.records = fuzz_byte(b) % (2 * LAYERS + 1);
    in.whole = code / 16 % 2;
    in.servers = fuzz_byte(b) < 250 ? 1 + code / 32 % SERVERS : 0;
    in.prefetch = fuzz_count(b, 4);
    in.value = fuzz_number(b);
    in.other = fuzz_number(b);
    in.share[0] = fuzz_byte(b) < 230 ? 0.5 : fuzz_number(b);
    in.share[1] = 0.5;
    in.shape = (sgdsim_shape)(code / 64 % 3);
    in.seed = fuzz_byte(b);
    in.rule = (sgdsim_order)(fuzz_byte(b) % (SGDSIM_ORDER_COUNT + 1));
    for (size_t i = 0; i < SAMPLES; i++) {
        in.x[i] = fuzz_number(b);
        in.y[i] = fuzz_number(b);
    }
    read_steps(b);
    read_config(b);
    if (sgdsim_trace_layers(in.layer, in.layers, in.whole, in.op, in.op_waits) == SGDSIM_OK)
        in.step.ops = 5 * in.layers;
}

/* ---- Traces ------------------------------------------------------------------------ */

/* A step that a run takes. */
static void require_step(const sgdsim_op *op, size_t ops, uint32_t servers)
{
    size_t need = 0;
    sgdsim_step step = {.op = op, .ops = ops};
    sgdsim_trace trace = {.step = &step, .steps = 1};
    require(sgdsim_trace_check_bytes(&trace, &need) == SGDSIM_OK);
    void *work = fuzz_area(need, 0xff);
    require(sgdsim_trace_check(&trace, servers, work, need, NULL) == SGDSIM_OK);
    free(work);
}

static unsigned layers(void *work, size_t bytes)
{
    (void)work, (void)bytes;
    return sgdsim_trace_layers(in.layer, in.layers, in.whole, out.op, out.waits);
}

static void check_layers(void) { require_step(out.op, 5 * in.layers, 1); }

/* From what sgdsim_trace_layers writes. */
static unsigned buckets(void *work, size_t bytes)
{
    sgdsim_op op[5 * LAYERS];
    uint32_t waits[5 * LAYERS];
    size_t closing[LAYERS], n = 0;
    const unsigned status = sgdsim_trace_layers(in.layer, in.layers, 0, op, waits);
    (void)work, (void)bytes;
    if (status != SGDSIM_OK) return status;
    memcpy(out.op, op, in.layers * 5 * sizeof op[0]);
    if (sgdsim_trace_buckets(in.layer, in.layers, in.value, &(sgdsim_draft){op, waits, NULL},
                             closing, &n) != SGDSIM_OK) {
        memset(out.op, FUZZ_BLANK, sizeof out.op);
        return SGDSIM_BAD_ARGUMENT;
    }
    return sgdsim_trace_buckets(in.layer, in.layers, in.value,
                                &(sgdsim_draft){out.op, out.waits, NULL}, out.closing, &out.ops);
}

static void check_buckets(void)
{
    require(out.ops >= 1 && out.ops <= in.layers && out.closing[out.ops - 1] == 0);
}

static unsigned split(void *work, size_t bytes)
{
    (void)work, (void)bytes;
    return sgdsim_trace_split(&(sgdsim_step){in.op, in.step.ops}, in.share, in.servers, out.op,
                              out.waits, out.first);
}

static void check_split(void) { require_step(out.op, out.first[in.step.ops], in.servers); }

static unsigned chain(void *work, size_t bytes)
{
    (void)work, (void)bytes;
    return sgdsim_trace_chain(&(sgdsim_step){in.op, in.step.ops}, in.copies, out.op, out.waits);
}

static void check_chain(void) { require_step(out.op, in.step.ops * in.copies, 1); }

static unsigned variation(void *work, size_t bytes)
{
    (void)work, (void)bytes;
    if (!(in.value >= 0.0 && in.value <= 1.0)) return SGDSIM_BAD_ARGUMENT;
    out.value = sgdsim_trace_variation(in.shape, in.value, in.seed, in.runs);
    return FUZZ_OK;
}

static void check_value(void) { require(fuzz_is_size(out.value)); }

static unsigned means(void *work, size_t bytes)
{
    (void)work, (void)bytes;
    if (in.step.ops == 0) return SGDSIM_BAD_ARGUMENT;
    return sgdsim_trace_means(&in.trace, &out.means);
}

static void check_means(void)
{
    require(fuzz_is_size(out.means.forward_s) && fuzz_is_size(out.means.backward_s));
    require(fuzz_is_size(out.means.update_s) && fuzz_is_size(out.means.uplink_bytes));
    require(fuzz_is_size(out.means.downlink_bytes));
}

static unsigned recorded_need(size_t *need)
{
    return sgdsim_trace_recorded_bytes(&(sgdsim_records){in.record, in.records, in.servers}, need);
}

static unsigned recorded(void *work, size_t bytes)
{
    return sgdsim_trace_recorded(&(sgdsim_records){in.record, in.records, in.servers}, work, bytes,
                                 &(sgdsim_draft){out.op, out.waits, out.from}, NULL);
}

static void check_recorded(void)
{
    for (size_t i = 0; i < in.records; i++) require(out.from[i] < in.records);
    require_step(out.op, in.records, in.servers);
}

static unsigned exchanges_need(size_t *need)
{
    return sgdsim_trace_exchanges_bytes(in.layers, need);
}

static unsigned exchanges(void *work, size_t bytes)
{
    return sgdsim_trace_exchanges(&(sgdsim_exchanges){in.exchange, in.layers, in.value,
                                                      in.value + in.other}, work, bytes,
                                                          &(sgdsim_draft){out.op, out.waits,
                                                                          out.of}, &out.ops);
}

static void check_exchanges(void)
{
    require(out.ops <= 3 * in.layers + 1);
    if (out.ops > 0) require_step(out.op, out.ops, 1);
}

static unsigned tensors(void *work, size_t bytes)
{
    (void)work, (void)bytes;
    return sgdsim_trace_tensors(&(sgdsim_tensors){in.layer, in.layers, in.value, in.other, in.x[0],
                                                  in.whole}, &(sgdsim_draft){out.op, out.waits,
                                                                             NULL}, &out.ops);
}

static void check_ops(void) { require_step(out.op, out.ops, 1); }

static unsigned join(void *work, size_t bytes)
{
    (void)work, (void)bytes;
    return sgdsim_trace_join(in.layer, in.layers, in.value, out.unit, &out.ops);
}

static void check_join(void)
{
    double all = 0.0, sum = 0.0;
    for (size_t i = 0; i < in.layers; i++) all += in.layer[i].bytes;
    require(out.ops >= 1 && out.ops <= in.layers);
    for (size_t i = 0; i < out.ops; i++) sum += out.unit[i].bytes;
    require(fabs(sum - all) <= 1e-12 * all);
}

static unsigned units(void *work, size_t bytes)
{
    (void)work, (void)bytes;
    return sgdsim_trace_units(in.layer, in.layers, in.prefetch, in.value, out.op, out.waits);
}

static void check_units(void) { require_step(out.op, 5 * in.layers + 1, 1); }

static unsigned accumulate(void *work, size_t bytes)
{
    const size_t pass = in.step.ops > 0 ? 1 + (size_t)(in.seed % in.step.ops) : 0;
    (void)work, (void)bytes;
    return sgdsim_trace_accumulate(&in.step, pass, (uint32_t)(in.copies % 3), in.whole,
                                   &(sgdsim_draft){out.op, out.waits, NULL}, &out.ops);
}

static void check_accumulate(void)
{
    require(out.ops >= in.step.ops && out.ops <= 2 * in.step.ops + 1);
    require_step(out.op, out.ops, 1);
}

static unsigned expose(void *work, size_t bytes)
{
    (void)work, (void)bytes;
    return sgdsim_trace_expose(&in.step, in.value, &(sgdsim_draft){out.op, out.waits, out.places});
}

static void check_expose(void)
{
    int seen[5 * LAYERS] = {0};
    for (size_t i = 0; i < in.step.ops; i++) require(!seen[out.places[i]]++);
    require_step(out.op, in.step.ops, 1);
}

static unsigned machine(void *work, size_t bytes)
{
    (void)work, (void)bytes;
    return sgdsim_trace_machine(&in.step, (uint32_t)in.copies, in.value,
                                &(sgdsim_draft){out.op, out.waits, out.places}, &out.ops);
}

static void check_machine(void)
{
    require(out.ops >= in.step.ops && out.ops <= 2 * in.step.ops);
    for (size_t i = 0; i < out.ops; i++)
        require(out.places[i] < in.step.ops && (i >= in.step.ops || out.places[i] == i));
    require_step(out.op, out.ops, 1);
}

/* ---- Estimates --------------------------------------------------------------------- */

static unsigned estimate(void *work, size_t bytes)
{
    (void)work, (void)bytes;
    return sgdsim_estimate_mean(in.x, in.samples, &out.estimate);
}

static void check_estimate(void)
{
    require(fuzz_finite(out.estimate.mean) && fuzz_is_size(out.estimate.deviation));
    require(out.estimate.ci95_half_width >= 0.0);
}

static unsigned rates(void *work, size_t bytes)
{
    double x[SAMPLES];
    (void)work, (void)bytes;
    memcpy(x, in.x, sizeof x);
    unsigned status = sgdsim_find_rates(x, in.samples, &out.rates);
    if (status == SGDSIM_OK) memcpy(out.x, x, sizeof x);
    return status;
}

static void check_rates(void)
{
    require(out.rates.rates == 1 || out.rates.rates == 2);
    require(out.rates.runs[0] + (out.rates.rates == 2 ? out.rates.runs[1] : 0) == in.samples);
    for (size_t i = 1; i < in.samples; i++) require(out.x[i - 1] <= out.x[i]);
}

/* ---- Runs -------------------------------------------------------------------------- */

static void prepare(void)
{
    memset(&out.runs, 0, sizeof out.runs);
}

static unsigned replicate_need(size_t *need)
{
    return in.step.ops == 0 ? SGDSIM_BAD_TRACE : sgdsim_run_bytes(&in.config, need);
}

static unsigned replicate(void *work, size_t bytes)
{
    if (in.step.ops == 0) return SGDSIM_BAD_TRACE;
    return sgdsim_replicate(&in.config, in.runs, work, bytes, &out.runs);
}

static void check_runs(void)
{
    require(out.runs.runs == in.runs && out.runs.batches_per_s.mean > 0.0);
    require(out.runs.batches_per_s.deviation >= 0.0 && out.runs.events > 0);
}

static unsigned transfers_need(size_t *need)
{
    return sgdsim_order_transfers_bytes(&in.step, in.rule, need);
}

static unsigned transfers(void *work, size_t bytes)
{
    return sgdsim_order_transfers(&in.step, &(sgdsim_ordering){in.rule, in.seed, in.value}, work,
                                  bytes, out.order, &out.ops);
}

static void check_order(void)
{
    require(out.ops <= in.step.ops);
    for (size_t i = 0; i < out.ops; i++) {
        require(out.order[i] < in.step.ops && in.op[out.order[i]].resource == SGDSIM_DOWNLINK);
        for (size_t k = 0; k < i; k++) require(out.order[k] != out.order[i]);
    }
}

static unsigned search_need(size_t *need)
{
    return in.step.ops == 0 ? SGDSIM_BAD_TRACE : sgdsim_order_search_bytes(&in.config, need);
}

static unsigned search(void *work, size_t bytes)
{
    if (in.step.ops == 0) return SGDSIM_BAD_TRACE;
    return sgdsim_order_search(&in.config, in.runs, work, bytes, out.order, &out.ops);
}

static fuzz_call calls[] = {
    {"trace_layers", NULL, layers, check_layers, 0, 0},
    {"trace_buckets", NULL, buckets, check_buckets, 0, 0},
    {"trace_split", NULL, split, check_split, 0, 0},
    {"trace_chain", NULL, chain, check_chain, 0, 0},
    {"trace_variation", NULL, variation, check_value, 0, 0},
    {"trace_means", NULL, means, check_means, 0, 0},
    {"trace_recorded", recorded_need, recorded, check_recorded, 0, 0},
    {"trace_exchanges", exchanges_need, exchanges, check_exchanges, 0, 0},
    {"trace_tensors", NULL, tensors, check_ops, 0, 0},
    {"trace_join", NULL, join, check_join, 0, 0},
    {"trace_units", NULL, units, check_units, 0, 0},
    {"trace_accumulate", NULL, accumulate, check_accumulate, 0, 0},
    {"trace_expose", NULL, expose, check_expose, 0, 0},
    {"trace_machine", NULL, machine, check_machine, 0, 0},
    {"estimate_mean", NULL, estimate, check_estimate, 0, 0},
    {"find_rates", NULL, rates, check_rates, 0, 0},
    {"replicate", replicate_need, replicate, check_runs, 0, 0},
    {"order_transfers", transfers_need, transfers, check_order, 0, 0},
    {"order_search", search_need, search, check_order, 0, 0},
};
static const fuzz_chapter chapter = FUZZ_CHAPTER(calls, read_all, prepare, in, out);
FUZZ_CALLS("fuzz_traces", chapter);
