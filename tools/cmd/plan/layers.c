/* layers.c - the layers of a network as a table: see plan.h */
#include "cmd/plan/plan.h"

enum { COLUMN_C_IN, COLUMN_H_IN, COLUMN_W_IN, COLUMN_C_OUT, COLUMN_H_OUT, COLUMN_W_OUT,
       COLUMN_KERNEL, COLUMN_STRIDE, COLUMN_PAD, COLUMN_N_IN, COLUMN_N_OUT, COLUMN_STEPS,
       COLUMNS };

static const char *const column_names[COLUMNS] = {
    "c_in", "h_in", "w_in", "c_out", "h_out", "w_out", "kernel", "stride", "pad", "n_in",
    "n_out", "steps",
};

/* A cell that must be there, and >= 1. */
static uint32_t needed(const csv_table *t, size_t row, size_t column)
{
    return (uint32_t)csv_integer(t, row, csv_require(t, column_names[column]), 1, UINT32_MAX);
}

static uint32_t optional(const csv_table *t, size_t row, size_t column, uint64_t least,
                         uint64_t fallback)
{
    return (uint32_t)csv_integer_or(t, row, csv_column(t, column_names[column]), least,
                                    UINT32_MAX, fallback);
}

static void read_layer(const csv_table *t, size_t row, sgdplan_layer *layer)
{
    if (layer->kind == SGDPLAN_LAYER_CONV || layer->kind == SGDPLAN_LAYER_POOL) {
        layer->in.channels = needed(t, row, COLUMN_C_IN);
        layer->in.rows = needed(t, row, COLUMN_H_IN);
        layer->in.columns = needed(t, row, COLUMN_W_IN);
        layer->out.channels = needed(t, row, COLUMN_C_OUT);
        layer->out.rows = needed(t, row, COLUMN_H_OUT);
        layer->out.columns = needed(t, row, COLUMN_W_OUT);
        layer->kernel = needed(t, row, COLUMN_KERNEL);
        layer->stride = optional(t, row, COLUMN_STRIDE, 1, 1);
        layer->pad = optional(t, row, COLUMN_PAD, 0, 0);
    } else {
        layer->n_in = needed(t, row, COLUMN_N_IN);
        layer->n_out = needed(t, row, COLUMN_N_OUT);
    }
    if (layer->kind == SGDPLAN_LAYER_RECURRENT)
        layer->steps = optional(t, row, COLUMN_STEPS, 1, 1);
}

void plan_layers_read(plan_layers *layers, const char *path)
{
    const csv_table *t = csv_read(path, 0);
    int kind;
    const char *kinds[SGDPLAN_LAYER_COUNT];
    size_t i;
    layers->file = t;
    layers->name = csv_require(t, "name");
    kind = csv_require(t, "kind");
    layers->count = t->rows;
    layers->layer = (sgdplan_layer *)tool_alloc(t->rows, sizeof *layers->layer);
    for (i = 0; i < SGDPLAN_LAYER_COUNT; i++)
        kinds[i] = sgdplan_layer_text((sgdplan_layer_kind)i);
    for (i = 0; i < t->rows; i++) {
        if (csv_is_empty(t, i, layers->name))
            csv_fail(t, i, layers->name, "the cell is empty");
        layers->layer[i].kind =
            (sgdplan_layer_kind)csv_choice(t, i, kind, kinds, COUNT_OF(kinds));
        read_layer(t, i, &layers->layer[i]);
    }
    csv_unique(t, &layers->name, 1);
}

const char *plan_layer_name(const plan_layers *layers, size_t l)
{
    return csv_text(layers->file, l, layers->name);
}

void plan_layers_check(const plan_layers *layers, int biases)
{
    sgdplan_refusal refusal = {SGDPLAN_FAULT_NONE, 0, 0};
    if (sgdplan_layer_sizes(layers->layer, layers->count, biases, NULL, &refusal) != SGDPLAN_OK)
        csv_fail(layers->file, refusal.layer, CSV_NONE, "layer '%s': %s",
                 plan_layer_name(layers, refusal.layer), sgdplan_fault_text(refusal.reason));
}
