/* ways_print.c - which way to train: in sentences, tables and JSON */
#include "cmd/advise/ways.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- Sentences ------------------------------------------------------------- */

enum { WAYS_TEXT = 1024 };

static void add(char *text, const char *format, ...) TOOL_PRINTF(2, 3);

static void add(char *text, const char *format, ...)
{
    const size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, WAYS_TEXT - used, format, arguments);
    va_end(arguments);
}

static char *new_text(void) { return (char *)tool_alloc(WAYS_TEXT, 1); }

int ways_is_candidate(const ways_set *s, const replica_point *p)
{
    return s->accumulates || p->accumulate == s->replica.accumulate[0];
}

size_t ways_quickest(const ways_set *s, size_t offer, size_t group, sgdpar_sharding sharding,
                     int whatever_fits)
{
    const size_t n = s->replica.points;
    size_t best = s->count, i;
    for (i = offer * n; i < (offer + 1) * n; i++) {
        const replica_point *p = &s->point[i];
        if (p->group != group || !ways_is_candidate(s, p)) continue;
        if (sharding != SGDPAR_SHARDING_COUNT && p->sharding != sharding) continue;
        if (!whatever_fits && s->replica.memory_bytes > 0.0 && !p->fits) continue;
        if (best == s->count || p->batches_per_s > s->point[best].batches_per_s * (1.0 + 1e-12))
            best = i;
    }
    return best;
}

size_t ways_recommended(const ways_set *s) { return s->candidate[s->advice.advice.recommended]; }

const char *ways_name(const ways_set *s, const replica_point *p)
{
    char *text = new_text();
    add(text, "%s", sgdpar_sharding_text(p->sharding));
    if (p->bucket_bytes >= 1048576.0)
        add(text, ", buckets of %.4g MiB", p->bucket_bytes / 1048576.0);
    else if (p->bucket_bytes > 0.0)
        add(text, ", buckets of %.4g KiB", p->bucket_bytes / 1024.0);
    if (p->accumulate > 1) add(text, ", %lu micro-batches a step", (unsigned long)p->accumulate);
    if (s->replica.collectives > 1 && p->workers > 1)
        add(text, ", %s", s->replica.ways[p->ways].text);
    return text;
}

/* Which way, on these workers; then why so many of them. */
const char *ways_reason(const ways_set *s)
{
    const size_t r = ways_recommended(s), offer = r / s->replica.points;
    const replica_point *p = &s->point[r];
    const double limit = s->replica.memory_bytes;
    const size_t best = ways_quickest(s, offer, p->group, SGDPAR_SHARDING_COUNT, s->nothing_fits);
    const char *word = sgdpar_sharding_text(p->sharding);
    const unsigned long workers = (unsigned long)p->workers;
    const int only = s->replica.groups == 1 && s->offers == 1 &&
                     s->advice.advice.rule == SGDP_RULE_BALANCED;
    char *text = new_text();
    if (s->nothing_fits) {
        add(text, "%s on %lu worker%s needs least, %.4g GB", word, workers,
            workers == 1 ? "" : "s", p->memory.total_bytes / 1e9);
        return text;
    }
    add(text, "%s is %s%s on %lu worker%s", word,
        s->point[best].sharding == p->sharding ? "the quickest" : "as quick as any",
        limit > 0.0 ? " that fits" : "", workers, workers == 1 ? "" : "s");
    if (!only) add(text, "; %lu of them: %s", workers, advice_reason(&s->advice));
    return text;
}

/* The other ways on the same workers, each at its best. */
const char *ways_against(const ways_set *s)
{
    const size_t r = ways_recommended(s), n = s->replica.points;
    const replica_point *best = &s->point[r];
    char *text = new_text();
    size_t k;
    for (k = 0; k < s->replica.shardings && !s->nothing_fits; k++) {
        const sgdpar_sharding of = s->replica.sharding[k];
        const size_t i = ways_quickest(s, r / n, best->group, of, 1);
        const replica_point *p = i < s->count ? &s->point[i] : NULL;
        const double more = p ? 100.0 * (best->batches_per_s / p->batches_per_s - 1.0) : 0.0;
        if (!p || of == best->sharding) continue;
        add(text, "%s%s ", text[0] ? ", " : "", sgdpar_sharding_text(of));
        if (s->replica.memory_bytes > 0.0 && !p->fits && !s->nothing_fits)
            add(text, "does not fit (%.3g GB)", p->memory.total_bytes / 1e9);
        else if (more < 1.0 && more > -1.0) add(text, "is as quick");
        else if (more < 0.0)           /* the quickest of those on its workers, if any fits */
            add(text, "takes %.0f %% less, but needs %.3g GB", -more,
                p->memory.total_bytes / 1e9);
        else add(text, "takes %.0f %% longer", more);
    }
    return text;
}

const char *ways_stop(const ways_set *s)
{
    const sgdpar_replica_step *step = &s->point[ways_recommended(s)].step;
    char *text = new_text();
    if (step->exposed_s > step->compute_s)
        add(text, "exchanges that computing does not hide, %.0f %% of a step",
            100.0 * step->exposed_s / step->step_s);
    else
        add(text, "computing, %.0f %% of a step", 100.0 * step->compute_s / step->step_s);
    return text;
}

const char *ways_help(const ways_set *s)
{
    const advice_set *a = &s->advice;
    char *text = new_text();
    size_t i;
    for (i = 0; i < a->remedies && i < 3 && a->gain[a->remedy[i]] >= 0.01; i++)
        add(text, "%s%s (%+.0f %%)", i > 0 ? ", then " : "",
            sgdpar_remedy_text((sgdpar_remedy)a->remedy[i]), 100.0 * a->gain[a->remedy[i]]);
    if (i == 0) add(text, "nothing that was tried, by 1 %% or more");
    return text;
}

/* ---- JSON ------------------------------------------------------------------ */

static void json_known(output *out, const char *key, int known, double value)
{
    if (known) json_number(out, key, value); else json_null(out, key);
}

static void json_members(output *out, const ways_set *s, size_t i)
{
    const advice_set *a = &s->advice;
    const replica_point *p = &s->point[i];
    const sgdp_outlay *o = &s->outlay[i];
    if (a->offer[0].name) json_string(out, "offer", a->offer[i / s->replica.points].name);
    json_integer(out, "workers", p->workers);
    json_string(out, "sharding", sgdpar_sharding_text(p->sharding));
    json_number(out, "batches_per_s", p->batches_per_s);
    json_null(out, "low");
    json_null(out, "high");
    json_known(out, "time_s", a->timed, o->time_s);
    json_null(out, "time_low_s");
    json_null(out, "time_high_s");
    json_known(out, "cost", a->timed && a->priced, o->cost);
    json_null(out, "cost_low");
    json_null(out, "cost_high");
    json_string(out, "in_time",
                a->goal.deadline_s > 0.0 ? sgdp_verdict_text(o->in_time) : NULL);
    json_string(out, "in_budget", a->goal.budget > 0.0 ? sgdp_verdict_text(o->in_budget) : NULL);
    replica_print_members(out, &s->replica, p);
}

static void json_one(output *out, const ways_set *s, const char *key, size_t choice)
{
    if (choice == s->advice.count) {
        json_null(out, key);
        return;
    }
    json_object(out, key);
    json_members(out, s, s->candidate[choice]);
    json_end(out);
}

static void json_recommendation(output *out, const ways_set *s)
{
    static const char *const rules[] = {"balanced", "cheapest", "fastest", "nearest"};
    const sgdp_advice *a = &s->advice.advice;
    if (s->nothing_fits) json_null(out, "recommendation");
    json_object(out, s->nothing_fits ? "nearest" : "recommendation");
    json_members(out, s, ways_recommended(s));
    json_string(out, "rule", s->nothing_fits ? "nearest" : rules[a->rule]);
    json_string(out, "reason", ways_reason(s));
    json_string(out, "against", ways_against(s)[0] ? ways_against(s) : NULL);
    json_number(out, "excess", a->excess);
    json_string(out, "stop", ways_stop(s));
    json_string(out, "help", ways_help(s));
    json_end(out);
    if (!s->nothing_fits) json_null(out, "nearest");
}

static void print_json(output *out, const ways_set *s)
{
    const sgdp_advice *a = &s->advice.advice;
    size_t i;
    json_object(out, NULL);
    json_string(out, "mode", "allreduce");
    json_string(out, "model", "layers");
    json_string(out, "status", s->nothing_fits ? "nothing_fits" : "ok");
    json_recommendation(out, s);
    json_one(out, s, "cheapest", a->cheapest);
    json_one(out, s, "fastest", a->fastest);
    json_one(out, s, "surest", a->surest);
    json_array(out, "remedies");
    for (i = 0; i < s->advice.remedies; i++) {
        const size_t remedy = s->advice.remedy[i];
        json_object(out, NULL);
        json_string(out, "remedy", sgdpar_remedy_text((sgdpar_remedy)remedy));
        json_number(out, "gain", s->advice.gain[remedy]);
        json_end(out);
    }
    json_end(out);
    json_array(out, "points");
    for (i = 0; i < s->count; i++) {
        json_object(out, NULL);
        json_members(out, s, i);
        json_end(out);
    }
    json_end(out);
    json_end(out);
}

/* ---- Tables ---------------------------------------------------------------- */

typedef struct ways_columns {
    int offer, workers, accumulate, bucket, collective, time, cost, in_time, in_budget, fits;
    int         all;           /* for CSV                                              */
    double      unit_s;
    const char *unit;
} ways_columns;

static ways_columns columns_of(const ways_set *s, int all, int workers)
{
    const advice_set *a = &s->advice;
    const double time_s = s->outlay[ways_recommended(s)].time_s;
    ways_columns c;
    c.all = all;
    c.offer = a->offer[0].name != NULL;
    c.workers = all || workers;
    c.accumulate = all || s->replica.accumulates > 1;
    c.bucket = 1;
    c.collective = all || s->replica.collectives > 1;
    c.time = all || a->timed;
    c.cost = all || a->priced;
    c.in_time = all || a->goal.deadline_s > 0.0;
    c.in_budget = all || a->goal.budget > 0.0;
    c.fits = all || s->replica.memory_bytes > 0.0;
    c.unit_s = all || time_s < 120.0 ? 1.0 : time_s < 7200.0 ? 60.0 : 3600.0;
    c.unit = c.unit_s > 60.0 ? "_h" : c.unit_s > 1.0 ? "_min" : "_s";
    return c;
}

static result_table *new_table(const ways_columns *c)
{
    column_list list;
    list.count = 0;
    if (c->offer) curves_add_column(&list, "", "offer", "");
    if (c->workers) curves_add_column(&list, "", "workers", "");
    curves_add_column(&list, "", "sharding", "");
    if (c->accumulate) curves_add_column(&list, "", "accumulate", "");
    curves_add_column(&list, "", "bucket_bytes", "");
    list.column[list.count - 1].digits = 9;
    if (c->collective) curves_add_column(&list, "", "collective", "");
    curves_add_column(&list, "", "way", "");
    curves_add_column(&list, "", "batches_per_s", "");
    curves_add_column(&list, "", "step_s", "");
    if (c->all) curves_add_column(&list, "", "efficiency", "");
    if (c->all) curves_add_column(&list, "", "exchange_s", "");
    curves_add_column(&list, "", "exposed_s", "");
    if (c->time) curves_add_column(&list, "time", "", c->unit);
    if (c->cost) curves_add_column(&list, "", "cost", "");
    curves_add_column(&list, "", "memory_bytes", "");
    if (c->fits) curves_add_column(&list, "", "fits", "");
    if (c->in_time) curves_add_column(&list, "", "in_time", "");
    if (c->in_budget) curves_add_column(&list, "", "in_budget", "");
    return table_new(list.column, list.count);
}

static void add_known(result_table *t, int known, double value)
{
    if (known) table_number(t, value); else table_empty(t);
}

static void add_word(result_table *t, int known, const char *word)
{
    if (known) table_text(t, word); else table_empty(t);
}

static void add_row(result_table *t, const ways_set *s, const ways_columns *c, size_t i)
{
    const advice_set *a = &s->advice;
    const replica_point *p = &s->point[i];
    const sgdp_outlay *o = &s->outlay[i];
    if (c->offer) table_text(t, a->offer[i / s->replica.points].name);
    if (c->workers) table_integer(t, p->workers);
    table_text(t, sgdpar_sharding_text(p->sharding));
    if (c->accumulate) table_integer(t, p->accumulate);
    add_known(t, p->bucket_bytes > 0.0, p->bucket_bytes);
    if (c->collective) table_text(t, s->replica.ways[p->ways].text);
    add_word(t, p->step.ways != 0, replica_ways_text(p->step.ways));
    table_number(t, p->batches_per_s);
    table_number(t, p->step.step_s);
    if (c->all) table_number(t, p->efficiency);
    if (c->all) table_number(t, p->step.exchange_s);
    table_number(t, p->step.exposed_s);
    if (c->time) add_known(t, a->timed, o->time_s / c->unit_s);
    if (c->cost) add_known(t, a->timed && a->priced, o->cost);
    table_number(t, p->memory.total_bytes);
    if (c->fits) add_word(t, s->replica.memory_bytes > 0.0, p->fits ? "yes" : "no");
    if (c->in_time) add_word(t, a->goal.deadline_s > 0.0, sgdp_verdict_text(o->in_time));
    if (c->in_budget) add_word(t, a->goal.budget > 0.0, sgdp_verdict_text(o->in_budget));
}

static void print_sentences(output *out, const ways_set *s)
{
    const advice_set *a = &s->advice;
    const sgdp_advice *of = &a->advice;
    const size_t r = ways_recommended(s);
    if (s->nothing_fits) {
        output_print(out, "nothing fits into %.4g GB: nothing is recommended\n",
                     s->replica.memory_bytes / 1e9);
        output_print(out, "nearest: %s on %s\n  why: %s\n", ways_name(s, &s->point[r]),
                     advice_choice(a, of->recommended), ways_reason(s));
        return;
    }
    output_print(out, "recommended: %s on %s\n", ways_name(s, &s->point[r]),
                 advice_choice(a, of->recommended));
    output_print(out, "  why: %s\n", ways_reason(s));
    if (ways_against(s)[0]) output_print(out, "  beside it: %s\n", ways_against(s));
    output_print(out, "  what stops it: %s\n", ways_stop(s));
    output_print(out, "  what would help most: %s\n", ways_help(s));
    if (a->goal.deadline_s > 0.0 && of->cheapest != of->recommended && of->cheapest < a->count)
        output_print(out, "cheapest within the deadline: %s on %s\n",
                     ways_name(s, &s->point[s->candidate[of->cheapest]]),
                     advice_choice(a, of->cheapest));
    if (a->goal.budget > 0.0 && of->fastest != of->recommended && of->fastest < a->count)
        output_print(out, "fastest within the budget: %s on %s\n",
                     ways_name(s, &s->point[s->candidate[of->fastest]]),
                     advice_choice(a, of->fastest));
}

/* All ways on the recommended workers, and the best way on each number of them. */
static void print_tables(output *out, const ways_set *s)
{
    const size_t r = ways_recommended(s), n = s->replica.points;
    ways_columns c = columns_of(s, 0, 0);
    result_table *t = new_table(&c);
    size_t i, g, offer;
    for (i = r / n * n; i < (r / n + 1) * n; i++)
        if (s->point[i].group == s->point[r].group) add_row(t, s, &c, i);
    print_sentences(out, s);
    output_print(out, "\nways on %lu worker%s\n", (unsigned long)s->point[r].workers,
                 s->point[r].workers == 1 ? "" : "s");
    table_print(t, out, FORMAT_TABLE);
    if (s->replica.groups * s->offers == 1) return;
    c = columns_of(s, 0, 1);
    t = new_table(&c);
    for (offer = 0; offer < s->offers; offer++)
        for (g = 0; g < s->replica.groups; g++) {
            i = ways_quickest(s, offer, g, SGDPAR_SHARDING_COUNT, s->nothing_fits);
            if (i < s->count) add_row(t, s, &c, i);
        }
    output_print(out, "\nthe quickest%s on each number of workers\n",
                 s->replica.memory_bytes > 0.0 && !s->nothing_fits ? " that fits" : "");
    table_print(t, out, FORMAT_TABLE);
}

void ways_print(output *out, const ways_set *s, output_format format)
{
    const ways_columns c = columns_of(s, 1, 1);
    result_table *t;
    size_t i;
    if (format == FORMAT_JSON) {
        print_json(out, s);
    } else if (format == FORMAT_TABLE) {
        print_tables(out, s);
    } else {
        t = new_table(&c);
        for (i = 0; i < s->count; i++) add_row(t, s, &c, i);
        table_print(t, out, format);
    }
}
