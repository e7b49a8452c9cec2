/* replica.c - steps of data-parallel training by layers: what is asked for, and predicted */
#include "cmd/predict/replica.h"
#include "files/modes.h"
#include "files/status.h"

#include <string.h>

static const double BYTES_OF_PARAMETER = 4.0;    /* in a table of layers               */
enum { REPLICA_MOST = 1000000 };

#define NAME(name, text) text,
static const char *const shardings[SGDP_SHARDING_COUNT] = { SGDP_SHARDING_TABLE(NAME) };
static const char *const shapes[SGDP_SHAPE_COUNT] = { SGDP_SHAPE_TABLE(NAME) };
#undef NAME

/* ---- Options against each other -------------------------------------------- */

int replica_wanted(const args *a)
{
    static const args_option own[] = { REPLICA_OPTIONS };
    static const char *const others[] = {
        "--model", "--profile", "--forward", "--backward", "--model-size", "--uplink",
        "--downlink", "--servers", "--shares", "--updates", "--overlap", "--overlap-iterate",
        "--threshold", "--step", "--worker-type", "--worker-bandwidth", "--delay",
        "--port-buffer", "--vary-sample", "--switch-anew", "--measured-on", "--jobs",
        "--elasticity", "--inputs", "--bands"
    };
    size_t i;
    if (args_given(a, "--layers") && !args_given(a, "--servers")
        && mode_read(a) == MODE_ALLREDUCE) {
        args_refuse(a, others, COUNT_OF(others), "not with steps by --layers");
        return 1;
    }
    for (i = 0; i < COUNT_OF(own); i++)
        if (args_given(a, own[i].name))
            args_fail(own[i].name, NULL, "needs --mode allreduce and --layers");
    return 0;
}

/* ---- What is asked for ----------------------------------------------------- */

static void read_topology(replica_set *s, const args *a)
{
    sgdp_topology *on = &s->replica.topology;
    s->gpus = (uint32_t)args_integer(a, "--gpus", 1, REPLICA_MOST, 1);
    on->latency_s = args_number(a, "--latency", UNIT_TIME, NUMBER_NON_NEGATIVE, 0.0);
    on->bandwidth_bytes_per_s =
        args_number(a, "--bandwidth", UNIT_BANDWIDTH, NUMBER_POSITIVE, 0.0);
    on->local_latency_s = args_number(a, "--local-latency", UNIT_TIME, NUMBER_NON_NEGATIVE, 0.0);
    on->local_bandwidth_bytes_per_s =
        args_number(a, "--local-bandwidth", UNIT_BANDWIDTH, NUMBER_POSITIVE, 0.0);
    on->flow_cap_bytes_per_s =
        args_number(a, "--flow-cap", UNIT_BANDWIDTH, NUMBER_POSITIVE, 0.0);
    on->channels = (uint32_t)args_integer(a, "--rings", 1, REPLICA_MOST, 1);
    if (s->gpus > 1 && !(on->local_bandwidth_bytes_per_s > 0.0))
        args_fail("--gpus", NULL, "needs --local-bandwidth");
}

/* "halving:split" */
static void read_ways(replica_set *s, const args *a)
{
    const char *file = args_text(a, "--protocols", NULL);
    const char *text = args_text(a, "--collective", "auto");
    char **word = NULL;
    size_t algorithm, form = 0, words;
    s->ways = file ? protocols_read(file) : protocols_plain();
    if (strcmp(text, "auto") == 0) return;
    words = args_split(text, ':', &word);
    algorithm = words_find(protocol_algorithms, SGDP_ALGORITHM_COUNT, word[0]);
    if (words == 2) form = words_find(protocol_forms, SGDP_FORM_COUNT, word[1]);
    if (words > 2 || algorithm >= SGDP_ALGORITHM_COUNT || form >= SGDP_FORM_COUNT)
        args_fail("--collective", text, "is neither auto nor an algorithm and a form, as "
                  "ring:flat or halving:split");
    protocols_keep(&s->ways, (sgdp_algorithm)algorithm, (sgdp_form)form);
    if (s->ways.count == 0) args_fail("--collective", text, "is no way of --protocols");
}

static void read_precision(replica_set *s, const args *a)
{
    static const char *const words[] = { "single", "mixed" };
    if (args_choice(a, "--precision", words, COUNT_OF(words), 0) == 0) return;
    s->precision.parameter = 2.0;
    s->precision.gradient = 2.0;
    s->precision.optimizer = 12.0;
}

/* Layers joined until they have so many bytes; what is left is a unit too. */
static void make_units(replica_set *s, const sgdsim_layer *layer, size_t n, double scale,
                       double least_bytes)
{
    sgdp_unit *unit = (sgdp_unit *)tool_alloc(n, sizeof *unit);
    size_t i, units = 0;
    int open = 0;
    for (i = 0; i < n; i++) {
        sgdp_unit *u = open || units == 0 ? &unit[open ? units : 0] : &unit[units];
        u->bytes += scale * layer[i].bytes;
        u->forward_s += layer[i].forward_s;
        u->backward_s += layer[i].backward_s;
        open = u->bytes < least_bytes || !(u->bytes > 0.0);
        if (u->bytes > s->largest_unit) s->largest_unit = u->bytes;
        if (!open) units++;
    }
    if (open && units > 0 && !(unit[units].bytes > 0.0)) {
        unit[units - 1].forward_s += unit[units].forward_s;
        unit[units - 1].backward_s += unit[units].backward_s;
    } else if (open) {
        units++;
    }
    s->replica.unit = unit;
    s->replica.units = units;
}

/* Gradients of mixed precision have half the bytes. */
static void scale_tensors(const replica_set *s, sgdp_tensor *tensor, size_t n)
{
    size_t i;
    for (i = 0; i < n; i++) {
        if (tensor[i].bytes % 4 != 0)
            tool_fail("%s: column 'tensors': %llu bytes are no parameters of 4 bytes: not with "
                      "--precision mixed", s->file, (unsigned long long)tensor[i].bytes);
        tensor[i].bytes /= 2;
    }
}

static void read_layers(replica_set *s, const args *a)
{
    const double unit_bytes =
        args_number(a, "--unit", UNIT_SIZE, NUMBER_POSITIVE, SGDP_BUCKET_BYTES);
    const double scale = s->precision.gradient > 0.0 ? s->precision.gradient / 4.0 : 1.0;
    sgdsim_layer *layer;
    sgdp_tensor *tensor;
    int column;
    size_t i;
    const csv_table *t = layers_read(args_text(a, "--layers", NULL), &layer, &column);
    s->file = t->name;
    tensor = layers_tensors(t, layer, &s->replica.tensors, &s->replica.tail_s);
    s->replica.tensor = tensor;
    for (i = 0; i < t->rows; i++) {
        s->replica.forward_s += layer[i].forward_s;
        s->replica.update_s += layer[i].update_s;
        s->parameters += layer[i].bytes / BYTES_OF_PARAMETER;
    }
    if (scale < 1.0) scale_tensors(s, tensor, s->replica.tensors);
    make_units(s, layer, t->rows, scale, unit_bytes);
    s->largest_unit /= scale * BYTES_OF_PARAMETER;
    s->replica.update_s = args_number(a, "--update", UNIT_TIME, NUMBER_NON_NEGATIVE,
                                      s->replica.update_s);
}

/* A size of whole bytes. */
static uint64_t read_bytes(const args *a, const char *name)
{
    const double bytes = args_number(a, name, UNIT_SIZE, NUMBER_POSITIVE, 0.0);
    if (!args_given(a, name)) return 0;
    if (bytes < 1.0 || bytes > 9007199254740992.0)
        args_fail(name, args_text(a, name, ""), "is less than a byte, or more than 2^53");
    return (uint64_t)bytes;
}

static void read_step(replica_set *s, const args *a)
{
    sgdp_replica *r = &s->replica;
    double factor = 0.0;
    s->best_bucket = strcmp(args_text(a, "--bucket", ""), "best") == 0;
    r->bucket_bytes = s->best_bucket ? 0 : read_bytes(a, "--bucket");
    r->first_bucket_bytes = read_bytes(a, "--first-bucket");
    r->prefetch = (uint32_t)args_integer(a, "--prefetch", 0, REPLICA_MOST, 1);
    r->accumulate = (uint32_t)args_integer(a, "--accumulate", 1, REPLICA_MOST, 1);
    r->local_steps = (uint32_t)args_integer(a, "--local-steps", 1, REPLICA_MOST, 0);
    r->compute_slowdown =
        args_number(a, "--slow-compute", UNIT_NONE, NUMBER_POSITIVE, 1.0);
    r->exchange_slowdown =
        args_number(a, "--slow-exchange", UNIT_NONE, NUMBER_POSITIVE, 1.0);
    r->overlap_exponent =
        args_number(a, "--overlap-exponent", UNIT_NONE, NUMBER_POSITIVE, 0.0);
    r->vary.cv = args_number(a, "--vary", UNIT_NONE, NUMBER_NON_NEGATIVE, 0.0);
    r->vary.shape = (sgdp_shape)args_choice(a, "--vary-shape", shapes, SGDP_SHAPE_COUNT,
                                            SGDP_SHAPE_NORMAL);
    if (sgdp_slowest(&r->vary, 2, &factor) != SGDP_OK)
        args_fail("--vary", args_text(a, "--vary", NULL), "is too large");
    if (r->vary.cv > 0.0 && r->local_steps > 0) args_fail("--vary", NULL, "not with --local-steps");
    if (r->compute_slowdown < 1.0)
        args_fail("--slow-compute", args_text(a, "--slow-compute", ""), "is below 1");
    if (r->exchange_slowdown < 1.0)
        args_fail("--slow-exchange", args_text(a, "--slow-exchange", ""), "is below 1");
    if (r->overlap_exponent > 0.0 && r->overlap_exponent < 1.0)
        args_fail("--overlap-exponent", args_text(a, "--overlap-exponent", ""), "is below 1");
}

/* Workers of each point: one machine that is not full, or machines that all are. */
static void read_points(replica_set *s, const args *a)
{
    uint32_t *workers = NULL;
    char **word = NULL;
    const size_t count = args_workers(a, "--workers", &workers);
    const size_t words = args_words(a, "--sharding", &word);
    size_t i, k;
    if (count == 0) tool_fail("--workers is missing");
    s->shardings = words > 0 ? words : 1;
    s->points = count * s->shardings;
    s->point = (replica_point *)tool_alloc(s->points, sizeof *s->point);
    for (i = 0; i < count; i++) {
        if (workers[i] > s->gpus && workers[i] % s->gpus != 0)
            args_fail("--workers", NULL, "%lu of them do not fill machines of %lu",
                      (unsigned long)workers[i], (unsigned long)s->gpus);
        for (k = 0; k < s->shardings; k++) {
            const size_t of = words > 0
                ? words_find(shardings, SGDP_SHARDING_COUNT, word[k]) : SGDP_SHARDING_NONE;
            if (of >= SGDP_SHARDING_COUNT)
                args_fail("--sharding", word[k], "is none of ddp, zero-1, zero-2, fsdp, hsdp");
            s->point[i * s->shardings + k].workers = workers[i];
            s->point[i * s->shardings + k].sharding = (sgdp_sharding)of;
        }
    }
}

/* ---- Prediction ------------------------------------------------------------ */

static sgdp_replica replica_of(const replica_set *s, const replica_point *p)
{
    sgdp_replica r = s->replica;
    r.sharding = p->sharding;
    r.topology.gpus = p->workers < s->gpus ? p->workers : s->gpus;
    r.topology.machines = p->workers / r.topology.gpus;
    return r;
}

static int shards_parameters(sgdp_sharding sharding)
{
    return sharding == SGDP_SHARDING_ALL || sharding == SGDP_SHARDING_HYBRID;
}

/* Options that only some shardings know. */
static void check_point(const replica_set *s, const replica_point *p, const args *a)
{
    static const char *const buckets[] = {
        "--slow-compute", "--slow-exchange", "--overlap-exponent"
    };
    const sgdp_replica *r = &s->replica;
    const char *word = shardings[p->sharding];
    size_t i;
    for (i = 0; shards_parameters(p->sharding) && i < COUNT_OF(buckets); i++)
        if (args_given(a, buckets[i])) args_fail(buckets[i], NULL, "not with --sharding %s", word);
    if (r->local_steps > 0 && p->sharding != SGDP_SHARDING_NONE)
        args_fail("--local-steps", NULL, "not with --sharding %s", word);
    if (r->overlap_exponent > 0.0 && (args_given(a, "--slow-compute")
                                      || args_given(a, "--slow-exchange")
                                      || r->local_steps > 0))
        args_fail("--overlap-exponent", NULL, "not with slowdowns or --local-steps");
    if (s->best_bucket && (r->local_steps > 0 || r->overlap_exponent > 0.0))
        args_fail("--bucket", "best", "not with --local-steps or --overlap-exponent");
    if (p->workers > s->gpus && !(r->topology.bandwidth_bytes_per_s > 0.0))
        tool_fail("--bandwidth is missing");
}

static void predict_step(replica_set *s, replica_point *p, const args *a)
{
    sgdp_replica r = replica_of(s, p);
    size_t bytes = 0;
    int buckets = !shards_parameters(p->sharding) && r.local_steps == 0 && p->workers > 1;
    check_point(s, p, a);
    if (s->best_bucket && buckets) {
        uint64_t best = 0;
        if (sgdp_best_bucket(&r, &best, &p->step) != SGDP_OK)
            args_fail("--bucket", "best", "needs --latency, of a message, and a way to do the "
                      "collective: without it the smallest always win");
        p->bucket_bytes = (double)best;
        return;
    }
    tool_check(sgdp_replica_time_bytes(&r, &bytes), s->file);
    if (sgdp_replica_time(&r, tool_alloc(bytes, 1), bytes, &p->step) != SGDP_OK)
        tool_fail("%lu workers, %s: none of the ways of --collective and --protocols does what "
                  "it needs on these machines", (unsigned long)p->workers, shardings[p->sharding]);
    if (buckets)
        p->bucket_bytes = r.bucket_bytes > 0 ? (double)r.bucket_bytes : SGDP_BUCKET_BYTES;
}

static void predict_point(replica_set *s, replica_point *p, const args *a)
{
    const double passes = s->replica.accumulate > 1 ? s->replica.accumulate : 1.0;
    const sgdp_replica r = replica_of(s, p);
    sgdp_replica alone = s->replica;
    sgdp_replica_step one;
    predict_step(s, p, a);
    alone.sharding = SGDP_SHARDING_NONE;
    alone.topology.machines = alone.topology.gpus = 1;
    alone.overlap_exponent = 0.0;
    alone.local_steps = 0;
    tool_check(sgdp_replica_time(&alone, NULL, 0, &one), s->file);
    if (!(p->step.step_s > 0.0)) tool_fail("%s: its layers take no time", s->file);
    p->batches_per_s = p->workers * passes / p->step.step_s;
    p->efficiency = one.step_s / p->step.step_s;
    tool_check(sgdp_memory_of(p->sharding, &s->precision, s->parameters, s->largest_unit,
                              s->replica.prefetch, p->workers, r.topology.gpus,
                              s->activations_bytes, &p->memory), s->file);
    p->fits = p->memory.total_bytes <= s->memory_bytes;
}

/* Without any, many small messages are as good as few. */
static void note_latency(const replica_set *s)
{
    const sgdp_topology *on = &s->replica.topology;
    size_t i;
    if (on->latency_s > 0.0 || on->local_latency_s > 0.0) return;
    for (i = 0; i < s->ways.count; i++) {
        const sgdp_protocol *p = &s->ways.protocol[i];
        if (p->base_s > 0.0 || p->latency_s > 0.0 || p->local_latency_s > 0.0) return;
    }
    for (i = 0; i < s->points && s->point[i].workers == 1; i++) { }
    if (i < s->points)
        tool_note("no --latency was given, and --protocols tells none: messages cost nothing but "
                  "their bytes, so small ones look too good");
}

int replica_predict(const args *a)
{
    replica_set s;
    output out = {0};
    size_t i;
    memset(&s, 0, sizeof s);
    read_topology(&s, a);
    read_ways(&s, a);
    read_precision(&s, a);
    read_step(&s, a);
    read_layers(&s, a);
    s.activations_bytes = args_number(a, "--activations", UNIT_SIZE, NUMBER_NON_NEGATIVE, 0.0);
    s.memory_bytes = args_number(a, "--memory", UNIT_SIZE, NUMBER_POSITIVE, 0.0);
    s.batch = args_number(a, "--batch", UNIT_NONE, NUMBER_POSITIVE, 0.0);
    s.replica.protocol = s.ways.protocol;
    s.replica.protocols = s.ways.count;
    read_points(&s, a);
    note_latency(&s);
    for (i = 0; i < s.points; i++) predict_point(&s, &s.point[i], a);
    replica_print(&out, &s, args_format(a));
    return output_flush(&out, EXIT_DONE);
}
