/* replica.c - steps of data-parallel training by layers: what is asked for, and the answers */
#include "model/replica.h"

#include "base/words.h"
#include "files/status.h"
#include "files/trace.h"
#include "jobs/parallel.h"
#include "model/job.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- What is asked for: points ------------------------------------------------ */

int replica_wanted(const args *a)
{
    return args_given(a, OPTION_LAYERS) && mode_read(a) == MODE_ALLREDUCE;
}

enum { REPLICA_MOST = 1000000 };

const replica_scale replica_as_is = { 1.0, 1.0 };

/* A size of whole bytes, of an option. */
static double replica_bytes(option_id name, const char *text)
{
    double bytes = 0.0;
    const char *wrong = number_quantity(text, UNIT_SIZE, NUMBER_POSITIVE, &bytes);
    if (wrong) args_fail(name, text, "%s", wrong);
    if (bytes < 1.0 || bytes > 9007199254740992.0)
        args_fail(name, text, "is not between 1 byte and 2^53 bytes");
    args_note_unit(name, text, UNIT_SIZE, bytes);
    return bytes;
}

static size_t words_of(const args *a, option_id id, const char *usual, char ***word)
{
    return args_given(a, id) ? args_words(a, id, word) : args_split(usual, ',', word);
}

/* What was asked for that this sharding does not know; OPTION_COUNT: nothing. */
static option_id unknown_to(const replica_set *s, sgdpar_sharding sharding)
{
    const int parted = sharding == SGDPAR_SHARDING_ALL || sharding == SGDPAR_SHARDING_HYBRID;
    const sgdpar_replica *r = &s->replica;
    for (size_t i = 0; i < s->collectives; i++)
        if (s->ways[i].list.protocol[0].algorithm == SGDPAR_ALGORITHM_BYTEPS && !s->ways[i].file &&
            sharding != SGDPAR_SHARDING_NONE) return OPTION_COLLECTIVE;
    if (r->schedule.local_steps > 0 && sharding != SGDPAR_SHARDING_NONE) return OPTION_LOCAL_STEPS;
    return parted && r->overlap.exponent > 0.0 ? OPTION_OVERLAP_EXPONENT : OPTION_COUNT;
}

static void read_shardings(replica_set *s, const args *a, const char *usual)
{
    char **word = NULL, text[64];
    const char *left[SGDPAR_SHARDING_COUNT]; /* of the usual ones, which are told apart */
    const size_t words = words_of(a, OPTION_SHARDING, usual, &word);
    option_id lacks = OPTION_COUNT;
    size_t n = 0;
    for (size_t i = 0; i < words; i++) {
        const size_t of = words_find(topology_shardings, SGDPAR_SHARDING_COUNT, word[i]);
        if (of >= SGDPAR_SHARDING_COUNT)
            args_fail(OPTION_SHARDING, word[i], "is not one of ddp, zero-1, zero-2, fsdp, hsdp");
        option_id unknown = unknown_to(s, (sgdpar_sharding)of);
        if (unknown != OPTION_COUNT && args_given(a, OPTION_SHARDING))
            args_fail(unknown, unknown == OPTION_COLLECTIVE ? "byteps" : NULL,
                      "cannot be combined with --sharding %s", word[i]);
        if (unknown != OPTION_COUNT) {
            left[n++] = word[i];
            lacks = unknown;
        }
        for (size_t k = 0; k < s->shardings; k++)
            if (s->sharding[k] == (sgdpar_sharding)of)
                args_fail(OPTION_SHARDING, word[i], "occurs twice");
        if (unknown == OPTION_COUNT) s->sharding[s->shardings++] = (sgdpar_sharding)of;
    }
    if (n > 0)
        tool_note("way-left-out", "%s %s no model with %s%s",
                  words_join(left, n, text, sizeof text),
                  n == 1 ? "is left out: it has" : "are left out: they have",
                  option_name(lacks), lacks == OPTION_COLLECTIVE ? " byteps" : "");
}

static void read_accumulate(replica_set *s, const args *a, const char *usual)
{
    char **word = NULL;
    s->accumulates = words_of(a, OPTION_ACCUMULATE, usual, &word);
    s->accumulate = (uint32_t *)tool_alloc(s->accumulates, sizeof *s->accumulate);
    for (size_t i = 0; i < s->accumulates; i++) {
        uint64_t passes = 0;
        const char *wrong = number_whole(word[i], 1, REPLICA_MOST, &passes);
        if (wrong) args_fail(OPTION_ACCUMULATE, word[i], "%s", wrong);
        s->accumulate[i] = (uint32_t)passes;
        if (i > 0 && s->accumulate[i] <= s->accumulate[i - 1])
            args_fail(OPTION_ACCUMULATE, word[i], "is not above the number before: sort the "
                                                  "numbers");
    }
}

static void read_buckets(replica_set *s, const args *a, const char *usual)
{
    char **word = NULL;
    s->buckets = words_of(a, OPTION_BUCKET, usual, &word);
    s->bucket = (double *)tool_alloc(s->buckets, sizeof *s->bucket);
    for (size_t i = 0; i < s->buckets; i++) {
        const int best = strcmp(word[i], "auto") == 0;
        s->bucket[i] = best ? 0.0 : replica_bytes(OPTION_BUCKET, word[i]);
        if (best && args_given(a, OPTION_BUCKET)
            && (s->replica.schedule.local_steps > 0 || s->replica.overlap.exponent > 0.0))
            args_fail(OPTION_BUCKET, "auto", "cannot be combined with --local-steps or %s",
                      NAME_OF(OVERLAP_EXPONENT));
    }
}

static void read_workers(replica_set *s, const args *a, const char *usual, const csv_table *file)
{
    uint32_t *workers = NULL;
    size_t count = args_workers(a, OPTION_WORKERS, &workers), i;
    if (count == 0 && !usual) tool_fail("%s is missing", NAME_OF(WORKERS));
    if (count == 0) {
        workers = (uint32_t *)tool_alloc(64, sizeof *workers);
        for (i = 1; i <= 64; i++)
            if (topology_fills(s->gpus, (uint32_t)i)) workers[count++] = (uint32_t)i;
    }
    s->workers = workers;
    count = topology_keep_inside(file, topology_machine(file, a), OPTION_WORKERS, workers, count);
    s->groups = topology_keep_full(OPTION_WORKERS, workers, count, s->gpus);
    for (i = 0; i < s->groups; i++)
        if (s->workers[i] > s->gpus && !(s->replica.network.topology.bandwidth_bytes_per_s > 0.0))
            tool_fail("%s or %s is missing", NAME_OF(BANDWIDTH), NAME_OF(NETWORK));
}

/* Reads --backup: how many late gradients a step drops. A step with shards drops none. */
static void read_backup(replica_set *s, const args *a)
{
    s->backup = (uint32_t)args_integer(a, OPTION_BACKUP, 0, UINT32_MAX, 0);
    if (s->backup == 0) return;
    if (s->shardings > 1 || s->sharding[0] != SGDPAR_SHARDING_NONE)
        args_fail(OPTION_BACKUP, NULL, "needs --sharding ddp: with shards each step waits for "
                                       "all workers");
    if (s->gpus > 1)
        args_fail(OPTION_BACKUP, NULL, "cannot be combined with %s above 1", NAME_OF(GPUS));
    if (s->replica.schedule.local_steps > 0)
        args_fail(OPTION_BACKUP, NULL, "cannot be combined with --local-steps");
    for (size_t i = 0; i < s->groups; i++)
        job_check_backup(a, s->backup, s->workers[i]);
    if (!(s->vary.cv > 0.0)) job_note_backup();
}

/* What differs from another point in name alone is left out, unless it was asked for. */
static int is_needless(const replica_set *s, const args *a, size_t group, sgdpar_sharding sharding)
{
    const uint32_t workers = s->workers[group];
    if (args_given(a, OPTION_SHARDING) || sharding == s->sharding[0]) return 0;
    return workers == 1 ||
           (sharding == SGDPAR_SHARDING_HYBRID && (s->gpus == 1 || workers <= s->gpus));
}

static int exchange_has_latency(const replica_set *s, uint32_t workers, size_t ways)
{
    const sgdpar_topology *on = &s->replica.network.topology;
    if (on->latency_s > 0.0 && workers > s->gpus) return 1;
    if (on->local_latency_s > 0.0 && s->gpus > 1) return 1;
    return topology_ways_cost(&s->ways[ways].list);
}

static void add_point(replica_set *s, const args *a, const replica_point *of)
{
    if (replica_has_buckets(s, of) && !(of->asked_bytes > 0.0)) {
        if (s->replica.overlap.exponent > 0.0) return;
        if (!exchange_has_latency(s, of->workers, of->ways)) {
            if (!args_given(a, OPTION_BUCKET)) return;
            args_fail(OPTION_BUCKET, "auto", "needs %s: without a latency of messages the smallest "
                                             "buckets always look best",
                      option_name(of->workers > s->gpus ? OPTION_LATENCY : OPTION_LOCAL_LATENCY));
        }
    }
    s->point[s->points++] = *of;
}

/* Of each number of workers every combination that differs. */
static void make_points(replica_set *s, const args *a)
{
    const size_t most = s->shardings * s->accumulates * s->buckets * s->collectives;
    replica_point p = {.scale = replica_as_is};
    s->point = (replica_point *)tool_alloc(s->groups, most * sizeof *s->point);
    for (size_t g = 0; g < s->groups; g++) {
        p.group = g;
        p.workers = s->workers[g];
        for (size_t k = 0; k < s->shardings; k++) {
            p.sharding = s->sharding[k];
            if (is_needless(s, a, g, p.sharding)) continue;
            for (size_t n = 0; n < s->accumulates; n++)
                for (size_t b = 0; b < s->buckets; b++)
                    for (size_t w = 0; w < s->collectives; w++) {
                        if (b > 0 && !replica_has_buckets(s, &p)) continue;
                        if (w > 0 && p.workers == 1) continue;
                        p.accumulate = s->accumulate[n];
                        p.asked_bytes = s->bucket[b];
                        p.ways = w;
                        add_point(s, a, &p);
                    }
        }
    }
}

/* ---- What is asked for: machines and the step ---------------------------------- */

static const double BYTES_OF_PARAMETER = 4.0;

/* The links, by a profile or layers; where a job was traced the links may be its own. */
static void read_machines(replica_set *s, const args *a, const csv_table *file, int traced)
{
    sgdpar_topology *on = &s->replica.network.topology;
    char **word = NULL;
    const size_t words = args_words(a, OPTION_COLLECTIVE, &word);
    s->gpus = topology_read(on, a, file);
    s->traced = traced;
    s->links = declared_read(a, s->traced);
    if (s->traced && !s->links.stretches)
        declared_take_file(a, file, s->gpus, &on->bandwidth_bytes_per_s,
                           &on->local_bandwidth_bytes_per_s);
    if (s->traced && !args_given(a, OPTION_VARY)) trace_note_late(file);
    s->between = kinds_read(a, NULL, 0).between;
    s->known_as = band_read_class(a, 0, s->links.declared);
    s->collectives = words > 0 ? words : 1;
    s->ways = (topology_ways *)tool_alloc(s->collectives, sizeof *s->ways);
    for (size_t i = 0; i < s->collectives; i++)
        s->ways[i] = topology_read_ways(a, words > 0 ? word[i]
                                           : topology_usual_ways(a, s->links.stretches ||
                                                                  s->traced));
}

void replica_read_precision(sgdpar_precision *of, const args *a)
{
    if (args_word(a, OPTION_PRECISION, 0) == 0) return;
    of->parameter = of->gradient = 2.0;
}

void replica_read_optimizer(sgdpar_precision *of, const args *a, const double *bytes, size_t n,
                            const char *each)
{
    const sgdpar_optimizer how = (sgdpar_optimizer)args_word(a, OPTION_OPTIMIZER, 0);
    double *tensor = (double *)tool_alloc(n, sizeof *tensor);
    for (size_t i = 0; i < n; i++) tensor[i] = bytes[i] / BYTES_OF_PARAMETER;
    if (sgdpar_set_optimizer(of, how, tensor, n) != SGDPAR_OK)
        args_fail(OPTION_OPTIMIZER, sgdpar_optimizer_text(how), "needs layers with bytes");
    if (how == SGDPAR_OPTIMIZER_ADAFACTOR)
        tool_note("square-tensors", "%s adafactor: each %s is assumed to be a square matrix, "
                  "with %.3g bytes of state per parameter; other shapes have more",
                  option_name(OPTION_OPTIMIZER), each, fmax(of->optimizer, 0.0));
}

void replica_read_tensor_state(sgdpar_precision *of, const args *a, const sgdpar_tensor *tensor,
                               size_t n, const char *each)
{
    double *bytes = (double *)tool_alloc(n, sizeof *bytes);
    for (size_t i = 0; i < n; i++) bytes[i] = (double)tensor[i].bytes;
    replica_read_optimizer(of, a, bytes, n, each);
}

/* "1.2" or "1.2:1.1" */
static void read_interference(sgdpar_replica *r, const args *a)
{
    const char *text = args_text(a, OPTION_INTERFERENCE, NULL);
    double factor[2] = { 1.0, 1.0 };
    char **part = NULL;
    if (!text) return;
    size_t parts = args_split(text, ':', &part);
    if (parts > 2) args_fail(OPTION_INTERFERENCE, text, "is not C or C:D, as 1.2 or 1.2:1.1");
    for (size_t i = 0; i < parts; i++) {
        const char *wrong = number_parse(part[i], NUMBER_POSITIVE, &factor[i]);
        if (wrong) args_fail(OPTION_INTERFERENCE, part[i], "%s", wrong);
        if (factor[i] < 1.0)
            args_fail(OPTION_INTERFERENCE, text, "is below 1: overlap cannot shorten a time; give "
                                                 "a factor of at least 1");
    }
    r->overlap.compute_slowdown = factor[0];
    r->overlap.exchange_slowdown = factor[1];
}

static void read_step(replica_set *s, const args *a)
{
    sgdpar_replica *r = &s->replica;
    double factor = 0.0;
    if (args_given(a, OPTION_FIRST_BUCKET))
        r->buckets.first_bytes =
            (uint64_t)replica_bytes(OPTION_FIRST_BUCKET, args_text(a, OPTION_FIRST_BUCKET, ""));
    r->schedule.prefetch = (uint32_t)args_integer(a, OPTION_PREFETCH, 0, REPLICA_MOST, 1);
    r->schedule.local_steps = (uint32_t)args_integer(a, OPTION_LOCAL_STEPS, 1, REPLICA_MOST, 0);
    read_interference(r, a);
    r->overlap.exponent = args_number(a, OPTION_OVERLAP_EXPONENT, 0.0);
    s->vary.cv = args_number(a, OPTION_VARY, 0.0);
    s->vary.shape = (sgdp_shape)args_word(a, OPTION_VARY_SHAPE, SGDP_SHAPE_NORMAL);
    if (sgdp_slowest(&s->vary, 2, &factor) != SGDP_OK)
        args_fail(OPTION_VARY, args_text(a, OPTION_VARY, NULL), "is too large");
    job_note_normal(&s->vary);
    if (s->vary.cv > 0.0 && r->schedule.local_steps > 0)
        args_fail(OPTION_VARY, NULL, "cannot be combined with --local-steps");
    if (r->overlap.exponent > 0.0 && r->overlap.exponent < 1.0)
        args_fail(OPTION_OVERLAP_EXPONENT, args_text(a, OPTION_OVERLAP_EXPONENT, ""), "is below 1");
    if (r->overlap.exponent > 0.0
        && (args_given(a, OPTION_INTERFERENCE) || r->schedule.local_steps > 0))
        args_fail(OPTION_OVERLAP_EXPONENT, NULL, "cannot be combined with --interference "
                                                 "or --local-steps");
}

/* ---- What is asked for: layers ------------------------------------------------- */

/* Layers joined until they have so many bytes. */
static void make_units(replica_set *s, const sgdsim_layer *layer, size_t n, double scale,
                       double least_bytes)
{
    sgdsim_layer *sent = (sgdsim_layer *)tool_alloc(n, sizeof *sent);
    sgdsim_layer *joined = (sgdsim_layer *)tool_alloc(n, sizeof *joined);
    sgdpar_unit *unit = (sgdpar_unit *)tool_alloc(n, sizeof *unit);
    sgdpar_layers *layers = &s->replica.layers;
    for (size_t i = 0; i < n; i++) {
        sent[i] = layer[i];
        sent[i].bytes *= scale;
    }
    tool_check_sim(sgdsim_trace_join(sent, n, least_bytes, joined, &layers->units), s->file);
    for (size_t i = 0; i < layers->units; i++) {
        unit[i].bytes = joined[i].bytes;
        unit[i].forward_s = joined[i].forward_s;
        unit[i].backward_s = joined[i].backward_s;
        if (unit[i].bytes > s->largest_unit) s->largest_unit = unit[i].bytes;
    }
    layers->unit = unit;
}

/* Gradients of mixed precision have half the bytes. */
static void scale_tensors(const replica_set *s, sgdpar_tensor *tensor, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (tensor[i].bytes % 4 != 0)
            tool_fail("%s: column 'tensors': %llu bytes are no multiple of 4, which --precision "
                      "mixed needs", s->file, (unsigned long long)tensor[i].bytes);
        tensor[i].bytes /= 2;
    }
}

/* Layers and their tensors, which may be scaled in place; each: what a tensor is called. */
static void take_layers(replica_set *s, const args *a, const sgdsim_layer *layer, size_t n,
                        sgdpar_tensor *tensor, const char *each)
{
    const double unit_bytes = args_number(a, OPTION_UNIT, SGDPAR_BUCKET_BYTES);
    const double scale = s->precision.gradient > 0.0 ? s->precision.gradient / 4.0 : 1.0;
    sgdpar_compute *compute = &s->replica.compute;
    s->replica.layers.tensor = tensor;
    for (size_t i = 0; i < n; i++) {
        compute->forward_s += layer[i].forward_s;
        compute->update_s += layer[i].update_s;
        s->parameters += layer[i].bytes / BYTES_OF_PARAMETER;
    }
    replica_read_tensor_state(&s->precision, a, tensor, s->replica.layers.tensors, each);
    if (scale < 1.0) scale_tensors(s, tensor, s->replica.layers.tensors);
    make_units(s, layer, n, scale, unit_bytes);
    s->largest_unit /= scale * BYTES_OF_PARAMETER;
    compute->update_s = args_number(a, OPTION_UPDATE, compute->update_s);
}

/* The activations of all layers; without --pipeline a row has the times of one accelerator. */
static void read_kept(replica_set *s, const args *a, const csv_table *t)
{
    const int kept = csv_column(t, "activations_bytes"), group = csv_column(t, "group");
    if (kept != CSV_NONE && args_given(a, OPTION_ACTIVATIONS))
        args_fail(OPTION_ACTIVATIONS, NULL, "cannot be combined with a column 'activations_bytes'");
    for (size_t i = 0; i < t->rows; i++) {
        if (kept != CSV_NONE) s->activations_bytes += csv_number(t, i, kept, NUMBER_NON_NEGATIVE);
        if (group != CSV_NONE && !args_given(a, OPTION_PIPELINE)
            && csv_integer(t, i, group, 1, UINT32_MAX) > 1)
            csv_fail(t, i, group, "the times are of a group of accelerators: add %s",
                     NAME_OF(PIPELINE));
    }
    if (!(s->activations_bytes <= DBL_MAX)) tool_fail("%s: the activations are too large", t->name);
}

static void read_layers(replica_set *s, const args *a, const csv_table *t)
{
    sgdsim_layer *layer;
    sgdpar_tensor *tensor;
    int column;
    layers_take(t, &layer, &column);
    layers_check_sums(t, layer);
    s->file = t->name;
    read_kept(s, a, t);
    tensor = layers_tensors(t, layer, &s->replica.layers.tensors, &s->replica.compute.tail_s);
    take_layers(s, a, layer, t->rows, tensor, "tensor");
    if (s->precision.gradient > 0.0)
        tool_note("mixed-precision",
                  "--precision mixed halves the bytes of %s, which are assumed to be 4 per "
                  "parameter: if they are 2, or gradients are sent in single precision (PyTorch's "
                  "autocast), use --precision single", s->file);
}

/* Pieces of at least 1 MiB, all alike. */
static void spread_profile(replica_set *s, const args *a, const replica_profile *profile)
{
    enum { PIECES_MOST = 4096 };
    const double pieces = ceil(profile->bytes / SGDPAR_FIRST_BUCKET_BYTES);
    const size_t n = pieces < PIECES_MOST ? (size_t)pieces : PIECES_MOST;
    const double each = ceil(profile->bytes / 4.0 / (double)n) * 4.0;
    sgdsim_layer *layer = (sgdsim_layer *)tool_alloc(n, sizeof *layer);
    sgdpar_tensor *tensor = (sgdpar_tensor *)tool_alloc(n, sizeof *tensor);
    s->file = profile->name;
    if (each > 9007199254740992.0 / PIECES_MOST) tool_fail("%s: the model is too large", s->file);
    for (size_t i = 0; i < n; i++) {
        layer[i].bytes = each;
        layer[i].forward_s = profile->forward_s / (double)n;
        layer[i].backward_s = profile->backward_s / (double)n;
        tensor[i].bytes = (uint64_t)each;
        tensor[i].backward_s = layer[i].backward_s;
    }
    layer[0].update_s = profile->update_s;
    s->replica.layers.tensors = n;
    s->spread = 1;
    take_layers(s, a, layer, n, tensor, "piece");
    if (s->precision.gradient > 0.0)
        tool_note("mixed-totals",
                  "--precision mixed takes the %.4g bytes of %s as 4 per parameter, and sends half "
                  "of them: if that is the size in 16 bits, give twice as much as %s; if gradients "
                  "are sent in single precision (PyTorch's autocast), use --precision single",
                  profile->bytes, s->file, NAME_OF(MODEL_SIZE));
    tool_note("one-layer",
              "no table of layers is given: the %.4g bytes of %s and the compute time are spread "
              "evenly over %lu pieces: --layers FILE shows what can overlap",
              profile->bytes, s->file, (unsigned long)n);
}

/* ---- What is asked for: all of it --------------------------------------------- */

/* Only sharded parameters are gathered, by units. */
static void check_units(const replica_set *s, const args *a)
{
    static const option_id ids[] = {OPTION_UNIT, OPTION_PREFETCH};
    for (size_t i = 0; i < s->shardings; i++)
        if (s->sharding[i] >= SGDPAR_SHARDING_ALL) return;
    args_refuse(a, ids, COUNT_OF(ids), "needs --sharding fsdp or hsdp");
}

void replica_read(replica_set *s, const args *a, const csv_table *layers,
                  const replica_profile *profile, const replica_usual *usual)
{
    memset(s, 0, sizeof *s);
    if (!profile && !layers) layers = csv_read(args_text(a, OPTION_LAYERS, NULL), 0);
    const csv_table *file = profile ? profile->file : layers;
    read_machines(s, a, file, profile ? profile->traced : declared_is_traced(file));
    replica_read_precision(&s->precision, a);
    read_step(s, a);
    s->activations_bytes = args_number(a, OPTION_ACTIVATIONS, 0.0);
    if (profile) spread_profile(s, a, profile);
    else read_layers(s, a, layers);
    s->memory_bytes = args_number(a, OPTION_MEMORY, 0.0);
    s->batch = profile ? profile->batch : args_number(a, OPTION_BATCH, 0.0);
    s->input_rate = profile ? profile->input_rate : args_number(a, OPTION_INPUT_RATE, 0.0);
    s->alltoall_bytes = topology_alltoall_bytes(a, profile ? profile->alltoall_bytes : 0.0);
    if (s->alltoall_bytes > 0.0 && s->replica.overlap.exponent > 0.0)
        args_fail(OPTION_OVERLAP_EXPONENT, NULL, "cannot be combined with %s and layers, whose "
                  "all-to-alls nothing hides", NAME_OF(ALLTOALL_SIZE));
    if (s->input_rate > 0.0 && !(s->batch > 0.0))
        args_fail(OPTION_INPUT_RATE, NULL, "is in examples/s, and needs the examples of a "
                  "mini-batch: give %s", NAME_OF(BATCH));
    s->links.job.compute.batch = s->batch;
    s->links.job.machine.input_examples_per_s = s->input_rate;
    read_shardings(s, a, usual->sharding);
    check_units(s, a);
    read_accumulate(s, a, usual->accumulate);
    read_buckets(s, a, usual->bucket);
    s->least_bucket = args_given(a, OPTION_BUCKET) ? 0.0 : SGDPAR_FIRST_BUCKET_BYTES;
    read_workers(s, a, usual->workers, file);
    read_backup(s, a);
    make_points(s, a);
}

/* ---- Answers ------------------------------------------------------------------ */

sgdpar_replica replica_of(const replica_set *s, const replica_point *p)
{
    const sgdp_stretch stretch = declared_stretch(&s->links, p->workers);
    sgdpar_replica r = s->replica;
    r.sharding = p->sharding;
    r.compute.scale = p->scale.compute;
    r.compute.growth = stretch.growth;
    if (s->links.stretches) r.overlap.exposure = stretch.exposure;
    r.buckets.cap_bytes = (uint64_t)p->asked_bytes;
    r.schedule.accumulate = p->accumulate;
    r.network.protocol = s->ways[p->ways].list.protocol;
    r.network.protocols = s->ways[p->ways].list.count;
    r.network.topology = topology_on(&r.network.topology, s->gpus, p->workers);
    r.network.topology.bandwidth_bytes_per_s *= p->scale.link;
    tool_check(sgdp_kth_fastest(&s->vary, p->workers, p->workers - s->backup,
                                &r.compute.slowest), s->file);
    return r;
}

int replica_has_buckets(const replica_set *s, const replica_point *p)
{
    return p->sharding <= SGDPAR_SHARDING_GRADIENTS && s->replica.schedule.local_steps == 0
        && p->workers > 1;
}

band_class replica_class(const replica_set *s, const replica_point *p)
{
    const int totals = p->sharding == SGDPAR_SHARDING_NONE && p->accumulate == 1;
    const int fsdp = p->sharding == SGDPAR_SHARDING_ALL && p->workers > s->gpus;
    if (!(totals || fsdp) || s->backup > 0 || s->replica.schedule.local_steps > 0 ||
        !s->links.stretches ||
        strcmp(s->ways[p->ways].text, "cluster") != 0) return BAND_CLASSES;
    if (s->alltoall_bytes > 0.0) return BAND_CLASSES; /* not measured               */
    if (s->known_as == BAND_CALIBRATED && totals) return BAND_CALIBRATED;
    if (s->known_as != BAND_CLASSES) return BAND_CLASSES;
    return band_of_links(&s->links.job, p->workers, s->between);
}

void replica_note_bands(const replica_set *s, const replica_point *point, size_t count)
{
    size_t none = 0;
    for (size_t i = 0; i < count; i++)
        none += point[i].workers > 1 && replica_class(s, &point[i]) == BAND_CLASSES;
    if (none > 0)
        tool_note("no-intervals",
                  "intervals are missing for %lu of %lu rows: %s measured often enough",
                  (unsigned long)none, (unsigned long)count,
                  s->traced ? "jobs with a traced overlap were not"
                            : "only ddp without --accumulate, and fsdp on several machines, both "
                              "over declared links, were");
}

band replica_band(const replica_set *s, const replica_point *p)
{
    const band_class of = replica_class(s, p);
    const band none = {0.0, 0.0};
    sgdp_job job = s->links.job;
    const band_point at = {&job, p->workers, p->batches_per_s, 1, 0.0};
    if (of == BAND_CLASSES) return none;
    job.compute.forward_s = p->workers * p->efficiency / p->batches_per_s; /* of one worker    */
    return band_around(band_shipped(of), of, &at);
}

static sgdpar_status predict_on(const replica_set *s, replica_point *p, sgdpar_replica *r)
{
    const int buckets = replica_has_buckets(s, p);
    size_t bytes = 0;
    p->bucket_bytes = buckets ? p->asked_bytes : 0.0;
    if (buckets && !(p->asked_bytes > 0.0)) {
        uint64_t best = 0;
        r->buckets.cap_bytes = (uint64_t)s->least_bucket;
        sgdpar_status status = sgdpar_best_bucket(r, &best, &p->step);
        p->bucket_bytes = (double)(r->buckets.cap_bytes = best);
        return status;
    }
    tool_check_parallel(sgdpar_replica_time_bytes(r, &bytes), s->file);
    return sgdpar_replica_time(r, tool_alloc(bytes, 1), bytes, &p->step);
}

static void predict_step(const replica_set *s, replica_point *p, sgdpar_replica *r)
{
    const topology_ways *ways = &s->ways[p->ways];
    const sgdpar_topology *on = &r->network.topology;
    sgdpar_replica quick = *r;
    char links[300];
    if (predict_on(s, p, r) == SGDPAR_OK) return;
    quick.network = topology_quick(&r->network);
    if (predict_on(s, p, &quick) == SGDPAR_OK)
        tool_fail("%lu workers, %s: times are too large to compute with these links: %s",
                  (unsigned long)p->workers, sgdpar_sharding_text(p->sharding),
                  topology_text(on, ways->file, links, sizeof links));
    tool_fail("%lu workers, %s: no algorithm of %s works on %lu machines with %s %lu: add "
              "another algorithm", (unsigned long)p->workers, sgdpar_sharding_text(p->sharding),
              topology_ways_text(ways), (unsigned long)on->machines, NAME_OF(GPUS),
              (unsigned long)on->gpus);
}

/* Adds the all-to-alls, which nothing hides, of all micro-batches. */
static void add_alltoalls(const replica_set *s, const sgdpar_replica *r, sgdpar_replica_step *step)
{
    const double held = r->overlap.exposure > 1.0 ? r->overlap.exposure : 1.0;
    const double added_s = r->schedule.accumulate * held
                         * topology_alltoall_s(&r->network.topology, s->alltoall_bytes);
    step->step_s += added_s;
    step->exchange_s += added_s;
    step->exposed_s += added_s;
}

/* What a machine's input takes for its workers' part of a step, prepared during the one before. */
static double prepared_s(const replica_set *s, uint32_t gpus, uint32_t passes)
{
    return s->input_rate > 0.0 ? (double)gpus * passes * (s->batch / s->input_rate) : 0.0;
}

/* The answer of a point. */
static void answer(const replica_set *s, replica_point *p)
{
    sgdpar_replica r = replica_of(s, p), alone = r;
    const double passes = r.schedule.accumulate;
    const sgdpar_model model = {
        .precision = s->precision, .parameters = s->parameters, .largest_unit = s->largest_unit,
        .activations_bytes = s->activations_bytes, .workers = p->workers,
        .gpus = r.network.topology.gpus, .prefetch = r.schedule.prefetch, .sharding = p->sharding
    };
    sgdpar_replica_step one;
    predict_step(s, p, &r);
    add_alltoalls(s, &r, &p->step);
    alone.sharding = SGDPAR_SHARDING_NONE;
    alone.network.topology.machines = alone.network.topology.gpus = 1;
    alone.overlap.exponent = alone.overlap.exposure = 0.0;
    alone.compute.growth = 1.0;
    alone.schedule.local_steps = 0;
    alone.compute.slowest = 1.0;
    tool_check_parallel(sgdpar_replica_time(&alone, NULL, 0, &one), s->file);
    if (!(p->step.step_s > 0.0)) tool_fail("%s: the layers take no time", s->file);
    one.step_s = fmax(one.step_s, prepared_s(s, 1, r.schedule.accumulate));
    p->input_s = fmax(0.0, prepared_s(s, r.network.topology.gpus, r.schedule.accumulate)
                               - p->step.step_s);
    p->step.step_s += p->input_s;
    if (!(p->step.step_s <= DBL_MAX))
        args_fail(OPTION_INPUT_RATE, NULL, "is too small: a step takes too long for a number");
    p->batches_per_s = (p->workers - s->backup) * passes / p->step.step_s;
    p->efficiency = one.step_s / p->step.step_s * (p->workers - s->backup) / p->workers;
    tool_check_parallel(sgdpar_memory_of(&model, &p->memory), s->file);
    p->fits = p->memory.total_bytes <= s->memory_bytes;
}

typedef struct answering { const replica_set *of; const replica_point *point; } answering;

/* parallel_task */
static void answer_point(void *ctx, size_t i, void *result)
{
    const answering *all = (const answering *)ctx;
    replica_point *p = (replica_point *)result;
    *p = all->point[i];
    answer(all->of, p);
}

void replica_answer_all(const replica_set *s, replica_point *point, size_t count,
                        size_t processes)
{
    replica_point *answers = (replica_point *)tool_alloc(count, sizeof *answers);
    answering all = {s, point};
    parallel_begin_here();
    parallel_run(count, processes, answer_point, &all, answers, sizeof *answers, "points");
    memcpy(point, answers, count * sizeof *point);
}

/* ---- Answers: what could be taken for more than it is ------------------------- */

static int has_latency(const replica_set *s)
{
    const sgdpar_topology *on = &s->replica.network.topology;
    size_t w = 0;
    while (w < s->collectives && !topology_ways_cost(&s->ways[w].list)) w++;
    return w < s->collectives || on->latency_s > 0.0 || on->local_latency_s > 0.0;
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
    if (s->replica.schedule.local_steps > 0)
        tool_note("local-steps",
                  "--local-steps: times are for the same number of examples, but local SGD may "
                  "need more examples for the same loss, as parameters differ between two "
                  "averages");
    while (i < s->groups && s->workers[i] == 1) i++;
    if (i == s->groups) return;
    if (s->alltoall_bytes > 0.0) job_note_even(s->alltoall_bytes, 0);
    if (!has_latency(s) && !s->links.stretches) topology_note_free();
    if (has_auto(s) && !args_given(a, OPTION_PROTOCOLS))
        tool_note("best-collective",
                  "--collective auto assumes the fastest algorithm, called at no cost, which no "
                  "library reaches: add --protocols validation/collectives/nccl.csv for the costs "
                  "of NCCL");
}

void replica_note_answers(const replica_point *point, size_t count)
{
    int small = 0, above = 0;
    for (size_t i = 0; i < count; i++) {
        small |= point[i].bucket_bytes > 0.0 && point[i].bucket_bytes < SGDPAR_FIRST_BUCKET_BYTES;
        above |= point[i].efficiency > 1.0 + 1e-9;
    }
    if (small)
        tool_note("small-buckets",
                  "buckets of less than 1 MiB look too fast: the costs of their many calls on "
                  "accelerator and host are not counted");
    if (above)
        tool_note("efficiency-above-one",
                  "efficiency is above 1 because it is relative to one worker of ddp, which "
                  "updates all parameters alone");
}

/* Batches/s of a point if no exchange were hidden, or as followed. */
static double otherwise(const replica_set *s, const replica_point *of)
{
    replica_set other = *s;
    replica_point p = *of;
    other.links.stretches = 0;
    if (!s->links.stretches) other.replica.overlap.exposure = 1.0;
    answer(&other, &p);
    return p.batches_per_s;
}

void replica_note_hidden(const replica_set *s, const replica_point *of, const args *a)
{
    const char *parts = of && replica_has_buckets(s, of) ? "buckets" : "units";
    const int told = declared_overlaps(a);
    const double other = of && !told ? otherwise(s, of) : 0.0;
    if (!of || told || s->traced || s->links.told || s->replica.schedule.local_steps > 0) return;
    if (s->links.stretches && other > 1.01 * of->batches_per_s)
        tool_note("exchange-exposed", "exchanges are assumed not to overlap with computation; if "
                  "%s hid exchanges, %lu workers would reach %.4g batches/s, %.0f %% more: use %s",
                  parts, (unsigned long)of->workers, other,
                  100.0 * (other / of->batches_per_s - 1.0), NAME_OF(OVERLAP));
    else if (other < 0.97 * of->batches_per_s)
        tool_note("exchange-hidden",
                  "exchanges overlap with computation as far as %s allow; without overlap %lu "
                  "workers would reach %.4g batches/s",
                  parts, (unsigned long)of->workers, other);
}

void replica_note_units(const replica_set *s, const replica_point *of, const args *a)
{
    const size_t units = s->replica.layers.units;
    replica_set other = *s;
    replica_point free = *of;
    if (!s->spread || args_given(a, OPTION_UNIT)) return;
    other.replica.network.topology.latency_s = 0.0;
    other.replica.network.topology.local_latency_s = 0.0;
    answer(&other, &free);
    const double share = 1.0 - free.step.step_s / of->step.step_s;
    if (share < 0.02) return;
    tool_note("many-units", "the pieces are joined to %lu units of %s, of at least %.0f MiB: the "
              "latency of their messages is %.1f %% of its step on %lu workers; larger units have "
              "fewer messages: give those of your layers by %s", (unsigned long)units,
              sgdpar_sharding_text(of->sharding), SGDPAR_BUCKET_BYTES / 1048576.0, 100.0 * share,
              (unsigned long)of->workers, NAME_OF(UNIT));
}

const replica_point *replica_quickest(const replica_set *s, size_t group)
{
    const replica_point *best = NULL;
    for (size_t i = 0; i < s->points; i++) {
        const replica_point *p = &s->point[i];
        if (p->group != group || (s->memory_bytes > 0.0 && !p->fits)) continue;
        if (!best || p->batches_per_s > best->batches_per_s) best = p;
    }
    return best;
}

/* ---- Columns ------------------------------------------------------------------ */

const char *replica_ways_text(uint64_t ways)
{
    enum { WORD = 40, WAYS = SGDPAR_ALGORITHM_COUNT * SGDPAR_FORM_COUNT };
    char *text = (char *)tool_alloc(WAYS, WORD);
    for (size_t i = 0; i < WAYS; i++) {
        if ((ways >> i & 1) == 0) continue;
        if (text[0]) strcat(text, "+");
        strcat(text, protocol_algorithms[i / SGDPAR_FORM_COUNT]);
        strcat(text, ":");
        strcat(text, protocol_forms[i % SGDPAR_FORM_COUNT]);
    }
    return text;
}

void replica_print_fits(columns *t, double memory_bytes, int fits)
{
    const int limited = memory_bytes > 0.0;
    if (limited) json_bool(t->out, "fits", fits);
    else json_null(t->out, "fits");
    column_text(t, limited ? TABLES : 0, "fits", fits ? "yes" : "no");
}

void replica_print_members(columns *t, const replica_set *s, const replica_point *p)
{
    const char *way = p->step.ways != 0 ? replica_ways_text(p->step.ways) : NULL;
    column_number(t, ALL, "step_s", p->step.step_s);
    column_number(t, ALL, "efficiency", p->efficiency);
    column_number(t, JSON, "compute_s", p->step.compute_s);
    column_number(t, ALL, "exchange_s", p->step.exchange_s);
    column_number(t, ALL, "exposed_s", p->step.exposed_s);
    column_whole(t, ALL, "exchanges", p->step.exchanges);
    column_round(t, ALL, "bucket_bytes", 9, known_if(p->bucket_bytes > 0.0, p->bucket_bytes));
    column_whole(t, JSON, "accumulate", p->accumulate);
    column_text(t, JSON, "collective", s->ways[p->ways].text);
    column_text(t, JSON, "way", way);
    column_number(t, ALL, "memory_bytes", p->memory.total_bytes);
    replica_print_fits(t, s->memory_bytes, p->fits);
    column_whole(t, s->accumulates > 1 ? TABLES : CSV, "accumulate", p->accumulate);
    column_text(t, s->collectives > 1 ? TABLES : CSV, "collective", s->ways[p->ways].text);
    column_text(t, TABLES, "way", way);
}
