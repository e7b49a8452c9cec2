/* pipeline.c - sgdperf predict --pipeline, simulate --pipeline: see pipeline.h */
#include "cmd/pipeline.h"

#include "base/columns.h"
#include "base/words.h"
#include "cmd/simulate/simulate.h"
#include "files/status.h"
#include "model/pipeline.h"
#include "model/replica.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PASSES_MOST = 20000000, REPLAYED_MOST = 100000000 };

/* ---- What is asked for ------------------------------------------------------ */

#define NAME(name, text) text,
static const char *const schedules[] = { SGDPAR_PIPELINING_TABLE(NAME) };
#undef NAME

/* "interleaved:2", or another schedule without a number. */
static void read_schedule(pipeline_way *way, const args *a)
{
    const char *text = args_text(a, OPTION_SCHEDULE, "1f1b");
    char **part = NULL;
    const size_t parts = args_split(text, ':', &part);
    const size_t of = words_find(schedules, COUNT_OF(schedules), part[0]);
    uint64_t chunks = 1;
    if (of == COUNT_OF(schedules))
        args_fail(OPTION_SCHEDULE, text, "is not one of 1f1b, gpipe, interleaved:V, zb");
    way->schedule = (sgdpar_pipelining)of;
    if (parts != (way->schedule == SGDPAR_PIPELINING_INTERLEAVED ? 2 : 1)
        || (parts == 2 && number_whole(part[1], 2, PIPELINE_MOST, &chunks)))
        args_fail(OPTION_SCHEDULE, text, "is invalid: interleaved takes a number of stages per "
                  "device, as interleaved:2; other schedules take no number");
    way->chunks = (uint32_t)chunks;
}

/* Machines have groups in place of accelerators. */
static void take_group(pipeline_set *s, const args *a)
{
    const pipeline_layers *l = &s->layers;
    if (s->gpus > 1 && s->gpus % l->group != 0)
        args_fail(OPTION_GPUS, args_text(a, OPTION_GPUS, NULL),
                  "is not a multiple of the %lu accelerators of a group", (unsigned long)l->group);
    s->gpus = s->gpus > l->group ? s->gpus / l->group : 1;
    s->links.gpus = s->gpus;
    s->declared.job.machine.gpus = s->gpus;
    s->links.local_bandwidth_bytes_per_s *= l->group;
    s->links.channels *= l->group;
}

/* Do so many copies fill machines, or share one evenly? */
static int copies_fit(const pipeline_set *s, uint32_t copies)
{
    return copies % s->gpus == 0 || s->gpus % copies == 0;
}

/* How many copies fit, or why they do not. */
static uint32_t copies_on(const pipeline_set *s, uint32_t workers, uint32_t devices)
{
    const uint64_t one = (uint64_t)devices * s->layers.group;
    char text[16];
    (void)snprintf(text, sizeof text, "%lu", (unsigned long)workers);
    if (workers % one != 0)
        args_fail(OPTION_WORKERS, text, "is not a multiple of %lu, the accelerators of a pipeline: "
                  "%lu stages with %lu accelerator%s each", (unsigned long)one,
                  (unsigned long)devices, COUNTED(s->layers.group));
    uint32_t copies = (uint32_t)(workers / one);
    if (!(s->links.bandwidth_bytes_per_s > 0.0)
        && (s->layers.output_bytes ? (uint64_t)copies * devices : copies) > s->gpus)
        tool_fail("%s or %s is missing", NAME_OF(BANDWIDTH), NAME_OF(NETWORK));
    if (!copies_fit(s, copies))
        args_fail(OPTION_WORKERS, text, "makes %lu copies of a stage, which neither fill machines "
                  "of %lu accelerators nor divide one evenly", (unsigned long)copies,
                  (unsigned long)s->gpus);
    return copies;
}

static void check_point(const pipeline_set *s, const pipeline_way *way)
{
    const uint64_t stages = (uint64_t)way->devices * way->chunks;
    char text[32];
    if (way->micro_batches == 0) {
        (void)snprintf(text, sizeof text, "%g", s->total_batch);
        args_fail(OPTION_TOTAL_BATCH, text, "is not a multiple of the %g examples that a "
                  "micro-batch of each of %lu cop%s has", s->batch * way->copies,
                  (unsigned long)way->copies, way->copies == 1 ? "y" : "ies");
    }
    (void)snprintf(text, sizeof text, "%lu", (unsigned long)way->devices);
    if (stages > s->layers.count)
        args_fail(OPTION_PIPELINE, text, "makes %lu stages, but %s has %lu layer%s",
                  (unsigned long)stages, s->layers.file->name, COUNTED(s->layers.count));
    if (stages * way->micro_batches > PASSES_MOST)
        args_fail(OPTION_PIPELINE, text, "makes more than %d passes in a step: give fewer "
                                         "micro-batches", (int)PASSES_MOST);
    if (s->replays && way->devices == 1)
        args_fail(OPTION_PIPELINE, text, "is a single device, which needs no pipeline: remove the "
                                         "option");
    if (s->replays && stages * way->micro_batches * way->devices > REPLAYED_MOST)
        args_fail(OPTION_PIPELINE, text, "makes too many passes: devices squared x stages per "
                                         "device x micro-batches is above %d", (int)REPLAYED_MOST);
    (void)snprintf(text, sizeof text, "%lu", (unsigned long)way->micro_batches);
    if (way->chunks > 1 && way->micro_batches % way->devices != 0)
        args_fail(OPTION_ACCUMULATE, text, "is not a multiple of the %lu devices, as --schedule "
                                           "interleaved requires", (unsigned long)way->devices);
}

size_t pipeline_workers(const pipeline_set *s, const args *a, uint32_t **workers)
{
    const csv_table *t = s->layers.file;
    const size_t n = args_workers(a, OPTION_WORKERS, workers);
    return topology_keep_inside(t, topology_machine(t, a), OPTION_WORKERS, *workers, n);
}

size_t pipeline_passes(const args *a, uint32_t **passes)
{
    const size_t n = args_workers(a, OPTION_ACCUMULATE, passes);
    if (n > 0) return n;
    *passes = (uint32_t *)tool_alloc(1, sizeof **passes);
    **passes = 1;
    return 1;
}

/* Micro-batches of each copy for --total-batch; 0: it is no multiple of the copies' examples. */
static uint32_t passes_of(const pipeline_set *s, uint32_t copies)
{
    const double passes = s->total_batch / (s->batch * copies), whole = floor(passes + 0.5);
    return whole >= 1.0 && whole <= PASSES_MOST && fabs(passes - whole) <= 1e-9 * whole
        ? (uint32_t)whole : 0;
}

void pipeline_count(pipeline_totals *of, const pipeline_way *way)
{
    const double total = (double)way->copies * way->micro_batches;
    of->least = of->most > 0.0 ? fmin(of->least, total) : total;
    of->most = fmax(of->most, total);
}

void pipeline_note_totals(const pipeline_totals *of)
{
    if (of->least < of->most)
        tool_note("larger-batch",
                  "rows differ in total batch: a step has %.0f to %.0f micro-batches in all "
                  "copies, and a larger total batch may need more examples for the same loss; %s "
                  "compares rows of one total batch", of->least, of->most, NAME_OF(TOTAL_BATCH));
}

/* Every number of workers with every pipeline and number of micro-batches. */
static void read_points(pipeline_set *s, const args *a)
{
    uint32_t *workers, *devices, *passes;
    pipeline_totals totals = {0.0, 0.0};
    if (!args_given(a, OPTION_WORKERS)) tool_fail("%s is missing", NAME_OF(WORKERS));
    const size_t K = pipeline_workers(s, a, &workers);
    const size_t P = args_workers(a, OPTION_PIPELINE, &devices);
    const size_t M = pipeline_passes(a, &passes);
    size_t k, p, m;
    if (s->stages && P > 1) args_fail(OPTION_STAGES, NULL, "needs one number of --pipeline");
    s->point = (pipeline_point *)tool_alloc(K * P, M * sizeof *s->point);
    for (k = 0; k < K; k++)
        for (p = 0; p < P; p++)
            for (m = 0; m < M; m++) {
                pipeline_point *to = &s->point[s->count++];
                to->workers = workers[k];
                to->way = s->way;
                to->way.devices = devices[p];
                to->way.micro_batches = passes[m];
                if (devices[p] == 1) {         /* one device has one order of passes    */
                    to->way.chunks = 1;
                    to->way.schedule = SGDPAR_PIPELINING_1F1B;
                }
                to->way.copies = copies_on(s, workers[k], devices[p]);
                if (s->total_batch > 0.0) to->way.micro_batches = passes_of(s, to->way.copies);
                check_point(s, &to->way);
                pipeline_count(&totals, &to->way);
            }
    pipeline_note_totals(&totals);
}

/* One device is no pipeline: its steps are those without --pipeline. */
void pipeline_read_plain(pipeline_set *s, const args *a)
{
    static const replica_usual usual = { "ddp", "1", "25MiB", NULL };
    if (csv_column(s->layers.file, "tensors") == CSV_NONE) {
        tool_note("one-exchange",
                  "%s: no column 'tensors': a pipeline of one stage exchanges its gradients after "
                  "the last backward pass, not in buckets during the pass", s->layers.file->name);
        return;
    }
    s->plain = (replica_set *)tool_alloc(1, sizeof *s->plain);
    replica_read(s->plain, a, s->layers.file, NULL, &usual);
    replica_note(s->plain, a);
    s->plain->gpus = s->gpus;
    s->plain->replica.network.topology = s->links;
    s->plain->links = s->declared;
}

/* --sharding of one word. */
static void read_sharding(pipeline_set *s, const args *a)
{
    const char *sharding = args_text(a, OPTION_SHARDING, "ddp");
    if (strcmp(sharding, "zero-1") == 0) s->way.sharding = SGDPAR_SHARDING_OPTIMIZER;
    else if (strcmp(sharding, "ddp") != 0)
        args_fail(OPTION_SHARDING, sharding, "cannot be combined with --pipeline: use ddp or "
                                             "zero-1");
}

void pipeline_read(pipeline_set *s, const args *a, const csv_table *t)
{
    pipeline_read_layers(&s->layers, a, t);
    const int traced = declared_is_traced(s->layers.file);
    s->compute_scale = 1.0;
    s->gpus = topology_read(&s->links, a, s->layers.file);
    s->declared = declared_read(a, traced);
    if (traced && !s->declared.stretches)
        declared_take_file(a, s->layers.file, s->gpus, &s->links.bandwidth_bytes_per_s,
                           &s->links.local_bandwidth_bytes_per_s);
    const char *usual = topology_usual_ways(a, s->declared.stretches || traced);
    s->ways = topology_read_ways(a, args_text(a, OPTION_COLLECTIVE, usual));
    s->memory_bytes = args_number(a, OPTION_MEMORY, 0.0);
    s->batch = args_number(a, OPTION_BATCH, 0.0);
    s->total_batch = args_number(a, OPTION_TOTAL_BATCH, 0.0);
    s->stages = args_text(a, OPTION_STAGES, NULL);
    read_schedule(&s->way, a);
    if (s->way.schedule == SGDPAR_PIPELINING_ZB && !s->layers.weight_s)
        args_fail(OPTION_SCHEDULE, "zb", "needs a column 'weight_s' of %s: the part of backward_s "
                  "that computes the gradients of weights", s->layers.file->name);
    take_group(s, a);
    if (!s->declared.stretches && !(s->links.latency_s + s->links.local_latency_s > 0.0)
        && !topology_ways_cost(&s->ways.list))
        topology_note_free();
    if (!s->layers.output_bytes)
        tool_note("transfers-not-counted",
                  "%s: no column 'output_bytes': transfers between stages count as free",
                  s->layers.file->name);
}

void pipeline_move(pipeline_set *s, replica_scale scale)
{
    pipeline_layers *l = &s->layers;
    for (size_t i = 0; i < l->count; i++) {
        l->layer[i].forward_s *= scale.compute;
        l->layer[i].backward_s *= scale.compute;
        if (l->weight_s) l->weight_s[i] *= scale.compute;
    }
    s->links.bandwidth_bytes_per_s *= scale.link;
    s->compute_scale = scale.compute;
}

/* The rows of --group, which were profiled, or all. */
static const csv_table *read_rows(const args *a)
{
    const csv_table *t = csv_read(args_text(a, OPTION_LAYERS, NULL), 0);
    uint32_t *group, asked;
    const size_t n = pipeline_groups(t, &group);
    size_t i;
    if (!args_given(a, OPTION_GROUP)) return t;
    asked = (uint32_t)args_integer(a, OPTION_GROUP, 1, PIPELINE_MOST, 1);
    for (i = 0; i < n; i++)
        if (group[i] == asked) return pipeline_rows(t, asked);
    args_fail(OPTION_GROUP, args_text(a, OPTION_GROUP, NULL),
              "is not the group that was profiled: %s has the times of %lu accelerator%s, from "
              "which the times of a group cannot be computed (26 to 72 %% too fast); profile a "
              "group and add column 'group'", t->name, COUNTED(group[0]));
}

static void read_set(pipeline_set *s, const args *a)
{
    size_t i;
    pipeline_read(s, a, read_rows(a));
    read_sharding(s, a);
    read_points(s, a);
    for (i = 0; i < s->count && s->point[i].way.devices > 1; i++) {}
    if (i < s->count) pipeline_read_plain(s, a);
}

/* ---- Answers ------------------------------------------------------------------ */

/* The split of --stages. */
static const size_t *given_split(const pipeline_set *s, const pipeline_way *way)
{
    const size_t n = (size_t)way->devices * way->chunks;
    size_t *first = (size_t *)tool_alloc(n, sizeof *first), i, at = 0;
    char **part = NULL;
    if (args_split(s->stages, ',', &part) != n)
        args_fail(OPTION_STAGES, s->stages, "needs %lu numbers of layers, one for each stage",
                  (unsigned long)n);
    for (i = 0; i < n; i++) {
        uint64_t layers = 0;
        const char *wrong = number_whole(part[i], 1, s->layers.count, &layers);
        if (wrong) args_fail(OPTION_STAGES, part[i], "%s", wrong);
        first[i] = at;
        at += (size_t)layers;
    }
    if (at != s->layers.count)
        args_fail(OPTION_STAGES, s->stages, "adds up to %lu layers: %s has %lu", (unsigned long)at,
                  s->layers.file->name, (unsigned long)s->layers.count);
    return first;
}

/* Links as declared make passes and exchanges longer, as in steps without a pipeline. */
static double stretch_passes(const pipeline_set *s, const pipeline_way *way, sgdpar_stage *stage)
{
    const sgdp_stretch stretch = declared_stretch(&s->declared, way->copies * way->devices);
    for (size_t i = 0; i < (size_t)way->devices * way->chunks; i++) {
        stage[i].forward_s *= stretch.growth;
        stage[i].backward_s *= stretch.growth;
        stage[i].weight_s *= stretch.growth;
    }
    return !s->declared.stretches || !(fabs(stretch.exposure) > 0.0) ? 1.0
        : fmax(0.0, stretch.exposure);
}

/* Why copies cannot exchange: no algorithm does it, or times overflow. */
static void transfers_fail(const pipeline_set *s, const pipeline_way *way, const sgdpar_copies *of,
                           sgdpar_stage *stage)
{
    sgdpar_copies quick = *of;
    char links[300];
    quick.network = topology_quick(&of->network);
    if (sgdpar_pipeline_transfers(&quick, way->devices, way->chunks, stage) == SGDPAR_OK)
        tool_fail("--pipeline %lu: times are too large to compute with these links: %s",
                  (unsigned long)way->devices,
                  topology_text(&s->links, s->ways.file, links, sizeof links));
    tool_fail("--pipeline %lu: no algorithm of %s exchanges gradients of %lu copies of a stage "
              "on these machines: add another algorithm", (unsigned long)way->devices,
              topology_ways_text(&s->ways),
              (unsigned long)way->copies);
}

/* What the stages exchange, and hand on. */
static void add_transfers(const pipeline_set *s, const pipeline_point *p, sgdpar_stage *stage)
{
    const pipeline_way *way = &p->way;
    const pipeline_layers *l = &s->layers;
    const double scale = l->precision.gradient > 0.0 ? l->precision.gradient / 4.0 : 1.0;
    const size_t n = (size_t)way->devices * way->chunks;
    double *gradient = (double *)tool_alloc(n, sizeof *gradient);
    double *handed = (double *)tool_alloc(n, sizeof *handed);
    double *update = (double *)tool_alloc(n, sizeof *update);
    const sgdpar_copies of = {
        .network = {.topology = s->links, .protocol = s->ways.list.protocol,
                    .protocols = s->ways.list.count},
        .copies = way->copies, .sharding = way->sharding, .gradient_bytes = gradient,
        .output_bytes = l->output_bytes ? handed : NULL
    };
    const double exposure = stretch_passes(s, way, stage);
    for (size_t i = 0; i < n; i++) {
        update[i] = stage[i].update_s;
        gradient[i] = scale * pipeline_bytes(l, way, p->first, i);
        if (i + 1 < n && l->output_bytes)
            handed[i] = l->output_bytes[pipeline_end(l, way, p->first, i) - 1];
    }
    if (sgdpar_pipeline_transfers(&of, way->devices, way->chunks, stage) != SGDPAR_OK)
        transfers_fail(s, way, &of, stage);
    for (size_t i = 0; i < n && s->declared.stretches; i++) {
        const double alone = way->sharding ? update[i] / way->copies : update[i];
        stage[i].exchange_s *= exposure;
        stage[i].update_s = alone + exposure * (stage[i].update_s - alone);
    }
}

/* The same on links that are shared. */
static sgdpar_pipeline_step replay(const pipeline_set *s, const pipeline_way *way,
                                   const sgdpar_stage *stage, sgdpar_device *device)
{
    const sgdpar_pipeline p = {
        .schedule = way->schedule, .stage = stage, .devices = way->devices,
        .chunks = way->chunks, .micro_batches = way->micro_batches
    };
    uint32_t *machine = (uint32_t *)tool_alloc(way->devices, sizeof *machine);
    timeline *drawn = s->timeline ? timeline_open_devices(s->timeline, way->devices) : NULL;
    const sgdpar_shared links = {
        .machine = machine, .between = way->copies > s->gpus,
        .on_span = drawn ? timeline_span : NULL, .ctx = drawn
    };
    sgdpar_pipeline_step step;
    size_t bytes = 0;
    for (size_t i = 0; i < way->devices; i++)
        machine[i] = (uint32_t)(way->copies >= s->gpus ? i : i * way->copies / s->gpus);
    tool_check_parallel(sgdpar_pipeline_replay_bytes(&p, &bytes), s->layers.file->name);
    tool_check_parallel(sgdpar_pipeline_replay(&p, &links, tool_alloc(bytes, 1), bytes, device,
                                               &step), s->layers.file->name);
    if (drawn) timeline_close(drawn);
    return step;
}

/* A step of one device, in which buckets overlap the last backward pass. */
static void take_plain(const pipeline_set *s, pipeline_point *p, sgdpar_device *device)
{
    replica_point of = {
        .workers = p->way.copies, .scale = {s->compute_scale, 1.0}, .sharding = p->way.sharding,
        .accumulate = p->way.micro_batches, .asked_bytes = s->plain->bucket[0]
    };
    replica_answer_all(s->plain, &of, 1, 1);
    p->step.step_s = of.step.step_s;
    p->step.exposed_s = of.step.exposed_s;
    p->step.passes_s = p->step.largest_s = of.step.step_s - of.step.exposed_s;
    device->passes_s = p->step.passes_s;
    device->done_s = p->step.step_s;
}

/* Within --memory if there is such a split. */
static const size_t *best_split(const pipeline_set *s, const pipeline_way *way)
{
    sgdplan_largest most;
    size_t *first = pipeline_split(&s->layers, way, s->memory_bytes, 0, &most);
    if (!first) first = pipeline_split(&s->layers, way, 0.0, 0, &most);
    pipeline_improve(&s->layers, way, s->memory_bytes, first);
    return first;
}

void pipeline_answer(const pipeline_set *s, pipeline_point *p)
{
    const pipeline_layers *l = &s->layers;
    const pipeline_way *way = &p->way;
    sgdpar_device *device = (sgdpar_device *)tool_alloc(way->devices, sizeof *device);
    double alone_s = 0.0;
    p->first = s->stages ? given_split(s, way) : best_split(s, way);
    sgdpar_stage *stage = pipeline_stages(l, way, p->first);
    add_transfers(s, p, stage);
    p->step = pipeline_time(way, stage, device, l->file->name);
    p->unshared_s = p->step.step_s;
    if (s->replays) p->step = replay(s, way, stage, device);
    if (way->devices == 1 && s->plain) take_plain(s, p, device);
    if (!(p->step.step_s > 0.0)) tool_fail("%s: its layers take no time", l->file->name);
    for (size_t i = 0; i < l->count; i++)
        alone_s += way->micro_batches * (l->layer[i].forward_s + l->layer[i].backward_s)
            + l->layer[i].update_s;
    p->efficiency = alone_s / (way->devices * p->step.step_s);
    p->batches_per_s = (double)way->copies * way->micro_batches / p->step.step_s;
    for (size_t i = 0; i < way->devices; i++) {
        const double bytes = pipeline_memory(l, way, p->first, device, i);
        if (bytes > p->memory_bytes) p->memory_bytes = bytes;
    }
    p->fits = !(s->memory_bytes > 0.0) || p->memory_bytes <= s->memory_bytes;
}

/* Of its number of workers the quickest point that fits, the first of equals; NULL: none does. */
static const pipeline_point *quickest(const pipeline_set *s, uint32_t workers)
{
    const pipeline_point *best = NULL;
    for (size_t i = 0; i < s->count; i++) {
        const pipeline_point *p = &s->point[i];
        if (p->workers == workers && p->fits && (!best || p->batches_per_s > best->batches_per_s))
            best = p;
    }
    return best;
}

int pipeline_offer(const pipeline_set *s, pipeline_point *p)
{
    const pipeline_way *way = &p->way;
    const uint64_t one = (uint64_t)way->devices * s->layers.group;
    const uint64_t stages = (uint64_t)way->devices * way->chunks;
    if (p->workers % one != 0 || stages > s->layers.count) return 0;
    p->way.copies = (uint32_t)(p->workers / one);
    if (s->total_batch > 0.0) p->way.micro_batches = passes_of(s, way->copies);
    if (way->micro_batches == 0 || stages * way->micro_batches > PASSES_MOST) return 0;
    if (way->chunks > 1 && way->micro_batches % way->devices != 0) return 0;
    if (!copies_fit(s, p->way.copies)) return 0;
    if (!(s->links.bandwidth_bytes_per_s > 0.0) && p->workers > s->gpus * s->layers.group)
        tool_fail("%s or %s is missing", NAME_OF(BANDWIDTH), NAME_OF(NETWORK));
    return 1;
}

/* Stage s computes m t_s, after F of the first micro-batch in all stages before it, and before B
 * of the last one there: a step X has m t_s + sum of t before s <= X for each s. So all layers take
 * at most X (1 - (1 - 1/m)^P). A device with several stages, or with W apart, has m t_s <= X. */
double pipeline_most_batches(const pipeline_set *s, const pipeline_point *p)
{
    const pipeline_way *way = &p->way;
    const double m = way->micro_batches;
    const int fills = way->schedule == SGDPAR_PIPELINING_1F1B
        || way->schedule == SGDPAR_PIPELINING_GPIPE;
    double sum_s = 0.0, largest_s = 0.0, idle = 1.0, least_s;
    size_t i;
    for (i = 0; i < s->layers.count; i++) {
        const double time_s = s->layers.layer[i].forward_s + s->layers.layer[i].backward_s;
        sum_s += time_s;
        largest_s = fmax(largest_s, time_s);
    }
    for (i = 0; i < way->devices; i++) idle *= 1.0 - 1.0 / m;
    least_s = fmax(m * largest_s, fills ? sum_s / (1.0 - idle) : m * sum_s / way->devices);
    least_s *= declared_stretch(&s->declared, way->copies * way->devices).growth * (1.0 - 1e-9);
    return way->copies * m / least_s;
}

/* ---- Results ------------------------------------------------------------------ */

static void json_part(output *out, const char *name, double service_s)
{
    json_object(out, name);
    json_number(out, "service", service_s);
    json_number(out, "waiting", 0.0);
    json_end(out);
}

void json_step_parts(output *out, double speedup, const step_parts *p)
{
    json_number(out, "speedup", speedup);
    json_object(out, "utilization");
    json_number(out, "worker", p->worker);
    json_number(out, "link", p->link);
    json_end(out);
    json_string(out, "bottleneck", p->bottleneck);
    json_object(out, "time_s");
    json_part(out, "worker", p->worker_s);
    json_part(out, "link", p->link_s);
    if (p->reads) json_part(out, "input", p->input_s);
    json_number(out, "barrier", 0.0);
    json_end(out);
}

/* What points of other models have too. */
static void json_common(output *out, const pipeline_set *s, const pipeline_point *p)
{
    const double exposed = p->step.exposed_s / p->step.step_s;
    const step_parts parts = {.worker = (1.0 - exposed) * (1.0 - p->step.bubble_share),
                              .link = exposed, .worker_s = p->step.passes_s,
                              .link_s = p->step.exposed_s,
                              .bottleneck = exposed > 0.5 ? "link" : "worker"};
    json_null(out, "low");
    json_null(out, "high");
    json_null(out, "class");
    json_step_parts(out, p->efficiency * p->workers / s->layers.group, &parts);
}

static void print_point(columns *t, const pipeline_set *s, const pipeline_point *p)
{
    column_whole(t, ALL, "workers", p->workers);
    column_whole(t, ALL, "pipeline", p->way.devices);
    column_whole(t, ALL, "data", p->way.copies);
    column_whole(t, ALL, "group", s->layers.group);
    column_whole(t, ALL, "accumulate", p->way.micro_batches);
    column_number(t, ALL, "batches_per_s", p->batches_per_s);
    column_number(t, s->batch > 0.0 ? ALL : DATA, "examples_per_s",
                  known_if(s->batch > 0.0, s->batch * p->batches_per_s));
    if (!s->replays) json_common(t->out, s, p);
    column_number(t, ALL, "step_s", p->step.step_s);
    if (s->replays) column_number(t, ALL, "unshared_step_s", p->unshared_s);
    else column_number(t, ALL, "efficiency", p->efficiency);
    column_number(t, ALL, "bubble_share", p->step.bubble_share);
    if (!s->replays) column_number(t, ALL, "stage_s", p->step.largest_s / p->way.micro_batches);
    column_number(t, ALL, "exposed_s", p->step.exposed_s);
    column_number(t, ALL, "memory_bytes", p->memory_bytes);
    if (!s->replays) replica_print_fits(t, s->memory_bytes, p->fits);
    column_text(t, DATA, "schedule", sgdpar_pipelining_text(p->way.schedule));
    column_text(t, DATA, "sharding", sgdpar_sharding_text(p->way.sharding));
    column_text(t, DATA, "layers", pipeline_counts(&s->layers, &p->way, p->first));
    if (!s->replays) json_bool(t->out, "quickest", p == quickest(s, p->workers));
}

static void print(output *out, const pipeline_set *s)
{
    json_object(out, NULL);
    if (s->replays) json_string(out, "status", "ok");
    json_string(out, "mode", "allreduce");
    json_string(out, "model", "pipeline");
    columns t = columns_open(out, ALL, "points");
    for (size_t i = 0; columns_next(&t, i < s->count); i++) print_point(&t, s, &s->point[i]);
    json_end(out);
    if (s->replays) return;
    output_print(out, "\n");
    for (size_t i = 0; i < s->count; i++) {
        const pipeline_point *p = &s->point[i];
        const char *layout = pipeline_layout(&s->layers, &p->way, p->first);
        if (p != quickest(s, p->workers)) continue;
        output_print(out, "quickest on %lu: %lu device%s, layers %s%s%s\n",
                     (unsigned long)p->workers, COUNTED(p->way.devices),
                     pipeline_counts(&s->layers, &p->way, p->first), layout ? ", layout " : "",
                     layout ? layout : "");
    }
}

/* Reads and answers all points. */
static void answer_all(pipeline_set *s, const args *a, int replays)
{
    memset(s, 0, sizeof *s);
    s->replays = replays;
    s->timeline = args_text(a, OPTION_TIMELINE, NULL);
    read_set(s, a);
    if (s->timeline && s->count > 1)
        args_fail(OPTION_TIMELINE, NULL, "needs one number of %s and --pipeline", NAME_OF(WORKERS));
    for (size_t i = 0; i < s->count; i++) pipeline_answer(s, &s->point[i]);
}

int pipeline_run(const args *a, int replays)
{
    pipeline_set s;
    answer_all(&s, a, replays);
    output out = {.form = args_form(a)};
    print(&out, &s);
    return output_flush(&out, EXIT_DONE);
}
