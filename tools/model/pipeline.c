/* pipeline.c - layers to stages of a pipeline: see pipeline.h */
#include "model/pipeline.h"

#include "files/status.h"
#include "model/replica.h"

#include <stdio.h>
#include <string.h>

static const double BYTES_OF_PARAMETER = 4.0;
enum { IMPROVED_MOST = 100000 };       /* stages squared x micro-batches               */

/* ---- Layers ---------------------------------------------------------------- */

/* A column of sizes or times; NULL: there is none. */
static double *read_column(const csv_table *t, const char *name)
{
    const int column = csv_column(t, name);
    if (column == CSV_NONE) return NULL;
    double *value = (double *)tool_alloc(t->rows, sizeof *value);
    for (size_t i = 0; i < t->rows; i++) {
        value[i] = csv_number(t, i, column, NUMBER_NON_NEGATIVE);
        if (value[i] > 1e280) csv_fail(t, i, column, "is too large");
    }
    return value;
}

/* The number of a row; 1: there is no column. */
static uint32_t group_at(const csv_table *t, size_t row)
{
    const int column = csv_column(t, "group");
    return column == CSV_NONE ? 1 : (uint32_t)csv_integer(t, row, column, 1, PIPELINE_MOST);
}

size_t pipeline_groups(const csv_table *t, uint32_t **group)
{
    size_t n = 0, i, k;
    *group = (uint32_t *)tool_alloc(t->rows, sizeof **group);
    for (i = 0; i < t->rows; i++) {
        const uint32_t of = group_at(t, i);
        for (k = 0; k < n && (*group)[k] != of; k++) {}
        if (k == n) (*group)[n++] = of;
    }
    return n;
}

const csv_table *pipeline_rows(const csv_table *t, uint32_t group)
{
    csv_table *of = (csv_table *)tool_alloc(1, sizeof *of);
    const size_t wide = (size_t)t->columns;
    size_t i;
    *of = *t;
    of->rows = 0;
    of->line = (size_t *)tool_alloc(t->rows, sizeof *of->line);
    of->cells = (char **)tool_alloc(t->rows, wide * sizeof *of->cells);
    for (i = 0; i < t->rows; i++) {
        if (group_at(t, i) != group) continue;
        memcpy(of->cells + of->rows * wide, t->cells + i * wide,
               wide * sizeof *of->cells);
        of->line[of->rows++] = t->line[i];
    }
    return of;
}

/* All rows have the same number. */
static uint32_t read_group(const csv_table *t)
{
    for (size_t i = 1; i < t->rows; i++)
        if (group_at(t, i) != group_at(t, 0))
            csv_fail(t, i, csv_column(t, "group"), "differs from the row above: all rows "
                                                       "need the same number");
    return group_at(t, 0);
}

/* The state by the tensors of layers if it depends on their sizes and these are known. */
static void read_optimizer(pipeline_layers *l, const args *a)
{
    const int sized = args_word(a, OPTION_OPTIMIZER, 0) == SGDPAR_OPTIMIZER_ADAFACTOR;
    if (sized && csv_column(l->file, "tensors") != CSV_NONE) {
        size_t n;
        double tail_s;
        const sgdpar_tensor *tensor = layers_tensors(l->file, l->layer, &n, &tail_s);
        replica_read_tensor_state(&l->precision, a, tensor, n, "tensor");
        return;
    }
    double *bytes = (double *)tool_alloc(l->count, sizeof *bytes);
    for (size_t i = 0; i < l->count; i++) bytes[i] = l->layer[i].bytes;
    replica_read_optimizer(&l->precision, a, bytes, l->count, "layer");
}

void pipeline_read_layers(pipeline_layers *l, const args *a, const csv_table *t)
{
    memset(l, 0, sizeof *l);
    layers_take(t, &l->layer, &l->name);
    layers_check_sums(t, l->layer);
    l->file = t;
    l->count = t->rows;
    l->weight_s = read_column(t, "weight_s");
    for (size_t i = 0; l->weight_s && i < l->count; i++)
        if (l->weight_s[i] > l->layer[i].backward_s)
            csv_fail(t, i, csv_column(t, "weight_s"), "is above backward_s, of which it is a part");
    l->output_bytes = read_column(t, "output_bytes");
    l->activations_bytes = read_column(t, "activations_bytes");
    l->group = read_group(t);
    if (l->activations_bytes && args_given(a, OPTION_ACTIVATIONS))
        args_fail(OPTION_ACTIVATIONS, NULL, "cannot be combined with a column 'activations_bytes'");
    if (!l->activations_bytes) {
        const double all = args_number(a, OPTION_ACTIVATIONS, 0.0);
        l->activations_bytes = (double *)tool_alloc(l->count, sizeof(double));
        for (size_t i = 0; i < l->count; i++) l->activations_bytes[i] = all / (double)l->count;
        if (!args_given(a, OPTION_ACTIVATIONS))
            tool_note("activations-not-counted",
                      "%s: no column 'activations_bytes', and no %s: the memory is printed "
                      "without the activations of micro-batches in flight", t->name,
                      NAME_OF(ACTIVATIONS));
    }
    replica_read_precision(&l->precision, a);
    read_optimizer(l, a);
}

/* ---- Stages ---------------------------------------------------------------- */

static size_t stages_of(const pipeline_way *way) { return (size_t)way->devices * way->chunks; }

size_t pipeline_end(const pipeline_layers *l, const pipeline_way *way, const size_t *first,
                    size_t s)
{
    return s + 1 < stages_of(way) ? first[s + 1] : l->count;
}

double pipeline_bytes(const pipeline_layers *l, const pipeline_way *way, const size_t *first,
                      size_t s)
{
    double bytes = 0.0;
    for (size_t i = first[s]; i < pipeline_end(l, way, first, s); i++) bytes += l->layer[i].bytes;
    return bytes;
}

/* State of layers with gradients of so many bytes in the table, on one accelerator. */
static double state_bytes(const pipeline_layers *l, const pipeline_way *way, double bytes)
{
    const sgdpar_model model = {
        .precision = l->precision, .parameters = bytes / BYTES_OF_PARAMETER / l->group,
        .workers = way->copies, .sharding = way->sharding
    };
    sgdpar_memory memory;
    tool_check_parallel(sgdpar_memory_of(&model, &memory), l->file->name);
    return memory.total_bytes;
}

double pipeline_memory(const pipeline_layers *l, const pipeline_way *way, const size_t *first,
                       const sgdpar_device *device, size_t p)
{
    double bytes = device[p].activations_bytes;
    for (size_t s = p; s < stages_of(way); s += way->devices)
        bytes += state_bytes(l, way, pipeline_bytes(l, way, first, s));
    return bytes;
}

sgdpar_stage *pipeline_stages(const pipeline_layers *l, const pipeline_way *way,
                              const size_t *first)
{
    sgdpar_stage *stage = (sgdpar_stage *)tool_alloc(stages_of(way), sizeof *stage);
    for (size_t s = 0; s < stages_of(way); s++)
        for (size_t i = first[s]; i < pipeline_end(l, way, first, s); i++) {
            stage[s].forward_s += l->layer[i].forward_s;
            stage[s].backward_s += l->layer[i].backward_s;
            stage[s].update_s += l->layer[i].update_s;
            stage[s].activations_bytes += l->activations_bytes[i];
            if (l->weight_s) stage[s].weight_s += l->weight_s[i];
        }
    for (size_t s = 0; s < stages_of(way); s++) /* sums that were rounded apart */
        if (stage[s].weight_s > stage[s].backward_s) stage[s].weight_s = stage[s].backward_s;
    return stage;
}

sgdpar_pipeline_step pipeline_time(const pipeline_way *way, const sgdpar_stage *stage,
                                   sgdpar_device *device, const char *name)
{
    const sgdpar_pipeline p = {
        .schedule = way->schedule, .stage = stage, .devices = way->devices,
        .chunks = way->chunks, .micro_batches = way->micro_batches
    };
    sgdpar_pipeline_step step;
    size_t bytes = 0;
    tool_check_parallel(sgdpar_pipeline_time_bytes(&p, &bytes), name);
    tool_check_parallel(sgdpar_pipeline_time(&p, tool_alloc(bytes, 1), bytes, device, &step), name);
    return step;
}

/* Micro-batches in flight at each stage: those whose activations it keeps if each is a byte. */
static double *in_flight(const pipeline_way *way, const char *name)
{
    const size_t n = stages_of(way);
    sgdpar_stage *stage = (sgdpar_stage *)tool_alloc(n, sizeof *stage);
    sgdpar_device *device = (sgdpar_device *)tool_alloc(way->devices, sizeof *device);
    double *kept = (double *)tool_alloc(n, sizeof *kept);
    size_t s;
    for (s = 0; s < n; s++) stage[s].activations_bytes = 1.0;
    (void)pipeline_time(way, stage, device, name);
    for (s = 0; s < n; s++) kept[s] = device[s % way->devices].activations_bytes / way->chunks;
    return kept;
}

/* ---- Splits ---------------------------------------------------------------- */

/* Which part of a model a layer is, by its name: 'E'mbedding, 'L'oss and head, or 't'. */
static char kind_of(const pipeline_layers *l, size_t i)
{
    static const char *const heads[] = {"head", "loss", "logits", "final"};
    const char *name = csv_text(l->file, i, l->name);
    if (strstr(name, "embed")) return 'E';
    for (size_t k = 0; k < COUNT_OF(heads); k++)
        if (strstr(name, heads[k])) return 'L';
    return 't';
}

/* Layers between the embedding and the head: from the first to before *end. */
static size_t middle(const pipeline_layers *l, size_t *end)
{
    size_t from = 0;
    *end = l->count;
    while (from < l->count && kind_of(l, from) == 'E') from++;
    while (*end > from && kind_of(l, *end - 1) == 'L') --*end;
    return from;
}

static void split_equally(const pipeline_layers *l, size_t n, size_t *first)
{
    size_t end, from = middle(l, &end), s;
    if (end - from < n) {
        from = 0;
        end = l->count;
    }
    for (s = 0; s < n; s++) first[s] = s == 0 ? 0 : from + s * (end - from) / n;
}

/* What sgdperf_plan.h splits. */
static sgdplan_stages pieces_of(const pipeline_layers *l, const pipeline_way *way,
                                double most_bytes)
{
    sgdplan_piece *piece = (sgdplan_piece *)tool_alloc(l->count, sizeof *piece);
    const sgdplan_stages of = {
        .piece = piece, .pieces = l->count, .stages = stages_of(way),
        .in_flight = in_flight(way, l->file->name), .most_bytes = most_bytes / way->chunks
    };
    for (size_t i = 0; i < l->count; i++) {
        piece[i].time_s = l->layer[i].forward_s + l->layer[i].backward_s;
        piece[i].held_bytes = state_bytes(l, way, l->layer[i].bytes);
        piece[i].kept_bytes = l->activations_bytes[i];
    }
    return of;
}

size_t *pipeline_split(const pipeline_layers *l, const pipeline_way *way, double most_bytes,
                       int equal, sgdplan_largest *out)
{
    const size_t n = stages_of(way);
    const sgdplan_stages of = pieces_of(l, way, most_bytes);
    size_t *first = (size_t *)tool_alloc(n, sizeof *first), bytes = 0;
    if (equal) {
        split_equally(l, n, first);
        tool_check_plan(sgdplan_largest_stage(&of, first, out), l->file->name);
        return first;
    }
    tool_check_plan(sgdplan_split_stages_bytes(&of, &bytes), l->file->name);
    sgdplan_status status = sgdplan_split_stages(&of, tool_alloc(bytes, 1), bytes, first, out);
    if (status == SGDPLAN_NO_PLAN) return NULL;
    tool_check_plan(status, l->file->name);
    return first;
}

/* A pipeline whose splits are timed, and its work area. */
typedef struct timed_split {
    const pipeline_layers *layers;
    sgdpar_pipeline line;
    sgdpar_stage   *stage;             /* [stages]                                         */
    void           *work;
    size_t          bytes;
} timed_split;

/* sgdplan_step_time of the passes alone. */
static double split_time(void *ctx, const size_t *first)
{
    const timed_split *t = (const timed_split *)ctx;
    const size_t n = (size_t)t->line.devices * t->line.chunks;
    sgdpar_pipeline_step step;
    for (size_t s = 0; s < n; s++) {
        const size_t end = s + 1 < n ? first[s + 1] : t->layers->count;
        t->stage[s].forward_s = t->stage[s].backward_s = 0.0;
        for (size_t i = first[s]; i < end; i++) {
            t->stage[s].forward_s += t->layers->layer[i].forward_s;
            t->stage[s].backward_s += t->layers->layer[i].backward_s;
        }
    }
    tool_check_parallel(sgdpar_pipeline_time(&t->line, t->work, t->bytes, NULL, &step),
                        t->layers->file->name);
    return step.step_s;
}

void pipeline_improve(const pipeline_layers *l, const pipeline_way *way, double most_bytes,
                      size_t *first)
{
    const size_t n = stages_of(way);
    const sgdplan_stages of = pieces_of(l, way, most_bytes);
    sgdpar_stage *stage = (sgdpar_stage *)tool_alloc(n, sizeof *stage);
    timed_split t = {
        .layers = l, .stage = stage,
        .line = {.schedule = way->schedule, .stage = stage, .devices = way->devices,
                 .chunks = way->chunks, .micro_batches = way->micro_batches}
    };
    double step_s;
    if (way->chunks == 1 || (double)n * (double)n * way->micro_batches > IMPROVED_MOST) return;
    tool_check_parallel(sgdpar_pipeline_time_bytes(&t.line, &t.bytes), l->file->name);
    t.work = tool_alloc(t.bytes, 1);
    tool_check_plan(sgdplan_improve_split(&of, split_time, &t, first, &step_s), l->file->name);
    tool_free(t.work);
}

/* ---- Words ----------------------------------------------------------------- */

enum { WORD = 32 };

const char *pipeline_layout(const pipeline_layers *l, const pipeline_way *way,
                            const size_t *first)
{
    const size_t n = stages_of(way);
    char *text = (char *)tool_alloc(n + 1, WORD);
    size_t end, from = middle(l, &end), s, at = 0, i;
    for (i = from; i < end; i++)
        if (kind_of(l, i) != 't') return NULL;
    if (n > 1 && (first[1] < from || first[n - 1] > end)) return NULL;
    for (s = 0; s < n; s++) {
        const size_t a = first[s] > from ? first[s] : from;
        const size_t after = pipeline_end(l, way, first, s), b = after < end ? after : end;
        at += (size_t)snprintf(text + at, WORD, "%s", s == 0 ? "E" : "|");
        if (b > a + 1) at += (size_t)snprintf(text + at, WORD, "t*%lu", (unsigned long)(b - a));
        else if (b == a + 1) at += (size_t)snprintf(text + at, WORD, "t");
    }
    (void)snprintf(text + at, WORD, "L");
    return text;
}

const char *pipeline_counts(const pipeline_layers *l, const pipeline_way *way,
                            const size_t *first)
{
    const size_t n = stages_of(way);
    char *text = (char *)tool_alloc(n, WORD);
    size_t at = 0;
    for (size_t s = 0; s < n; s++)
        at += (size_t)snprintf(text + at, WORD, "%s%lu", s > 0 ? "," : "",
                               (unsigned long)(pipeline_end(l, way, first, s) - first[s]));
    return text;
}
