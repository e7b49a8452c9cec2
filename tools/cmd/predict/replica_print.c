/* replica_print.c - what predict prints of steps by layers */
#include "cmd/predict/replica.h"

/* The quickest of the ways to run on these workers, of those that fit if that is asked. */
static const replica_point *quickest(const replica_set *s, size_t from)
{
    const replica_point *best = NULL;
    size_t i;
    for (i = from; i < from + s->shardings; i++) {
        const replica_point *p = &s->point[i];
        if (s->memory_bytes > 0.0 && !p->fits) continue;
        if (!best || p->step.step_s < best->step.step_s) best = p;
    }
    return best;
}

static void print_json(output *out, const replica_set *s)
{
    size_t i;
    json_object(out, NULL);
    json_string(out, "mode", "allreduce");
    json_array(out, "points");
    for (i = 0; i < s->points; i++) {
        const replica_point *p = &s->point[i];
        json_object(out, NULL);
        json_integer(out, "workers", p->workers);
        json_string(out, "sharding", sgdp_sharding_text(p->sharding));
        json_number(out, "batches_per_s", p->batches_per_s);
        if (s->batch > 0.0) json_number(out, "examples_per_s", s->batch * p->batches_per_s);
        else json_null(out, "examples_per_s");
        json_number(out, "step_s", p->step.step_s);
        json_number(out, "efficiency", p->efficiency);
        json_number(out, "compute_s", p->step.compute_s);
        json_number(out, "exchange_s", p->step.exchange_s);
        json_number(out, "exposed_s", p->step.exposed_s);
        json_integer(out, "exchanges", p->step.exchanges);
        if (p->bucket_bytes > 0.0) json_number(out, "bucket_bytes", p->bucket_bytes);
        else json_null(out, "bucket_bytes");
        json_number(out, "memory_bytes", p->memory.total_bytes);
        if (s->memory_bytes > 0.0) json_bool(out, "fits", p->fits);
        else json_null(out, "fits");
        json_bool(out, "quickest", p == quickest(s, i / s->shardings * s->shardings));
        json_end(out);
    }
    json_end(out);
    json_end(out);
}

void replica_print(output *out, const replica_set *s, output_format format)
{
    const table_column column[] = {
        {"workers", 0}, {"sharding", 0}, {"batches_per_s", 0}, {"step_s", 0},
        {"efficiency", 0}, {"exchange_s", 0}, {"exposed_s", 0}, {"exchanges", 0},
        {"bucket_bytes", 9}, {"memory_bytes", 0}, {"fits", 0}
    };
    const size_t columns = COUNT_OF(column) - (s->memory_bytes > 0.0 ? 0 : 1);
    result_table *t;
    size_t i;
    if (format == FORMAT_JSON) {
        print_json(out, s);
        return;
    }
    t = table_new(column, columns);
    for (i = 0; i < s->points; i++) {
        const replica_point *p = &s->point[i];
        table_integer(t, p->workers);
        table_text(t, sgdp_sharding_text(p->sharding));
        table_number(t, p->batches_per_s);
        table_number(t, p->step.step_s);
        table_number(t, p->efficiency);
        table_number(t, p->step.exchange_s);
        table_number(t, p->step.exposed_s);
        table_integer(t, p->step.exchanges);
        if (p->bucket_bytes > 0.0) table_number(t, p->bucket_bytes);
        else table_empty(t);
        table_number(t, p->memory.total_bytes);
        if (s->memory_bytes > 0.0) table_text(t, p->fits ? "yes" : "no");
    }
    table_print(t, out, format);
    if (format == FORMAT_CSV || s->shardings == 1) return;
    output_print(out, "\n");
    for (i = 0; i < s->points; i += s->shardings) {
        const replica_point *best = quickest(s, i);
        output_print(out, "quickest on %lu workers%s: %s\n", (unsigned long)s->point[i].workers,
                     s->memory_bytes > 0.0 ? " of those that fit" : "",
                     best ? sgdp_sharding_text(best->sharding) : "none fits");
    }
}
