/* replay_step.c - the steps of a measured row that replay.c has the workers run */
#include "cmd/validate/replay_step.h"
#include "files/status.h"

#include "files/layers.h"

#include <string.h>

enum {
    REPLAY_PROFILES = 500,    /* profiled steps where the computation varies              */
    REPLAY_CHAINS = 40,       /* of chained ones, each as long as a run                   */
    REPLAY_OPS_MOST = 65000   /* of a chain                                               */
};

/* ---- Columns that only replays read ---------------------------------------- */

double replay_number(const dataset_row *r, const char *column, number_rule rule)
{
    return csv_number_or(r->file, r->row, csv_column(r->file, column), rule, 0.0);
}

const char *replay_word(const dataset_row *r, const char *column)
{
    const int at = csv_column(r->file, column);
    return csv_is_empty(r->file, r->row, at) ? "" : csv_text(r->file, r->row, at);
}

uint64_t replay_measured(const dataset_row *r)
{
    return csv_integer_or(r->file, r->row, csv_column(r->file, "steps"), 2, UINT32_MAX, 0);
}

/* ---- Layers ---------------------------------------------------------------- */

/* Without a table the model is one layer, or so many equal buckets of an all-reduce. */
static size_t read_layers(const dataset_row *r, sgdsim_layer **layer)
{
    const double buckets = replay_number(r, "buckets", NUMBER_ANY);
    const size_t n = r->mode == MODE_ALLREDUCE && buckets > 1.0 && buckets <= 1024.0
                   ? (size_t)buckets : 1;
    int column;
    size_t i;
    if (r->layers) return layers_read(r->layers, layer, &column)->rows;
    *layer = (sgdsim_layer *)tool_alloc(n, sizeof **layer);
    for (i = 0; i < n; i++) {
        (*layer)[i].bytes = r->job.model_bytes / (double)n;
        (*layer)[i].forward_s = r->job.forward_s / (double)n;
        (*layer)[i].backward_s = r->job.backward_s / (double)n;
        (*layer)[i].update_s = r->job.update_s / (double)n;
    }
    return n;
}

void replay_ask(const dataset_row *r)
{
    sgdsim_layer *layer;
    (void)read_layers(r, &layer);
    (void)replay_measured(r);
    (void)replay_number(r, "bucket_bytes", NUMBER_NON_NEGATIVE);
    (void)replay_word(r, "order");
    (void)replay_word(r, "place");
    (void)replay_word(r, "updates");
}

/* The computation of layers in the proportions of a type of workers. */
static void scale_layers(sgdsim_layer *layer, size_t n, const sgdp_worker_type *type)
{
    double forward_s = 0.0, backward_s = 0.0;
    size_t i;
    for (i = 0; i < n; i++) {
        forward_s += layer[i].forward_s;
        backward_s += layer[i].backward_s;
    }
    for (i = 0; i < n; i++) {
        layer[i].forward_s = forward_s > 0.0 ? layer[i].forward_s * type->forward_s / forward_s
                                             : type->forward_s / (double)n;
        layer[i].backward_s = backward_s > 0.0
                            ? layer[i].backward_s * type->backward_s / backward_s
                            : type->backward_s / (double)n;
    }
}

/* Of an all-reduce: gradients leave with the layer that makes them so many bytes. */
static void gather_layers(sgdsim_layer *layer, size_t n, double bucket_bytes)
{
    double bytes = 0.0;
    size_t i;
    for (i = n; i-- > 0;) {
        bytes += layer[i].bytes;
        layer[i].bytes = 0.0;
        if (i > 0 && bytes < bucket_bytes) continue;
        layer[i].bytes = bytes;
        bytes = 0.0;
    }
}

/* ---- Operations ------------------------------------------------------------ */

static void check(const dataset_row *r, sgdsim_status status)
{
    if (status != SGDSIM_OK)
        csv_fail(r->file, r->row, CSV_NONE, "model simulated: %s", sgdsim_status_text(status));
}

/* Each server's part of all layers; equal parts if the row does not tell. */
static const double *find_shares(const dataset_row *r, uint32_t servers)
{
    double *share = (double *)tool_alloc(servers, sizeof *share);
    uint32_t m;
    if (r->job.shares) return r->job.shares;
    for (m = 0; m < servers; m++) share[m] = 1.0 / servers;
    return share;
}

/* Whole layers on servers: the largest first, each where there is least. */
static void place_layers(sgdsim_op *op, size_t n, const sgdsim_layer *layer, uint32_t servers)
{
    double load[REPLAY_SERVERS_MOST] = {0.0};
    char *placed = (char *)tool_alloc(n, 1);
    size_t i, k;
    uint32_t m, least;
    for (k = 0; k < n; k++) {
        size_t most = n;
        for (i = 0; i < n; i++)
            if (!placed[i] && (most == n || layer[i].bytes > layer[most].bytes)) most = i;
        for (m = 1, least = 0; m < servers; m++)
            if (load[m] < load[least]) least = m;
        placed[most] = 1;
        load[least] += layer[most].bytes;
        op[most].server = op[4 * n - 1 - most].server = op[5 * n - 1 - most].server = least;
    }
}

/* Writes the ops of a step to op, which has room for 5 n servers of them; how many. */
static size_t build_ops(const dataset_row *r, const sgdsim_layer *layer, size_t n, sgdsim_op *op)
{
    const int whole = r->job.overlap == SGDP_OVERLAP_NONE;
    const uint32_t servers = r->job.servers > 1 ? r->job.servers : 1;
    const size_t edges = n * (whole ? n + 5 : 6);
    sgdsim_op *one = (sgdsim_op *)tool_alloc(5 * n, sizeof *one);
    uint32_t *waits = (uint32_t *)tool_alloc(edges, (servers + 1) * sizeof *waits);
    size_t *first = (size_t *)tool_alloc(5 * n + 1, sizeof *first);
    if (sgdsim_trace_layers(layer, n, whole, one, waits) != SGDSIM_OK)
        csv_fail(r->file, r->row, CSV_NONE, "model simulated: a time is too large");
    if (strcmp(replay_word(r, "place"), "balanced") == 0) {
        place_layers(one, n, layer, servers);
        memcpy(op, one, 5 * n * sizeof *op);
        return 5 * n;
    }
    check(r, sgdsim_trace_split(&(sgdsim_step){one, 5 * n}, find_shares(r, servers), servers, op,
                                waits + edges, first));
    return first[5 * n];
}

/* ---- Steps ----------------------------------------------------------------- */

static sgdsim_shape shape_of(const dataset_row *r)
{
    const sgdp_shape shape = r->job.vary.shape;
    if (shape == SGDP_SHAPE_LOGNORMAL) return SGDSIM_SHAPE_LOGNORMAL;
    return shape == SGDP_SHAPE_EXPONENTIAL ? SGDSIM_SHAPE_EXPONENTIAL : SGDSIM_SHAPE_NORMAL;
}

/* Factors of the computation; their mean is 1 in a replay of the measured length. */
static double *draw_factors(const dataset_row *r, double cv, uint64_t seed, size_t n)
{
    double *factor = (double *)tool_alloc(n, sizeof *factor), sum = 0.0;
    size_t s;
    for (s = 0; s < n; s++) {
        factor[s] = cv > 0.0 ? sgdsim_trace_variation(shape_of(r), cv, seed, s) : 1.0;
        sum += factor[s];
    }
    for (s = 0; s < n && replay_measured(r) > 0; s++) factor[s] *= (double)n / sum;
    return factor;
}

void replay_order(replay_steps *p, const dataset_row *r, uint64_t seed)
{
    const char *word = replay_word(r, "order");
    const int random = strcmp(word, "random") == 0;
    const sgdsim_step *step = p->trace.step;
    sgdsim_ordering by;
    size_t bytes = 0;
    if (!random && strcmp(word, "reverse") != 0) return;
    by.rule = random ? SGDSIM_ORDER_RANDOM : SGDSIM_ORDER_REVERSE;
    by.seed = seed;
    p->order = (uint32_t *)tool_alloc(step->ops, sizeof *p->order);
    check(r, sgdsim_order_transfers_bytes(step, by.rule, &bytes));
    by.bandwidth_bytes_per_s = r->job.bandwidth_bytes_per_s;
    check(r, sgdsim_order_transfers(step, &by, tool_alloc(bytes, 1), bytes, p->order,
                                    &p->ordered));
}

/* Of several servers each goes on by itself, as those of the testbed do. */
int replay_is_chained(const dataset_row *r)
{
    const char *order = replay_word(r, "order");
    if (r->mode != MODE_ASYNC || r->job.servers < 2 || replay_measured(r) < 5) return 0;
    return strcmp(order, "random") != 0 && strcmp(order, "reverse") != 0;
}

static size_t count_copies(const dataset_row *r, size_t ops, int chained)
{
    const uint64_t measured = replay_measured(r);
    if (!chained || !replay_is_chained(r)) return 1;
    return measured <= REPLAY_OPS_MOST / ops ? (size_t)measured : 1;
}

/* Chains of the step one[ops], alike but for computation, which a factor makes longer or
 * shorter step by step. */
static sgdsim_trace vary_chains(const dataset_row *r, const sgdsim_op *one, size_t ops,
                                size_t copies, const double *factor, size_t chains)
{
    const size_t n = ops * copies;
    sgdsim_op *all = (sgdsim_op *)tool_alloc(chains * n, sizeof *all);
    sgdsim_step *step = (sgdsim_step *)tool_alloc(chains, sizeof *step);
    size_t edges = ops, c, i;
    sgdsim_trace trace;
    for (i = 0; i < ops; i++) edges += one[i].waits;
    check(r, sgdsim_trace_chain(&(sgdsim_step){one, ops}, copies, all,
                                (uint32_t *)tool_alloc(edges * copies, sizeof(uint32_t))));
    for (c = chains; c-- > 0;) { /* the first, which the others copy, last */
        sgdsim_op *op = all + c * n;
        if (c > 0) memcpy(op, all, n * sizeof *op);
        for (i = 0; i < n; i++)
            if (op[i].resource == SGDSIM_WORKER) op[i].duration_s *= factor[c * copies + i / ops];
        step[c].op = op;
        step[c].ops = n;
    }
    trace.step = step;
    trace.steps = chains;
    return trace;
}

replay_steps replay_build(const dataset_row *r, const sgdp_worker_type *type, double cv,
                          int chained, uint64_t seed)
{
    const size_t servers = r->job.servers > 1 ? r->job.servers : 1;
    const double bucket_bytes = replay_number(r, "bucket_bytes", NUMBER_NON_NEGATIVE);
    replay_steps p = {{NULL, 0}, NULL, 0, 0.0, 1, 0};
    sgdsim_layer *layer;
    const size_t n = read_layers(r, &layer);
    sgdsim_op *one = (sgdsim_op *)tool_alloc(5 * n, servers * sizeof *one);
    size_t chains, i;
    if (type) scale_layers(layer, n, type);
    if (r->mode == MODE_ALLREDUCE && bucket_bytes > 0.0) gather_layers(layer, n, bucket_bytes);
    for (i = 0; i < n; i++)
        p.alone_s += layer[i].forward_s + layer[i].backward_s + layer[i].update_s;
    p.ops = build_ops(r, layer, n, one);
    p.copies = count_copies(r, p.ops, chained);
    chains = !(cv > 0.0) ? 1 : p.copies > 1 ? REPLAY_CHAINS : REPLAY_PROFILES;
    p.trace = vary_chains(r, one, p.ops, p.copies, draw_factors(r, cv, seed, chains * p.copies),
                          chains);
    return p;
}
