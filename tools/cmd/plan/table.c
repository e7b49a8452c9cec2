/* table.c - the result of sgdperf plan as tables and CSV: see plan.h */
#include "cmd/plan/plan.h"

#include <stdio.h>

result_table *plan_ranking_new(int human)
{
    static const table_column first[] = {{"machines", 0}, {"rank", 0}, {"workers", 0},
                                         {"replicas", 0}, {"servers", 0}, {"epoch_s", 6}};
    table_column column[COUNT_OF(first) + SGDPLAN_EPOCH_PARTS + 1];
    char key[SGDPLAN_EPOCH_PARTS][PLAN_KEY_BYTES];
    size_t i, n = 0;
    for (i = (size_t)human; i < COUNT_OF(first); i++) column[n++] = first[i];
    for (i = 0; i < SGDPLAN_EPOCH_PARTS; i++) {
        if (human) continue;
        column[n].name = plan_part_key(i, key[i]);
        column[n++].digits = 0;
    }
    column[n].name = human ? "slower" : "splits";
    column[n++].digits = 4;
    return table_new(column, n);
}

static const char *splits_text(const plan_problem *p, const sgdplan_plan *plan)
{
    enum { ONE = 36 };
    char *text = (char *)tool_alloc(p->layers.count, ONE);
    size_t l, used = 0;
    for (l = 0; l < p->layers.count; l++)
        used += (size_t)snprintf(text + used, ONE, "%s%lu/%lu/%lu", l > 0 ? " " : "",
                                 (unsigned long)plan->configuration.split[l].partitions,
                                 (unsigned long)plan->configuration.split[l].replications,
                                 (unsigned long)plan->configuration.split[l].threads);
    return text;
}

void plan_ranking_add(result_table *t, const plan_problem *p, const plan_answer *answer,
                      int human)
{
    const sgdplan_plan *plan = p->keep_all ? answer->all : answer->ranked;
    const size_t n = p->keep_all ? answer->count : answer->ranks;
    size_t i, part;
    for (i = 0; i < n; i++) {
        if (!human) table_integer(t, p->in.job.machines.count);
        table_integer(t, i + 1);
        table_integer(t, plan[i].configuration.workers);
        table_integer(t, plan[i].configuration.replicas);
        table_integer(t, plan[i].configuration.servers);
        table_number(t, plan[i].epoch_s);
        if (human) {
            table_number(t, plan[0].epoch_s > 0.0 ? plan[i].epoch_s / plan[0].epoch_s : 1.0);
        } else {
            sgdplan_epoch epoch;
            plan_evaluate(p, &plan[i], NULL, &epoch);
            for (part = 0; part < SGDPLAN_EPOCH_PARTS; part++)
                table_number(t, epoch.part_s[part]);
            table_text(t, splits_text(p, &plan[i]));
        }
    }
}

/* "0 1 2 3": workers by partition, replications with | between them. */
static const char *workers_text(const sgdplan_split *s)
{
    const size_t n = (size_t)s->partitions * s->replications;
    enum { ONE = 14 };
    char *text = (char *)tool_alloc(n, ONE);
    size_t i, used = 0;
    for (i = 0; i < n; i++)
        used += (size_t)snprintf(text + used, ONE, "%s%lu",
                                 i == 0 ? "" : i % s->partitions == 0 ? "|" : " ",
                                 (unsigned long)s->worker[i]);
    return text;
}

void plan_print_layers(output *out, const plan_problem *p, const sgdplan_plan *plan,
                       output_format format)
{
    static const table_column first[] = {
        {"layer", 0}, {"partitions", 0}, {"replications", 0}, {"threads", 0},
        {"activations", 0}, {"errors", 0}, {"epoch_s", 0}};
    sgdplan_epoch *by_layer = (sgdplan_epoch *)tool_alloc(p->layers.count, sizeof *by_layer), epoch;
    table_column column[COUNT_OF(first) + SGDPLAN_EPOCH_PARTS + 1];
    char key[SGDPLAN_EPOCH_PARTS][PLAN_KEY_BYTES];
    sgdplan_mapping places;
    result_table *t;
    size_t l, i, n = 0;
    for (i = 0; i < COUNT_OF(first); i++) column[n++] = first[i];
    for (i = 0; format == FORMAT_CSV && i < SGDPLAN_EPOCH_PARTS; i++) {
        column[n].name = plan_part_key(i, key[i]);
        column[n++].digits = 0;
    }
    column[n].name = "on_workers";
    column[n++].digits = 0;
    t = table_new(column, n);
    plan_evaluate(p, plan, by_layer, &epoch);
    places = plan_place(p, plan);
    for (l = 0; l < p->layers.count; l++) {
        table_text(t, plan_layer_name(&p->layers, l));
        table_integer(t, plan->configuration.split[l].partitions);
        table_integer(t, plan->configuration.split[l].replications);
        table_integer(t, plan->configuration.split[l].threads);
        table_integer(t, by_layer[l].activations);
        table_integer(t, by_layer[l].errors);
        table_number(t, by_layer[l].epoch_s);
        for (i = 0; format == FORMAT_CSV && i < SGDPLAN_EPOCH_PARTS; i++)
            table_number(t, by_layer[l].part_s[i]);
        table_text(t, workers_text(&places.split[l]));
    }
    table_print(t, out, format);
    if (format == FORMAT_CSV) return;
    output_print(out, "with these places an epoch takes %.6g s\n\n", places.epoch.epoch_s);
}

static void print_parts(output *out, const plan_problem *p, const sgdplan_plan *plan)
{
    static const table_column columns[] = {{"part", 0}, {"seconds", 0}, {"percent", 3}};
    result_table *t = table_new(columns, COUNT_OF(columns));
    sgdplan_epoch epoch;
    size_t i;
    plan_evaluate(p, plan, NULL, &epoch);
    for (i = 0; i < SGDPLAN_EPOCH_PARTS; i++) {
        table_text(t, sgdplan_epoch_text((sgdplan_epoch_part)i));
        table_number(t, epoch.part_s[i]);
        table_number(t, epoch.epoch_s > 0.0 ? 100.0 * epoch.part_s[i] / epoch.epoch_s : 0.0);
    }
    table_print(t, out, FORMAT_TABLE);
    output_print(out, "\n");
}

void plan_print_human(output *out, const plan_problem *p, const plan_answer *answer)
{
    const sgdplan_plan *best = &answer->ranked[0];
    const sgdplan_configuration *b = &best->configuration;
    result_table *t = plan_ranking_new(1);
    output_print(out, "%lu machines of %lu core%s, %lu configuration%s\n"
                 "best: %lu server%s, %lu replica%s of %lu worker%s, %.6g s an epoch\n\n",
                 (unsigned long)p->in.job.machines.count, (unsigned long)p->in.job.machines.cores,
                 p->in.job.machines.cores == 1 ? "" : "s", (unsigned long)answer->looked_at,
                 answer->looked_at == 1 ? "" : "s", (unsigned long)b->servers,
                 b->servers == 1 ? "" : "s", (unsigned long)b->replicas,
                 b->replicas == 1 ? "" : "s", (unsigned long)b->workers,
                 b->workers == 1 ? "" : "s", best->epoch_s);
    print_parts(out, p, best);
    plan_print_layers(out, p, best, FORMAT_TABLE);
    plan_ranking_add(t, p, answer, 1);
    table_print(t, out, FORMAT_TABLE);
}
