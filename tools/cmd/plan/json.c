/* json.c - the result of sgdperf plan as JSON: see plan.h */
#include "cmd/plan/plan.h"

#include <stdio.h>

const char *plan_part_key(size_t part, char *key)
{
    char *at;
    snprintf(key, PLAN_KEY_BYTES, "%s_s", sgdplan_epoch_text((sgdplan_epoch_part)part));
    for (at = key; *at != '\0'; at++)
        if (*at == '-') *at = '_';
    return key;
}

static void json_parts(output *out, const sgdplan_epoch *e)
{
    char key[PLAN_KEY_BYTES];
    size_t i;
    json_object(out, "parts");
    for (i = 0; i < SGDPLAN_EPOCH_PARTS; i++)
        json_number(out, plan_part_key(i, key), e->part_s[i]);
    json_end(out);
}

static void json_layers(output *out, const plan_problem *p, const sgdplan_plan *plan,
                        const sgdplan_epoch *by_layer)
{
    size_t l;
    json_array(out, "layers");
    for (l = 0; l < p->layers.count; l++) {
        json_object(out, NULL);
        json_string(out, "name", plan_layer_name(&p->layers, l));
        json_integer(out, "partitions", plan->configuration.split[l].partitions);
        json_integer(out, "replications", plan->configuration.split[l].replications);
        json_integer(out, "threads", plan->configuration.split[l].threads);
        if (by_layer) {
            json_integer(out, "activations", by_layer[l].activations);
            json_integer(out, "errors", by_layer[l].errors);
            json_number(out, "epoch_s", by_layer[l].epoch_s);
            json_parts(out, &by_layer[l]);
        }
        json_end(out);
    }
    json_end(out);
}

static void json_places(output *out, const plan_problem *p, const sgdplan_mapping *places)
{
    size_t l, i;
    json_object(out, "mapping");
    json_string(out, "objective", p->objective == SGDPLAN_LEAST_SUM ? "sum" : "largest");
    json_number(out, "epoch_s", places->epoch.epoch_s);
    json_bool(out, "contiguous", places->contiguous);
    json_array(out, "layers");
    for (l = 0; l < p->layers.count; l++) {
        json_object(out, NULL);
        json_string(out, "name", plan_layer_name(&p->layers, l));
        json_number(out, "sum", places->assigned[l].sum);
        json_number(out, "largest", places->assigned[l].largest);
        json_number(out, "greedy_sum", places->assigned[l].greedy_sum);
        json_number(out, "greedy_largest", places->assigned[l].greedy_largest);
        json_bool(out, "conflict", places->assigned[l].conflict);
        json_end(out);
    }
    json_end(out);
    json_array(out, "segments");
    for (l = 0; l < p->layers.count; l++) {
        const sgdplan_split *s = &places->split[l];
        for (i = 0; i < (size_t)s->partitions * s->replications; i++) {
            json_object(out, NULL);
            json_string(out, "layer", plan_layer_name(&p->layers, l));
            json_integer(out, "segment", i % s->partitions);
            json_integer(out, "replication", i / s->partitions);
            json_integer(out, "worker", s->worker[i]);
            json_end(out);
        }
    }
    json_end(out);
    json_end(out);
}

static void json_plan(output *out, const char *key, const plan_problem *p,
                      const sgdplan_plan *plan, int whole)
{
    sgdplan_epoch *by_layer = (sgdplan_epoch *)tool_alloc(p->layers.count, sizeof *by_layer);
    sgdplan_mapping places;
    sgdplan_epoch epoch;
    plan_evaluate(p, plan, by_layer, &epoch);
    json_object(out, key);
    json_integer(out, "servers", plan->configuration.servers);
    json_integer(out, "replicas", plan->configuration.replicas);
    json_integer(out, "workers", plan->configuration.workers);
    json_number(out, "epoch_s", plan->epoch_s);
    json_parts(out, &epoch);
    json_layers(out, p, plan, whole ? by_layer : NULL);
    if (whole) {
        places = plan_place(p, plan);
        json_places(out, p, &places);
    }
    json_end(out);
}

void plan_print_json(output *out, const plan_problem *p, const plan_answer *answer)
{
    size_t i;
    json_integer(out, "machines", p->in.job.machines.count);
    json_integer(out, "configurations", answer->looked_at);
    json_plan(out, "best", p, &answer->ranked[0], 1);
    json_array(out, "runners_up");
    for (i = 1; i < answer->ranks; i++) json_plan(out, NULL, p, &answer->ranked[i], 0);
    json_end(out);
    if (!p->keep_all) return;
    json_array(out, "all");
    for (i = 0; i < answer->count; i++) json_plan(out, NULL, p, &answer->all[i], 0);
    json_end(out);
}
