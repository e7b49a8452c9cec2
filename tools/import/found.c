/* found.c - what a reader has found, gathered */
#include "import/import.h"

#include <float.h>
#include <string.h>

static int is_finite(double x) { return x >= -DBL_MAX && x <= DBL_MAX; }

static void check_times(const import_found *f, const char *what, double start_s, double end_s)
{
    if (!is_finite(start_s) || !is_finite(end_s) || !is_finite(end_s - start_s))
        tool_fail("%s: %s of a time that is no number", f->file, what);
    if (end_s < start_s)
        tool_fail("%s: %s that ends %.9g s before it starts", f->file, what, start_s - end_s);
}

static uint32_t add_name(import_found *f, const char *name, size_t length)
{
    size_t number = 0;
    if (names_add(&f->names, name, length, &number) == NAMES_FULL || number >= UINT32_MAX)
        tool_fail("%s: out of memory", f->file);
    return (uint32_t)number;
}

void *import_grow(void *array, size_t count, size_t *room, size_t size)
{
    if (count < *room) return array;
    *room = *room < 64 ? 64 : *room + *room / 2;
    return tool_resize(array, *room, size);
}

void import_free(import_found *f)
{
    names_free(&f->names);
    names_free(&f->nodes);
    tool_free(f->step);
    tool_free(f->op);
    tool_free(f->wait);
    tool_free(f->layer);
    tool_free(f->dropped);
    memset(f, 0, sizeof *f);
}

size_t import_add_step(import_found *f, uint64_t number, double start_s, double end_s)
{
    import_step *s;
    check_times(f, "a step", start_s, end_s);
    if (f->steps == UINT32_MAX) tool_fail("%s: too many steps", f->file);
    f->step = (import_step *)import_grow(f->step, f->steps, &f->step_room,
                                         sizeof *f->step);
    s = &f->step[f->steps];
    s->number = number;
    s->start_s = start_s;
    s->end_s = end_s;
    return f->steps++;
}

size_t import_add_op(import_found *f, const import_op *op, const char *name, size_t length)
{
    import_op *o;
    check_times(f, "an operation", op->start_s, op->end_s);
    if (!(op->bytes <= IMPORT_MOST_BYTES)) tool_fail("%s: an operation of too many bytes", f->file);
    f->op = (import_op *)import_grow(f->op, f->ops, &f->op_room, sizeof *f->op);
    o = &f->op[f->ops];
    *o = *op;
    o->name = add_name(f, name, length);
    o->first_wait = f->waits;
    o->waits = 0;
    return f->ops++;
}

void import_add_wait(import_found *f, size_t op)
{
    if (op >= UINT32_MAX) tool_fail("%s: too many operations", f->file);
    f->wait = (uint32_t *)import_grow(f->wait, f->waits, &f->wait_room,
                                      sizeof *f->wait);
    f->wait[f->waits++] = (uint32_t)op;
    f->op[f->ops - 1].waits++;
}

void import_add_layer(import_found *f, const import_layer *l, const char *name, size_t length)
{
    if (!(l->forward_s <= IMPORT_MOST_BYTES && l->backward_s <= IMPORT_MOST_BYTES &&
          l->bytes <= IMPORT_MOST_BYTES && l->output_bytes <= IMPORT_MOST_BYTES))
        tool_fail("%s: a layer of a time or size that is too large", f->file);
    f->layer = (import_layer *)import_grow(f->layer, f->layers, &f->layer_room,
                                           sizeof *f->layer);
    f->layer[f->layers] = *l;
    f->layer[f->layers++].name = add_name(f, name, length);
}

void import_skip_steps(import_found *f, size_t steps)
{
    uint32_t *place = (uint32_t *)tool_alloc(f->ops, sizeof *place);
    size_t ops = 0, waits = 0, i, k;
    f->steps -= steps;
    memmove(f->step, f->step + steps, f->steps * sizeof *f->step);
    for (i = 0; i < f->ops; i++) {
        place[i] = f->op[i].step < steps ? UINT32_MAX : (uint32_t)ops;
        if (f->op[i].step < steps) continue;
        f->op[ops] = f->op[i];
        f->op[ops++].step -= (uint32_t)steps;
    }
    f->ops = ops;
    for (i = 0; i < ops; i++) {        /* waits stand in the order of their ops */
        import_op *op = &f->op[i];
        const size_t first = op->first_wait, count = op->waits;
        op->first_wait = waits;
        for (k = 0; k < count; k++)    /* for ops of their own step */
            f->wait[waits++] = place[f->wait[first + k]];
        op->waits = waits - op->first_wait;
    }
    f->waits = waits;
}

void import_drop(import_found *f, const char *why, uint64_t count)
{
    size_t i = 0;
    if (count == 0) return;
    while (i < f->drops && strcmp(f->dropped[i].why, why) != 0) i++;
    if (i == f->drops) {
        f->dropped = (import_dropped *)import_grow(f->dropped, f->drops,
                                                   &f->drop_room, sizeof *f->dropped);
        f->dropped[i].why = why;
        f->dropped[i].count = 0;
        f->drops++;
    }
    f->dropped[i].count += count;
}

void import_fail_json(const json_reader *r, const char *what)
{
    const stream *s = r->source;
    const uint64_t byte = s->offset - (uint64_t)(r->end - r->at);
    tool_fail("%s:%lu: byte %.0f: %s", s->name, (unsigned long)r->line, (double)byte,
              r->wrong ? r->wrong : what);
}
