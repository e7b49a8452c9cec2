/* print.c - what advise prints */
#include "cmd/advise/advise.h"
#include "files/status.h"

#include <stdio.h>

/* ---- Columns --------------------------------------------------------------- */

/* Times on the screen are in the unit that suits the recommended one. */
typedef struct time_unit { const char *name; double s; } time_unit;

static time_unit unit_of(const output *out, double time_s)
{
    static const time_unit units[] = {{"_s", 1.0}, {"_min", 60.0}, {"_h", 3600.0}};
    return units[out->form != SCREEN || time_s < 120.0 ? 0 : time_s < 7200.0 ? 1 : 2];
}

void advice_print_time(columns *t, unsigned in, const char *name, double recommended_s,
                       double time_s)
{
    const time_unit unit = unit_of(t->out, recommended_s);
    char text[40];
    snprintf(text, sizeof text, "%s%s", name, unit.name);
    column_number(t, in, text, time_s / unit.s);
}

void advice_print_verdicts(columns *t, const advice_set *s, const sgdp_outlay *o)
{
    const int deadline = s->goal.deadline_s > 0.0, budget = s->goal.budget > 0.0;
    column_text(t, deadline ? ALL : DATA, "in_time",
                deadline ? sgdp_verdict_text(o->in_time) : NULL);
    column_text(t, budget ? ALL : DATA, "in_budget",
                budget ? sgdp_verdict_text(o->in_budget) : NULL);
}

static void print_choice(columns *t, const advice_set *s, size_t i)
{
    const sgdp_choice *c = &s->choice[i];
    const sgdp_outlay *o = &s->outlay[i];
    const double h = c->half_width, best_s = s->outlay[s->advice.recommended].time_s;
    const int known = h > 0.0, wide = s->curves.band.half_width > 0.0, timed = s->timed;
    const int costs = s->priced && (timed || t->in != JSON);
    const unsigned rates = wide && !timed ? ALL : DATA, times = wide && timed ? ALL : DATA;
    const unsigned in_cost = s->priced ? ALL : DATA, costs_in = s->priced && wide ? ALL : DATA;
    columns_row(t);
    if (s->offer[0].name) column_text(t, ALL, "offer", s->offer[i / s->curves.points].name);
    column_whole(t, ALL, "workers", c->workers);
    column_number(t, ALL, "batches_per_s", c->batches_per_s);
    column_number(t, rates, "low", known_if(known, h < 1.0 ? c->batches_per_s * (1.0 - h) : 0.0));
    column_number(t, rates, "high", known_if(known, c->batches_per_s * (1.0 + h)));
    advice_print_time(t, timed ? ALL : DATA, "time", best_s, known_if(timed, o->time_s));
    advice_print_time(t, times, "time_low", best_s, known_if(timed && known, o->time_low_s));
    advice_print_time(t, times, "time_high", best_s, known_if(timed && known, o->time_high_s));
    column_number(t, in_cost, "cost", known_if(costs, o->cost));
    column_number(t, costs_in, "cost_low", known_if(costs && known, o->cost_low));
    column_number(t, costs_in, "cost_high", known_if(costs && known, o->cost_high));
    advice_print_verdicts(t, s, o);
}

/* ---- JSON ------------------------------------------------------------------ */

static void json_choice(output *out, const advice_set *s, size_t i)
{
    columns t;
    columns_open(&t, out, JSON, NULL);
    print_choice(&t, s, i);
    columns_close(&t);
}

static void json_one(output *out, const advice_set *s, const char *key, size_t i)
{
    if (i == s->count) {
        json_null(out, key);
        return;
    }
    json_object(out, key);
    json_choice(out, s, i);
    json_end(out);
}

static void json_recommendation(output *out, const advice_set *s)
{
    static const char *const rules[] = {"balanced", "cheapest", "fastest", "nearest"};
    const size_t r = s->advice.recommended;
    json_object(out, "recommendation");
    json_choice(out, s, r);
    json_string(out, "rule", rules[s->advice.rule]);
    json_string(out, "reason", advice_reason(s));
    json_string(out, "word", advice_word(s)[0] ? advice_word(s) : NULL);
    json_number(out, "excess", s->advice.excess);
    json_string(out, "bottleneck",
                sgdp_resource_text(s->curves.prediction[r].bottleneck));
    json_string(out, "stop", advice_stop(s));
    json_string(out, "help", advice_help(s));
    json_end(out);
}

/* Of steps as replayed: gains over the usual size, the last one. */
static void json_buckets(output *out, const advice_set *s)
{
    size_t i;
    if (s->buckets == 0) return;
    json_number(out, "bucket_bytes", s->bucket[s->best_bucket].bytes);
    json_array(out, "buckets");
    for (i = 0; i < s->buckets; i++) {
        json_object(out, NULL);
        json_number(out, "bucket_bytes", s->bucket[i].bytes);
        json_number(out, "step_s", s->bucket[i].step_s);
        json_number(out, "gain", s->bucket[s->buckets - 1].step_s / s->bucket[i].step_s - 1.0);
        json_end(out);
    }
    json_end(out);
}

static const char *remedy_text(size_t remedy) { return sgdp_remedy_text((sgdp_remedy)remedy); }

void advice_print_remedies(output *out, const advice_set *s, const char *(*text)(size_t remedy))
{
    columns t;
    size_t i;
    columns_open(&t, out, JSON, "remedies");
    for (i = 0; i < s->remedies; i++) {
        columns_row(&t);
        column_text(&t, JSON, "remedy", text(s->remedy[i]));
        column_number(&t, JSON, "gain", s->gain[s->remedy[i]]);
    }
    columns_close(&t);
}

static void json_heading(output *out, const advice_set *s, sgdp_status status)
{
    const curve_set *c = &s->curves;
    json_string(out, "mode", mode_words[c->jobs.mode]);
    json_string(out, "model", sgdp_model_text(c->jobs.model));
    json_bool(out, "auto", c->jobs.chosen);
    json_string(out, "class", c->band.name);
    json_string(out, "status", tool_status_word(status));
    json_recommendation(out, s);
    json_one(out, s, "cheapest", s->advice.cheapest);
    json_one(out, s, "fastest", s->advice.fastest);
    json_one(out, s, "surest", s->advice.surest);
    advice_print_remedies(out, s, remedy_text);
    json_buckets(out, s);
}

/* ---- For a human, and all -------------------------------------------------- */

static void print_sentences(output *out, const advice_set *s)
{
    const sgdp_advice *a = &s->advice;
    output_print(out, "recommended: %s\n", advice_choice(s, a->recommended));
    output_print(out, "  why: %s\n", advice_reason(s));
    if (advice_word(s)[0]) output_print(out, "  %s\n", advice_word(s));
    output_print(out, "  what stops it: %s\n", advice_stop(s));
    output_print(out, "  what would help most: %s\n", advice_help(s));
    if (s->buckets > 0) output_print(out, "  size of buckets: %s\n", advice_buckets(s));
    if (advice_word(s)[0] && a->rule != SGDP_RULE_NEAREST && a->surest < s->count)
        output_print(out, "surely within: %s\n", advice_choice(s, a->surest));
    if (s->goal.deadline_s > 0.0 && a->cheapest != a->recommended && a->cheapest < s->count)
        output_print(out, "cheapest within the deadline: %s\n", advice_choice(s, a->cheapest));
    if (s->goal.budget > 0.0 && a->fastest != a->recommended && a->fastest < s->count)
        output_print(out, "fastest within the budget: %s\n", advice_choice(s, a->fastest));
    output_print(out, "\n");
}

void advice_print(output *out, const advice_set *s, sgdp_status status)
{
    const job_set *jobs = &s->curves.jobs;
    columns t;
    size_t i;
    json_object(out, NULL);
    if (out->form == JSON) json_heading(out, s, status);
    if (out->form == SCREEN) print_sentences(out, s);
    columns_open(&t, out, ALL, "points");
    for (i = 0; i < s->count; i++) print_choice(&t, s, i);
    columns_close(&t);
    json_end(out);
    output_print(out, "\n%s, model %s%s\n", mode_words[jobs->mode], sgdp_model_text(jobs->model),
                 jobs->chosen ? " (by auto)" : "");
}
