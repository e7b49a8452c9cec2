/* collectives.c - simulate on machines of accelerators: what is asked for */
#include "cmd/simulate/collectives.h"
#include "files/status.h"

enum { COLLECTIVES_MOST = 1000000 };

#define NAME(name, text) text,
static const char *const shardings[SGDPAR_SHARDING_COUNT] = { SGDPAR_SHARDING_TABLE(NAME) };
#undef NAME

int collectives_wanted(const args *a)
{
    static const option_id own[] = { COLLECTIVES_OPTIONS };
    size_t i, given = COUNT_OF(own);
    for (i = COUNT_OF(own); i-- > 0;)
        if (args_given(a, own[i])) given = i;
    if (given == COUNT_OF(own)) return 0;
    if (mode_read(a) != MODE_ALLREDUCE)
        args_fail(own[given], NULL, "needs --mode allreduce");
    return 1;
}

static void refuse_others(const args *a)
{
    static const option_id others[] = {
        OPTION_LINK, OPTION_TCP_TWO_WAY, OPTION_TCP_SPREAD, OPTION_WORKER_BANDWIDTH, OPTION_STAGGER,
        OPTION_SERVICE, OPTION_ORDER, OPTION_ORDER_OUT, OPTION_SEQUENCE, OPTION_WINDOW
    };
    static const option_id late[] = {OPTION_DELAY};
    static const option_id parts[] = {OPTION_UNIT, OPTION_PREFETCH, OPTION_ACCUMULATE};
    args_refuse(a, others, COUNT_OF(others), "not with collectives, see --help");
    args_refuse(a, late, COUNT_OF(late), "not with collectives: --latency is that of a message");
    if (!args_given(a, OPTION_LAYERS)) args_refuse(a, parts, COUNT_OF(parts), "needs --layers");
}

int collectives_shards(const collectives *c)
{
    return c->sharding == SGDPAR_SHARDING_ALL || c->sharding == SGDPAR_SHARDING_HYBRID;
}

static void read_step(collectives *c, const args *a)
{
    const int layers = args_given(a, OPTION_LAYERS);
    static const option_id buckets[] = {OPTION_BUCKET, OPTION_FIRST_BUCKET};
    static const option_id parts[] = {OPTION_UNIT, OPTION_PREFETCH};
    c->sharding = (sgdpar_sharding)args_choice(a, OPTION_SHARDING, shardings, COUNT_OF(shardings),
                                               SGDPAR_SHARDING_NONE);
    if (collectives_shards(c))
        args_refuse(a, buckets, COUNT_OF(buckets), "not with --sharding fsdp or hsdp");
    else
        args_refuse(a, parts, COUNT_OF(parts), "is for --sharding fsdp and hsdp");
    if (!layers && !collectives_shards(c) && c->sharding != SGDPAR_SHARDING_NONE)
        args_fail(OPTION_SHARDING, shardings[c->sharding], "needs --layers");
    c->bucket_bytes = args_quantity(a, OPTION_BUCKET, UNIT_SIZE, NUMBER_POSITIVE,
                                  layers ? SGDPAR_BUCKET_BYTES : 0.0);
    c->first_bucket_bytes = args_number(a, OPTION_FIRST_BUCKET, 0.0);
    if (collectives_shards(c)) c->bucket_bytes = 0.0;
    else if (args_given(a, OPTION_FIRST_BUCKET) && !(c->bucket_bytes > 0.0))
        args_fail(OPTION_FIRST_BUCKET, NULL, "needs --bucket");
    c->streams = (uint32_t)args_integer(a, OPTION_STREAMS, 1, COLLECTIVES_MOST, 1);
    c->prefetch = (uint32_t)args_integer(a, OPTION_PREFETCH, 0, COLLECTIVES_MOST, 1);
    c->accumulate = (uint32_t)args_integer(a, OPTION_ACCUMULATE, 1, COLLECTIVES_MOST, 1);
    if (c->accumulate > 1 && c->sharding == SGDPAR_SHARDING_GRADIENTS)
        args_fail(OPTION_ACCUMULATE, NULL,
                  "not with --sharding zero-2, whose buckets begin anew in "
                  "every micro-batch: predict has it");
}

static void read_tensors(collectives *c, const sgdsim_layer *layer)
{
    const sgdpar_tensor *tensor = layers_tensors(c->file, layer, &c->units, &c->tail_s);
    size_t i;
    if (c->units > (TRACE_MOST_RUN - 4) / 2)
        tool_fail("%s: more than %d tensors", c->file->name, (TRACE_MOST_RUN - 4) / 2);
    c->unit = (sgdsim_layer *)tool_alloc(c->units, sizeof *c->unit);
    for (i = 0; i < c->units; i++) {
        c->unit[i].bytes = (double)tensor[i].bytes;
        c->unit[i].backward_s = tensor[i].backward_s;
    }
}

static void read_layers(collectives *c, const args *a)
{
    const double least =
        args_number(a, OPTION_UNIT, SGDPAR_BUCKET_BYTES);
    sgdsim_layer *layer;
    int column;
    size_t i;
    c->file = layers_read(args_text(a, OPTION_LAYERS, NULL), &layer, &column);
    layers_check_sums(c->file, layer);
    for (i = 0; i < c->file->rows; i++) {
        c->forward_s += layer[i].forward_s;
        c->update_s += layer[i].update_s;
    }
    if (!collectives_shards(c)) {
        read_tensors(c, layer);
        return;
    }
    c->unit = (sgdsim_layer *)tool_alloc(c->file->rows, sizeof *c->unit);
    tool_check_sim(sgdsim_trace_join(layer, c->file->rows, least, c->unit, &c->units),
                   c->file->name);
    for (i = 0; i < c->units; i++) c->unit[i].update_s = 0.0; /* see collectives_trace */
}

collectives *collectives_read(const args *a)
{
    collectives *c = (collectives *)tool_alloc(1, sizeof *c);
    refuse_others(a);
    c->gpus = topology_read(&c->topology, a);
    c->ways = topology_read_ways(a, args_text(a, OPTION_COLLECTIVE, "auto"));
    read_step(c, a);
    if (args_given(a, OPTION_LAYERS)) read_layers(c, a);
    return c;
}

void collectives_check(const collectives *c, uint32_t workers)
{
    if (workers > c->gpus && workers % c->gpus != 0)
        tool_fail("%lu workers do not fill machines of %lu, --gpus", (unsigned long)workers,
                  (unsigned long)c->gpus);
    if (workers > c->gpus && !(c->topology.bandwidth_bytes_per_s > 0.0))
        tool_fail("--bandwidth is missing");
}

void collectives_note(const collectives *c, uint32_t workers, const collectives_report *more)
{
    const sgdpar_topology *on = &c->topology;
    if (workers == 1 || more->count < 2 || on->latency_s > 0.0 || on->local_latency_s > 0.0)
        return;
    if (!topology_ways_cost(&c->ways.list)) topology_note_free();
}
