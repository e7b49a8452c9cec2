/* replica_print.c - what predict prints of steps by layers */
#include "cmd/predict/predict.h"
#include "cmd/predict/replica.h"

#include <string.h>

/* ---- Words ----------------------------------------------------------------- */

const char *replica_ways_text(uint64_t ways)
{
    enum { WORD = 40, WAYS = SGDPAR_ALGORITHM_COUNT * SGDPAR_FORM_COUNT };
    char *text = (char *)tool_alloc(WAYS, WORD);
    size_t i;
    for (i = 0; i < WAYS; i++) {
        if ((ways >> i & 1) == 0) continue;
        if (text[0]) strcat(text, "+");
        strcat(text, protocol_algorithms[i / SGDPAR_FORM_COUNT]);
        strcat(text, ":");
        strcat(text, protocol_forms[i % SGDPAR_FORM_COUNT]);
    }
    return text;
}

/* ---- JSON ------------------------------------------------------------------ */

void replica_print_members(output *out, const replica_set *s, const replica_point *p)
{
    json_number(out, "step_s", p->step.step_s);
    json_number(out, "efficiency", p->efficiency);
    json_number(out, "compute_s", p->step.compute_s);
    json_number(out, "exchange_s", p->step.exchange_s);
    json_number(out, "exposed_s", p->step.exposed_s);
    json_integer(out, "exchanges", p->step.exchanges);
    if (p->bucket_bytes > 0.0) json_number(out, "bucket_bytes", p->bucket_bytes);
    else json_null(out, "bucket_bytes");
    json_integer(out, "accumulate", p->accumulate);
    json_string(out, "collective", s->ways[p->ways].text);
    json_string(out, "way", p->step.ways != 0 ? replica_ways_text(p->step.ways) : NULL);
    json_number(out, "memory_bytes", p->memory.total_bytes);
    if (s->memory_bytes > 0.0) json_bool(out, "fits", p->fits);
    else json_null(out, "fits");
}

static void json_part(output *out, const char *name, double service_s)
{
    json_object(out, name);
    json_number(out, "service", service_s);
    json_number(out, "waiting", 0.0);
    json_end(out);
}

/* What points of other models have too. Computing that exchanges hide is in no part. */
static void json_common(output *out, const replica_point *p)
{
    const sgdpar_replica_step *step = &p->step;
    const double link_s = step->exchange_s < step->step_s ? step->exchange_s : step->step_s;
    json_null(out, "low");
    json_null(out, "high");
    json_null(out, "class");
    json_number(out, "speedup", p->efficiency * p->workers);
    json_object(out, "utilization");
    json_number(out, "worker",
                step->compute_s < step->step_s ? step->compute_s / step->step_s : 1.0);
    json_number(out, "link", link_s / step->step_s);
    json_end(out);
    json_string(out, "bottleneck", step->compute_s >= step->exchange_s ? "worker" : "link");
    json_object(out, "time_s");
    json_part(out, "worker", step->step_s - link_s);
    json_part(out, "link", link_s);
    json_number(out, "barrier", 0.0);
    json_end(out);
}

static void print_json(output *out, const replica_set *s)
{
    size_t i;
    json_object(out, NULL);
    json_string(out, "mode", "allreduce");
    json_string(out, "model", "layers");
    json_array(out, "points");
    for (i = 0; i < s->points; i++) {
        const replica_point *p = &s->point[i];
        json_object(out, NULL);
        json_integer(out, "workers", p->workers);
        json_string(out, "sharding", sgdpar_sharding_text(p->sharding));
        json_number(out, "batches_per_s", p->batches_per_s);
        if (s->batch > 0.0) json_number(out, "examples_per_s", s->batch * p->batches_per_s);
        else json_null(out, "examples_per_s");
        json_common(out, p);
        replica_print_members(out, s, p);
        json_bool(out, "quickest", p == replica_quickest(s, p->group));
        json_end(out);
    }
    json_end(out);
    json_end(out);
}

/* ---- Tables ---------------------------------------------------------------- */

static result_table *new_table(const replica_set *s, int all)
{
    static const char *const names[] = {
        "step_s", "efficiency", "exchange_s", "exposed_s", "exchanges",
        "bucket_bytes", "memory_bytes"
    };
    column_list list;
    size_t i;
    list.count = 0;
    curves_add_column(&list, "", "workers", "");
    curves_add_column(&list, "", "sharding", "");
    curves_add_column(&list, "", "batches_per_s", "");
    if (all || s->batch > 0.0) curves_add_column(&list, "", "examples_per_s", "");
    for (i = 0; i < COUNT_OF(names); i++) curves_add_column(&list, "", names[i], "");
    list.column[list.count - 2].digits = 9;
    if (s->memory_bytes > 0.0) curves_add_column(&list, "", "fits", "");
    if (all || s->accumulates > 1) curves_add_column(&list, "", "accumulate", "");
    if (all || s->collectives > 1) curves_add_column(&list, "", "collective", "");
    curves_add_column(&list, "", "way", "");
    return table_new(list.column, list.count);
}

static void add_row(result_table *t, const replica_set *s, const replica_point *p, int all)
{
    table_integer(t, p->workers);
    table_text(t, sgdpar_sharding_text(p->sharding));
    table_number(t, p->batches_per_s);
    if (s->batch > 0.0) table_number(t, s->batch * p->batches_per_s);
    else if (all) table_empty(t);
    table_number(t, p->step.step_s);
    table_number(t, p->efficiency);
    table_number(t, p->step.exchange_s);
    table_number(t, p->step.exposed_s);
    table_integer(t, p->step.exchanges);
    if (p->bucket_bytes > 0.0) table_number(t, p->bucket_bytes);
    else table_empty(t);
    table_number(t, p->memory.total_bytes);
    if (s->memory_bytes > 0.0) table_text(t, p->fits ? "yes" : "no");
    if (all || s->accumulates > 1) table_integer(t, p->accumulate);
    if (all || s->collectives > 1) table_text(t, s->ways[p->ways].text);
    if (p->step.ways != 0) table_text(t, replica_ways_text(p->step.ways)); else table_empty(t);
}

static void print_quickest(output *out, const replica_set *s)
{
    size_t g;
    output_print(out, "\n");
    for (g = 0; g < s->groups; g++) {
        const replica_point *best = replica_quickest(s, g);
        output_print(out, "quickest on %lu worker%s%s: ", (unsigned long)s->workers[g],
                     s->workers[g] == 1 ? "" : "s",
                     s->memory_bytes > 0.0 ? " of those that fit" : "");
        output_print(out, "%s", best ? sgdpar_sharding_text(best->sharding) : "none fits");
        if (best && best->bucket_bytes > 0.0 && s->buckets > 1)
            output_print(out, ", buckets of %.9g bytes", best->bucket_bytes);
        if (best && s->accumulates > 1)
            output_print(out, ", %lu micro-batches a step", (unsigned long)best->accumulate);
        if (best && s->collectives > 1) output_print(out, ", %s", s->ways[best->ways].text);
        output_print(out, "\n");
    }
}

static void print_table(output *out, const replica_set *s, output_format format)
{
    const int all = format == FORMAT_CSV;
    result_table *t = new_table(s, all);
    size_t i;
    for (i = 0; i < s->points; i++) add_row(t, s, &s->point[i], all);
    table_print(t, out, format);
    if (!all && s->points > s->groups) print_quickest(out, s);
}

static replica_scale as_it_is(const void *ctx, size_t i)
{
    (void)ctx;
    (void)i;
    return replica_as_is;
}

int replica_predict(const args *a, size_t processes)
{
    static const replica_usual usual = { "ddp", "1", "25MiB", NULL };
    replica_set s;
    output out = {0};
    replica_read(&s, a, NULL, &usual);
    replica_note(&s, a);
    if (s.accumulates > 1)
        tool_note("more micro-batches a step make the total batch larger, so that the same loss "
                  "may need more examples: quickest is what has the most mini-batches/s");
    replica_answer_all(&s, s.point, s.points, as_it_is, NULL, processes);
    replica_note_answers(&s, s.point, s.points);
    if (args_format(a) == FORMAT_JSON) print_json(&out, &s);
    else print_table(&out, &s, args_format(a));
    return output_flush(&out, EXIT_DONE);
}
