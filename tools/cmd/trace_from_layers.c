/* trace_from_layers.c - sgdperf trace-from-layers: a table of layers to a trace */
#include "base/columns.h"
#include "cmd/commands.h"
#include "files/layers.h"
#include "files/status.h"
#include "files/trace.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

static const option_use uses[] = {
    ABOUT(
    "usage: sgdperf trace-from-layers LAYERS.csv [--batch N] [--bucket SIZE]\n"
    "                                 [--vary CV [--steps N]] [--servers M]\n"
    "\n"
    "Writes the operations of a step of a layered network as a trace for sgdperf\n"
    "simulate.\n"
    "\n"
    "LAYERS.csv (- is stdin) has one row per layer, in the order of the forward pass:\n"
    "  layer       name of the layer\n"
    "  bytes       its parameters, and its gradients\n"
    "  forward_s   seconds of its forward pass for a mini-batch\n"
    "  backward_s  seconds of its backward pass\n"
    "  update_s    seconds of its update at the parameter server\n"
    "  server      the parameter server that holds it, from 0; optional, see\n"
    "              --servers\n"
    "Columns that import --layers writes of the traced workers and their link are\n"
    "written to the trace, too.\n"
    "A layer's forward pass waits for its download and for the layer before. Its\n"
    "backward pass waits for the layer behind, its upload for its backward pass, its\n"
    "update for its upload.\n"
    "\n"
    "The step\n"),
    USE_HELP(BATCH, "number of examples per mini-batch; multiplies forward_s and backward_s", "1"),
    USE(WHOLE),
    USE_AS(BUCKET, NUMBER, "SIZE", NULL, "sends gradients in buckets of SIZE, the first of 1 MiB",
         "each layer is sent alone"),
    USE_HELP(SERVERS, "number of parameter servers; the least loaded server gets each layer", "1"),
    HEADING("Steps that vary"),
    USE_AS(VARY, AS_TABLE, "CV", NULL,
         "writes --steps steps with this coefficient of variation of compute time",
         "writes one step"),
    USE_HELP(STEPS, "number of profiled steps, with --vary", "100"),
    USE_HELP(SEED, "seed of the random factors of --vary", "1"),
    HEADING("Output"),
    USE_AS(FORMAT, CHOICE, NULL, "csv json", "output format: csv, or json: {\"operations\":[...]}",
         "csv"),
    SECTION("Units", SIZE_UNITS),
    SECTION("Notes",
    "  bucket   Gradients are collected in the order of the backward pass. A bucket\n"
    "           is sent when it holds SIZE or more, as PyTorch's\n"
    "           DistributedDataParallel does.\n"
    "  vary     The computation of a step is multiplied by a nearly normal factor >=\n"
    "           0 of mean 1. What 0 cuts off makes it 1.004 and 0.49 at CV 0.5, 1.08\n"
    "           and 0.80 at 1. Asynchronous workers otherwise stay in step. sgdperf\n"
    "           validate assumes 0.05; simulate draws the steps with replacement.\n"
    "  servers  Layers go, in turn, to the server that holds least, as TensorFlow\n"
    "           places them. simulate needs --servers M too.\n"),
    SECTION("Example: two layers",
    "  $ printf '%s\\n' layer,bytes,forward_s,backward_s,update_s \\\n"
    "      conv,4000000,0.5,0.75,0.125 dense,5000000,0.25,0.5,0.25 |\n"
    "      sgdperf trace-from-layers -\n"
    "  step,op,resource,server,duration_s,bytes,waits_for,name\n"
    "  0,0,downlink,0,,4000000,,conv\n"
    "  0,1,downlink,0,,5000000,,dense\n"
    "  0,2,worker,0,0.5,,0,conv forward\n"
    "  0,3,worker,0,0.25,,1 2,dense forward\n"
    "  0,4,worker,0,0.5,,3,dense backward\n"
    "  0,5,worker,0,0.75,,4,conv backward\n"
    "  0,6,uplink,0,,5000000,4,dense grad\n"
    "  0,7,uplink,0,,4000000,5,conv grad\n"
    "  0,8,server,0,0.25,,6,dense update\n"
    "  0,9,server,0,0.125,,7,conv update\n")
};

static const option_rule rules[] = {
    NEEDS(EACH(OPTION_STEPS, OPTION_SEED), ONE(VARY)),
    EXCLUDES(ONE(BUCKET), EACH(OPTION_WHOLE, OPTION_SERVERS))
};

enum { VARIED_STEPS = 100, VARIED_MOST_STEPS = 1000000, LAYERS_MOST_SERVERS = 10000 };

typedef struct layer_table {
    const csv_table *file;
    int           column;     /* of the names                                       */
    sgdsim_layer *layer;      /* [rows]                                             */
    uint32_t     *server;     /* [rows] that holds it                               */
    sgdsim_op    *op;         /* [ops] of a step that takes as long as the mean     */
    const char  **name;       /* [ops]                                              */
    size_t        ops;
    double        vary;       /* coefficient of variation of the computation        */
    uint64_t      steps, seed;
    double        fact[TRACE_FACTS]; /* of the trace that the layers are from; 0: not told  */
} layer_table;

/* ---- Reading --------------------------------------------------------------- */

static void read_layers(layer_table *table, const char *path, double batch)
{
    table->file = layers_read(path, &table->layer, &table->column);
    for (size_t i = 0; i < table->file->rows; i++) {
        table->layer[i].forward_s *= batch;
        table->layer[i].backward_s *= batch;
    }
    for (size_t i = 0; i < TRACE_FACTS; i++) {
        const int replaced = table->vary > 0.0 && strcmp(trace_facts[i], "vary") == 0;
        table->fact[i] = replaced ? 0.0 : trace_told(table->file, trace_facts[i]);
    }
}

/* The server of each layer: those of the column, or by the greedy rule. */
static void place_layers(layer_table *table, const args *a)
{
    const csv_table *t = table->file;
    const int column = csv_column(t, "server");
    const uint32_t servers = (uint32_t)args_integer(a, OPTION_SERVERS, 1, LAYERS_MOST_SERVERS, 1);
    double *bytes = (double *)tool_alloc(t->rows, sizeof *bytes);
    double *shares = (double *)tool_alloc(servers, sizeof *shares);
    double sum = 0.0;
    table->server = (uint32_t *)tool_alloc(t->rows, sizeof *table->server);
    for (size_t i = 0; i < t->rows && column != CSV_NONE; i++)
        table->server[i] = (uint32_t)csv_integer_or(t, i, column, 0, LAYERS_MOST_SERVERS - 1, 0);
    if (!args_given(a, OPTION_SERVERS)) return;
    if (column != CSV_NONE)
        args_fail(OPTION_SERVERS, NULL, "cannot be combined with the column 'server' of %s, which "
                                        "places the layers",
                  t->name);
    for (size_t i = 0; i < t->rows; i++) sum += bytes[i] = table->layer[i].bytes;
    if (sgdp_greedy_shares(bytes, t->rows, servers, shares, table->server) != SGDP_OK)
        tool_fail("%s:%lu: column 'bytes': %s", t->name, (unsigned long)t->header_line,
                  sum > 0.0 ? "the sum is too large" : "all cells are 0");
}

static void read_variation(layer_table *table, const args *a)
{
    const int varies = args_given(a, OPTION_VARY);
    table->vary = args_quantity(a, OPTION_VARY, UNIT_NONE, NUMBER_FRACTION, 0.0);
    table->steps = args_integer(a, OPTION_STEPS, 1, VARIED_MOST_STEPS, varies ? VARIED_STEPS : 1);
    table->seed = args_integer(a, OPTION_SEED, 0, UINT64_MAX, 1);
}

/* ---- Operations ------------------------------------------------------------ */

/* "LAYER what"; "LAYER..LAST what" where two layers differ. */
static const char *op_name(const layer_table *table, size_t layer, size_t last, const char *what)
{
    const char *from = csv_text(table->file, layer, table->column);
    const char *to = csv_text(table->file, last, table->column);
    return tool_text("%s%s%s%s%s", from, layer == last ? "" : "..", layer == last ? "" : to,
                     *what == '\0' ? "" : " ", what);
}

static void build_ops(layer_table *table, int whole)
{
    const size_t n = table->file->rows;
    uint32_t *waits = (uint32_t *)tool_alloc(whole ? n + 5 : 6, n * sizeof *waits);
    table->ops = 5 * n;
    table->op = (sgdsim_op *)tool_alloc(table->ops, sizeof *table->op);
    table->name = (const char **)tool_alloc(table->ops, sizeof *table->name);
    if (sgdsim_trace_layers(table->layer, n, whole, table->op, waits) != SGDSIM_OK)
        tool_fail("%s: a time is too large", table->file->name);
    for (size_t i = 0; i < n; i++) {
        const size_t back = n - 1 - i;
        table->op[i].server = table->server[i];
        table->op[3 * n + i].server = table->op[4 * n + i].server = table->server[back];
        table->name[i] = op_name(table, i, i, "");
        table->name[n + i] = op_name(table, i, i, "forward");
        table->name[2 * n + i] = op_name(table, back, back, "backward");
        table->name[3 * n + i] = op_name(table, back, back, "grad");
        table->name[4 * n + i] = op_name(table, back, back, "update");
    }
}

/* Replaces uploads and updates by those of buckets. */
static void fill_buckets(layer_table *table, double bucket_bytes)
{
    const size_t n = table->file->rows;
    uint32_t *waits = (uint32_t *)tool_alloc(2 * n, sizeof *waits);
    size_t *closing = (size_t *)tool_alloc(n, sizeof *closing), buckets = 0, b;
    if (sgdsim_trace_buckets(table->layer, n, bucket_bytes, &(sgdsim_draft){table->op, waits, NULL},
                             closing, &buckets) != SGDSIM_OK)
        tool_fail("%s:%lu: the sum over a bucket is too large", table->file->name,
                  (unsigned long)table->file->header_line);
    for (b = 0; b < buckets; b++) {
        const size_t last = b > 0 ? closing[b - 1] - 1 : n - 1;
        table->name[3 * n + b] = op_name(table, closing[b], last, "grad");
        table->name[3 * n + buckets + b] = op_name(table, closing[b], last, "update");
    }
    table->ops = 3 * n + 2 * buckets;
}

/* ---- Printing -------------------------------------------------------------- */

static int is_transfer(const sgdsim_op *op)
{
    return op->resource == SGDSIM_DOWNLINK || op->resource == SGDSIM_UPLINK;
}

static const char *waits_text(const sgdsim_op *op)
{
    const size_t bytes = 11 * op->waits + 1;
    char *text = (char *)tool_alloc(bytes, 1);
    size_t used = 0;
    for (size_t k = 0; k < op->waits; k++)
        used += (size_t)snprintf(text + used, bytes - used, "%s%lu", k > 0 ? " " : "",
                                 (unsigned long)op->waits_for[k]);
    return text;
}

/* By what the computation of a step is longer than the mean. */
static double variation(const layer_table *table, uint64_t step)
{
    return table->vary > 0.0
         ? sgdsim_trace_variation(SGDSIM_SHAPE_NORMAL, table->vary, table->seed, step) : 1.0;
}

/* Of op i in a step that varies so. */
static double duration(const layer_table *table, double varies, size_t i)
{
    double d = table->op[i].duration_s;
    if (table->op[i].resource == SGDSIM_WORKER) d *= varies;
    if (!(d <= DBL_MAX)) tool_fail("%s: a time is too large", table->file->name);
    return d;
}

static void print_op(columns *t, const layer_table *table, uint64_t step, double varies, size_t i)
{
    const sgdsim_op *op = &table->op[i];
    const int transfers = is_transfer(op);
    columns_row(t);
    column_whole(t, ALL, "step", step);
    column_whole(t, ALL, "op", i);
    column_text(t, ALL, "resource", trace_resource_text(op->resource));
    column_whole(t, ALL, "server", op->server);
    column_number(t, transfers ? CSV : DATA, "duration_s",
                  transfers ? (double)NAN : duration(table, varies, i));
    column_number(t, transfers ? DATA : CSV, "bytes", known_if(transfers, op->bytes));
    if (t->in == CSV) column_text(t, CSV, "waits_for", waits_text(op));
    json_array(t->out, "waits_for");
    for (size_t k = 0; k < op->waits; k++) json_integer(t->out, NULL, op->waits_for[k]);
    json_end(t->out);
    column_text(t, ALL, "name", table->name[i]);
    for (size_t k = 0; k < TRACE_FACTS; k++)
        if (table->fact[k] > 0.0)
            column_number(t, CSV, trace_facts[k], known_if(step + i == 0, table->fact[k]));
}

static void print(output *out, const layer_table *table)
{
    json_object(out, NULL);
    columns t = columns_open(out, DATA, "operations");
    for (uint64_t step = 0; step < table->steps; step++) {
        const double varies = variation(table, step);
        for (size_t i = 0; i < table->ops; i++) print_op(&t, table, step, varies, i);
    }
    columns_close(&t);
    json_object(out, "traced");
    for (size_t k = 0; k < TRACE_FACTS; k++)
        if (table->fact[k] > 0.0) json_number(out, trace_facts[k], table->fact[k]);
    json_end(out);
    json_end(out);
}

/* ---- The command ----------------------------------------------------------- */

static int run(args *a)
{
    layer_table table = {0};
    output out = {.form = args_form(a) == JSON ? JSON : CSV};
    double batch = args_number(a, OPTION_BATCH, 1.0);
    double bucket_bytes = args_quantity(a, OPTION_BUCKET, UNIT_SIZE, NUMBER_POSITIVE, 0.0);
    read_variation(&table, a);
    read_layers(&table, a->files[0], batch);
    place_layers(&table, a);
    if (bucket_bytes > 0.0 && csv_column(table.file, "server") != CSV_NONE)
        args_fail(OPTION_BUCKET, NULL, "cannot be combined with a column 'server'");
    build_ops(&table, args_given(a, OPTION_WHOLE));
    if (bucket_bytes > 0.0) fill_buckets(&table, bucket_bytes);
    print(&out, &table);
    return output_flush(&out, EXIT_DONE);
}

const args_command command_trace_from_layers = {
    "trace-from-layers", "turn a table of layers into a trace", run, uses,
    COUNT_OF(uses), rules, COUNT_OF(rules), 1, 1, NULL, 0,
    EACH(OPTION_BATCH, OPTION_BUCKET)};
