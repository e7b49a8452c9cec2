/* print.c - the result of sgdperf plan: see plan.h */
#include "base/columns.h"
#include "cmd/plan/plan.h"

#include <stdio.h>

/* Its parts: "read_latency_s". */
static void print_parts(columns *t, const sgdplan_epoch *e)
{
    json_object(t->out, "parts");
    for (size_t i = 0; i < SGDPLAN_EPOCH_PARTS; i++) {
        char key[32], *at;
        snprintf(key, sizeof key, "%s_s", sgdplan_epoch_text((sgdplan_epoch_part)i));
        for (at = key; *at != '\0'; at++)
            if (*at == '-') *at = '_';
        column_number(t, DATA, key, e->part_s[i]);
    }
    json_end(t->out);
}

/* ---- Layers ---------------------------------------------------------------- */

/* "0 1 2 3": workers by partition, replications with | between them. */
static const char *workers_text(const sgdplan_split *s)
{
    const size_t n = (size_t)s->partitions * s->replications;
    enum { ONE = 14 };
    char *text = (char *)tool_alloc(n, ONE);
    size_t used = 0;
    for (size_t i = 0; i < n; i++)
        used += (size_t)snprintf(text + used, ONE, "%s%lu",
                                 i == 0 ? "" : i % s->partitions == 0 ? "|" : " ",
                                 (unsigned long)s->worker[i]);
    return text;
}

/* by_layer: NULL: only how it is split. */
static void print_layer(columns *t, const plan_problem *p, const sgdplan_plan *plan,
                        const sgdplan_epoch *by_layer, size_t l)
{
    columns_row(t);
    column_text(t, TABLES, "layer", plan_layer_name(&p->layers, l));
    column_text(t, JSON, "name", plan_layer_name(&p->layers, l));
    column_whole(t, ALL, "partitions", plan->configuration.split[l].partitions);
    column_whole(t, ALL, "replications", plan->configuration.split[l].replications);
    column_whole(t, ALL, "threads", plan->configuration.split[l].threads);
    if (!by_layer) return;
    column_whole(t, ALL, "activations", by_layer[l].activations);
    column_whole(t, ALL, "errors", by_layer[l].errors);
    column_number(t, ALL, "epoch_s", by_layer[l].epoch_s);
    print_parts(t, &by_layer[l]);
}

static void print_layers(output *out, const plan_problem *p, const sgdplan_plan *plan)
{
    sgdplan_epoch *by_layer = (sgdplan_epoch *)tool_alloc(p->layers.count, sizeof *by_layer), epoch;
    plan_evaluate(p, plan, by_layer, &epoch);
    sgdplan_mapping places = plan_place(p, plan);
    columns t = columns_open(out, TABLES, NULL);
    for (size_t l = 0; l < p->layers.count; l++) {
        print_layer(&t, p, plan, by_layer, l);
        column_text(&t, ALL, "on_workers", workers_text(&places.split[l]));
    }
    columns_close(&t);
    output_print(out, "with these places an epoch takes %.6g s\n\n", places.epoch.epoch_s);
}

/* ---- JSON ------------------------------------------------------------------ */

/* Where the segments of the layers are placed. */
static void json_places(output *out, const plan_problem *p, const sgdplan_mapping *places)
{
    json_object(out, "mapping");
    json_string(out, "objective", p->objective == SGDPLAN_LEAST_SUM ? "sum" : "largest");
    json_number(out, "epoch_s", places->epoch.epoch_s);
    json_bool(out, "contiguous", places->contiguous);
    columns t = columns_open(out, JSON, "layers");
    for (size_t l = 0; columns_next(&t, l < p->layers.count); l++) {
        column_text(&t, ALL, "name", plan_layer_name(&p->layers, l));
        column_number(&t, ALL, "sum", places->assigned[l].sum);
        column_number(&t, ALL, "largest", places->assigned[l].largest);
        column_number(&t, ALL, "greedy_sum", places->assigned[l].greedy_sum);
        column_number(&t, ALL, "greedy_largest", places->assigned[l].greedy_largest);
        json_bool(out, "conflict", places->assigned[l].conflict);
    }
    t = columns_open(out, JSON, "segments");
    for (size_t l = 0; l < p->layers.count; l++) {
        const sgdplan_split *s = &places->split[l];
        for (size_t i = 0; i < (size_t)s->partitions * s->replications; i++) {
            columns_row(&t);
            column_text(&t, ALL, "layer", plan_layer_name(&p->layers, l));
            column_whole(&t, ALL, "segment", i % s->partitions);
            column_whole(&t, ALL, "replication", i / s->partitions);
            column_whole(&t, ALL, "worker", s->worker[i]);
        }
    }
    columns_close(&t);
    json_end(out);
}

static void json_plan(columns *t, const plan_problem *p, const sgdplan_plan *plan, int whole)
{
    sgdplan_epoch *by_layer = (sgdplan_epoch *)tool_alloc(p->layers.count, sizeof *by_layer);
    sgdplan_epoch epoch;
    plan_evaluate(p, plan, by_layer, &epoch);
    columns_row(t);
    column_whole(t, ALL, "servers", plan->configuration.servers);
    column_whole(t, ALL, "replicas", plan->configuration.replicas);
    column_whole(t, ALL, "workers", plan->configuration.workers);
    column_number(t, ALL, "epoch_s", plan->epoch_s);
    print_parts(t, &epoch);
    columns layers = columns_open(t->out, JSON, "layers");
    for (size_t l = 0; l < p->layers.count; l++)
        print_layer(&layers, p, plan, whole ? by_layer : NULL, l);
    columns_close(&layers);
    if (!whole) return;
    sgdplan_mapping places = plan_place(p, plan);
    json_places(t->out, p, &places);
}

static void json_plans(output *out, const char *key, const plan_problem *p,
                       const sgdplan_plan *plan, size_t count)
{
    columns t = columns_open(out, JSON, key);
    for (size_t i = 0; i < count; i++) json_plan(&t, p, &plan[i], 0);
    columns_close(&t);
}

static void print_json(output *out, const plan_problem *p, const plan_answer *answer)
{
    json_integer(out, "machines", p->in.job.machines.count);
    json_integer(out, "configurations", answer->looked_at);
    json_object(out, "best");
    columns t = columns_open(out, JSON, NULL);
    json_plan(&t, p, &answer->ranked[0], 1);
    json_end(out);
    json_plans(out, "runners_up", p, answer->ranked + 1, answer->ranks - 1);
    if (p->keep_all) json_plans(out, "all", p, answer->all, answer->count);
}

/* ---- Tables ---------------------------------------------------------------- */

static const char *splits_text(const plan_problem *p, const sgdplan_plan *plan)
{
    enum { ONE = 36 };
    char *text = (char *)tool_alloc(p->layers.count, ONE);
    size_t used = 0;
    for (size_t l = 0; l < p->layers.count; l++)
        used += (size_t)snprintf(text + used, ONE, "%s%lu/%lu/%lu", l > 0 ? " " : "",
                                 (unsigned long)plan->configuration.split[l].partitions,
                                 (unsigned long)plan->configuration.split[l].replications,
                                 (unsigned long)plan->configuration.split[l].threads);
    return text;
}

/* Rows of configurations: for CSV all columns, for a reader those that fit. */
static void print_ranking(columns *t, const plan_problem *p, const plan_answer *answer)
{
    const sgdplan_plan *plan = p->keep_all ? answer->all : answer->ranked;
    const size_t n = p->keep_all ? answer->count : answer->ranks;
    for (size_t i = 0; i < n; i++) {
        const double best_s = plan[0].epoch_s;
        columns_row(t);
        column_whole(t, CSV, "machines", p->in.job.machines.count);
        column_whole(t, ALL, "rank", i + 1);
        column_whole(t, ALL, "workers", plan[i].configuration.workers);
        column_whole(t, ALL, "replicas", plan[i].configuration.replicas);
        column_whole(t, ALL, "servers", plan[i].configuration.servers);
        column_round(t, ALL, "epoch_s", 6, plan[i].epoch_s);
        column_round(t, SCREEN, "slower", 4, best_s > 0.0 ? plan[i].epoch_s / best_s : 1.0);
        if (t->in == CSV) {
            sgdplan_epoch epoch;
            plan_evaluate(p, &plan[i], NULL, &epoch);
            print_parts(t, &epoch);
            column_text(t, ALL, "splits", splits_text(p, &plan[i]));
        }
    }
}

static void print_shares(output *out, const plan_problem *p, const sgdplan_plan *plan)
{
    sgdplan_epoch epoch;
    plan_evaluate(p, plan, NULL, &epoch);
    columns t = columns_open(out, SCREEN, NULL);
    for (size_t i = 0; columns_next(&t, i < SGDPLAN_EPOCH_PARTS); i++) {
        column_text(&t, ALL, "part", sgdplan_epoch_text((sgdplan_epoch_part)i));
        column_number(&t, ALL, "seconds", epoch.part_s[i]);
        column_round(&t, ALL, "percent", 3,
                     epoch.epoch_s > 0.0 ? 100.0 * epoch.part_s[i] / epoch.epoch_s : 0.0);
    }
    output_print(out, "\n");
}

static void print_human(output *out, const plan_problem *p, const plan_answer *answer)
{
    const sgdplan_plan *best = &answer->ranked[0];
    const sgdplan_configuration *b = &best->configuration;
    output_print(out, "%lu machines of %lu core%s, %lu configuration%s\n"
                 "best: %lu server%s, %lu replica%s of %lu worker%s, %.6g s an epoch\n\n",
                 (unsigned long)p->in.job.machines.count, (unsigned long)p->in.job.machines.cores,
                 p->in.job.machines.cores == 1 ? "" : "s", (unsigned long)answer->looked_at,
                 answer->looked_at == 1 ? "" : "s", (unsigned long)b->servers,
                 b->servers == 1 ? "" : "s", (unsigned long)b->replicas,
                 b->replicas == 1 ? "" : "s", (unsigned long)b->workers,
                 b->workers == 1 ? "" : "s", best->epoch_s);
    print_shares(out, p, best);
    print_layers(out, p, best);
    columns t = columns_open(out, SCREEN, NULL);
    print_ranking(&t, p, answer);
    columns_close(&t);
}

void plan_print(output *out, plan_problem *p, const plan_answer *found, int by_layer)
{
    const int several = p->scenarios > 1;
    json_object(out, NULL);
    if (several) json_array(out, "scenarios");
    columns t = columns_open(out, by_layer ? 0 : CSV, NULL);
    for (size_t i = 0; i < p->scenarios; i++) {
        p->in.job.machines.count = p->machines[i];
        if (several) json_object(out, NULL);
        if (out->form == JSON) print_json(out, p, &found[i]);
        if (several) json_end(out);
        if (i > 0) output_print(out, "\n");
        if (out->form == SCREEN) print_human(out, p, &found[i]);
        if (by_layer) print_layers(out, p, &found[i].ranked[0]);
        else if (t.in == CSV) print_ranking(&t, p, &found[i]);
    }
    columns_close(&t);
    if (several) json_end(out);
    json_end(out);
}
