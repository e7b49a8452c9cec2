/* replica_print.c - what predict prints of steps by layers */
#include "cmd/predict/predict.h"

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

/* ---- Columns ---------------------------------------------------------------- */

void replica_print_members(columns *t, const replica_set *s, const replica_point *p)
{
    const char *way = p->step.ways != 0 ? replica_ways_text(p->step.ways) : NULL;
    const int limited = s->memory_bytes > 0.0;
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
    if (limited) json_bool(t->out, "fits", p->fits);
    else json_null(t->out, "fits");
    column_text(t, limited ? TABLES : 0, "fits", p->fits ? "yes" : "no");
    column_whole(t, s->accumulates > 1 ? TABLES : CSV, "accumulate", p->accumulate);
    column_text(t, s->collectives > 1 ? TABLES : CSV, "collective", s->ways[p->ways].text);
    column_text(t, TABLES, "way", way);
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

static void print_points(output *out, const replica_set *s)
{
    columns t;
    size_t i;
    columns_open(&t, out, ALL, "points");
    for (i = 0; i < s->points; i++) {
        const replica_point *p = &s->point[i];
        columns_row(&t);
        column_whole(&t, ALL, "workers", p->workers);
        column_text(&t, ALL, "sharding", sgdpar_sharding_text(p->sharding));
        column_number(&t, ALL, "batches_per_s", p->batches_per_s);
        column_number(&t, s->batch > 0.0 ? ALL : DATA, "examples_per_s",
                      known_if(s->batch > 0.0, s->batch * p->batches_per_s));
        json_common(out, p);
        replica_print_members(&t, s, p);
        json_bool(out, "quickest", p == replica_quickest(s, p->group));
    }
    columns_close(&t);
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

static void print(output *out, const replica_set *s)
{
    json_object(out, NULL);
    json_string(out, "mode", "allreduce");
    json_string(out, "model", "layers");
    print_points(out, s);
    json_end(out);
    if (s->points > s->groups) print_quickest(out, s);
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
        tool_note("larger-batch",
                  "more micro-batches a step make the total batch larger, so that the same loss "
                  "may need more examples: quickest is what has the most mini-batches/s");
    replica_answer_all(&s, s.point, s.points, as_it_is, NULL, processes);
    replica_note_answers(&s, s.point, s.points);
    out.form = args_form(a);
    print(&out, &s);
    return output_flush(&out, EXIT_DONE);
}
