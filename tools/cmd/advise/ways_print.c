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

/* ---- Columns --------------------------------------------------------------- */

/* workers: tells a human how many they are. */
static void print_way(columns *t, const ways_set *s, size_t i, int workers)
{
    const advice_set *a = &s->advice;
    const replica_point *p = &s->point[i];
    const sgdp_outlay *o = &s->outlay[i];
    const double best_s = s->outlay[ways_recommended(s)].time_s;
    const int limited = s->replica.memory_bytes > 0.0, json = t->in == JSON;
    columns_row(t);
    if (a->offer[0].name)
        column_text(t, ALL, "offer", a->offer[i / s->replica.points].name);
    column_whole(t, workers ? ALL : DATA, "workers", p->workers);
    column_text(t, ALL, "sharding", sgdpar_sharding_text(p->sharding));
    column_whole(t, s->replica.accumulates > 1 ? TABLES : CSV, "accumulate", p->accumulate);
    column_round(t, TABLES, "bucket_bytes", 9, known_if(p->bucket_bytes > 0.0, p->bucket_bytes));
    column_text(t, s->replica.collectives > 1 ? TABLES : CSV, "collective",
                s->replica.ways[p->ways].text);
    column_text(t, TABLES, "way", p->step.ways != 0 ? replica_ways_text(p->step.ways) : NULL);
    column_number(t, ALL, "batches_per_s", p->batches_per_s);
    column_missing(t, JSON, "low");
    column_missing(t, JSON, "high");
    column_number(t, TABLES, "step_s", p->step.step_s);
    column_number(t, CSV, "efficiency", p->efficiency);
    column_number(t, CSV, "exchange_s", p->step.exchange_s);
    column_number(t, TABLES, "exposed_s", p->step.exposed_s);
    advice_print_time(t, a->timed ? ALL : DATA, "time", best_s, known_if(a->timed, o->time_s));
    column_missing(t, JSON, "time_low_s");
    column_missing(t, JSON, "time_high_s");
    column_number(t, a->priced ? ALL : DATA, "cost", known_if(a->timed && a->priced, o->cost));
    column_missing(t, JSON, "cost_low");
    column_missing(t, JSON, "cost_high");
    column_number(t, TABLES, "memory_bytes", p->memory.total_bytes);
    column_text(t, limited ? TABLES : CSV, "fits", !limited ? NULL : p->fits ? "yes" : "no");
    advice_print_verdicts(t, a, o);
    if (json) replica_print_members(t, &s->replica, p);
}

/* ---- JSON ------------------------------------------------------------------ */

static void json_members(output *out, const ways_set *s, size_t i)
{
    columns t;
    columns_open(&t, out, JSON, NULL);
    print_way(&t, s, i, 1);
    columns_close(&t);
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

static const char *remedy_text(size_t remedy)
{
    return sgdpar_remedy_text((sgdpar_remedy)remedy);
}

static void json_heading(output *out, const ways_set *s)
{
    const sgdp_advice *a = &s->advice.advice;
    json_string(out, "mode", "allreduce");
    json_string(out, "model", "layers");
    json_string(out, "status", s->nothing_fits ? "nothing_fits" : "ok");
    json_recommendation(out, s);
    json_one(out, s, "cheapest", a->cheapest);
    json_one(out, s, "fastest", a->fastest);
    json_one(out, s, "surest", a->surest);
    advice_print_remedies(out, &s->advice, remedy_text);
}

/* ---- For a human ----------------------------------------------------------- */

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
    columns t;
    size_t i, g, offer;
    print_sentences(out, s);
    output_print(out, "\nways on %lu worker%s\n", (unsigned long)s->point[r].workers,
                 s->point[r].workers == 1 ? "" : "s");
    columns_open(&t, out, SCREEN, NULL);
    for (i = r / n * n; i < (r / n + 1) * n; i++)
        if (s->point[i].group == s->point[r].group) print_way(&t, s, i, 0);
    columns_close(&t);
    if (s->replica.groups * s->offers == 1) return;
    output_print(out, "\nthe quickest%s on each number of workers\n",
                 s->replica.memory_bytes > 0.0 && !s->nothing_fits ? " that fits" : "");
    columns_open(&t, out, SCREEN, NULL);
    for (offer = 0; offer < s->offers; offer++)
        for (g = 0; g < s->replica.groups; g++) {
            i = ways_quickest(s, offer, g, SGDPAR_SHARDING_COUNT, s->nothing_fits);
            if (i < s->count) print_way(&t, s, i, 1);
        }
    columns_close(&t);
}

void ways_print(output *out, const ways_set *s)
{
    columns t;
    size_t i;
    if (out->form == SCREEN) {
        print_tables(out, s);
        return;
    }
    json_object(out, NULL);
    if (out->form == JSON) json_heading(out, s);
    columns_open(&t, out, DATA, "points");
    for (i = 0; i < s->count; i++) print_way(&t, s, i, 1);
    columns_close(&t);
    json_end(out);
}
