/* print.c - what advise prints */
#include "cmd/advise/advise.h"
#include "files/status.h"

/* ---- JSON ------------------------------------------------------------------ */

static void json_known(output *out, const char *key, int known, double value)
{
    if (known) json_number(out, key, value); else json_null(out, key);
}

/* The members of choice i that points and recommendations share. */
static void json_choice(output *out, const advice_set *s, size_t i)
{
    const sgdp_choice *c = &s->choice[i];
    const sgdp_outlay *o = &s->outlay[i];
    const double h = c->half_width;
    const int costs = s->timed && s->priced;
    if (s->offer[0].name) json_string(out, "offer", s->offer[i / s->curves.points].name);
    json_integer(out, "workers", c->workers);
    json_number(out, "batches_per_s", c->batches_per_s);
    json_known(out, "low", h > 0.0, h < 1.0 ? c->batches_per_s * (1.0 - h) : 0.0);
    json_known(out, "high", h > 0.0, c->batches_per_s * (1.0 + h));
    json_known(out, "time_s", s->timed, o->time_s);
    json_known(out, "time_low_s", s->timed && h > 0.0, o->time_low_s);
    json_known(out, "time_high_s", s->timed && h > 0.0, o->time_high_s);
    json_known(out, "cost", costs, o->cost);
    json_known(out, "cost_low", costs && h > 0.0, o->cost_low);
    json_known(out, "cost_high", costs && h > 0.0, o->cost_high);
    json_string(out, "in_time",
                s->goal.deadline_s > 0.0 ? sgdp_verdict_text(o->in_time) : NULL);
    json_string(out, "in_budget",
                s->goal.budget > 0.0 ? sgdp_verdict_text(o->in_budget) : NULL);
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

void advice_print_json(output *out, const advice_set *s, sgdp_status status)
{
    const curve_set *c = &s->curves;
    size_t i;
    json_object(out, NULL);
    json_string(out, "mode", mode_words[c->jobs.mode]);
    json_string(out, "model", sgdp_model_text(c->jobs.model));
    json_bool(out, "auto", c->jobs.chosen);
    json_string(out, "class", c->band.name);
    json_string(out, "status", tool_status_word(status));
    json_recommendation(out, s);
    json_one(out, s, "cheapest", s->advice.cheapest);
    json_one(out, s, "fastest", s->advice.fastest);
    json_one(out, s, "surest", s->advice.surest);
    json_array(out, "remedies");
    for (i = 0; i < s->remedies; i++) {
        json_object(out, NULL);
        json_string(out, "remedy", sgdp_remedy_text((sgdp_remedy)s->remedy[i]));
        json_number(out, "gain", s->gain[s->remedy[i]]);
        json_end(out);
    }
    json_end(out);
    json_buckets(out, s);
    json_array(out, "points");
    for (i = 0; i < s->count; i++) json_one(out, s, NULL, i);
    json_end(out);
    json_end(out);
}

/* ---- For a human, and CSV -------------------------------------------------- */

static result_table *new_table(const advice_set *s, int all, const char *time_unit)
{
    static const char *const verdicts[] = {"in_time", "in_budget"};
    const int wide = all || s->curves.band.half_width > 0.0;
    column_list list;
    list.count = 0;
    if (s->offer[0].name) curves_add_column(&list, "", "offer", "");
    curves_add_column(&list, "", "workers", "");
    curves_add_column(&list, "", "batches_per_s", "");
    if (all || (wide && !s->timed)) curves_add_column(&list, "", "low", "");
    if (all || (wide && !s->timed)) curves_add_column(&list, "", "high", "");
    if (all || s->timed) curves_add_column(&list, "time", "", time_unit);
    if (all || (s->timed && wide)) curves_add_column(&list, "time_low", "", time_unit);
    if (all || (s->timed && wide)) curves_add_column(&list, "time_high", "", time_unit);
    if (all || s->priced) curves_add_column(&list, "", "cost", "");
    if (all || (s->priced && wide)) curves_add_column(&list, "", "cost_low", "");
    if (all || (s->priced && wide)) curves_add_column(&list, "", "cost_high", "");
    if (all || s->goal.deadline_s > 0.0) curves_add_column(&list, "", verdicts[0], "");
    if (all || s->goal.budget > 0.0) curves_add_column(&list, "", verdicts[1], "");
    return table_new(list.column, list.count);
}

static void add_known(result_table *t, int column, int known, double value)
{
    if (!column) return;
    if (known) table_number(t, value); else table_empty(t);
}

static void add_row(result_table *t, const advice_set *s, size_t i, int all, double unit_s)
{
    const sgdp_choice *c = &s->choice[i];
    const sgdp_outlay *o = &s->outlay[i];
    const double h = c->half_width;
    const int known = h > 0.0, wide = all || s->curves.band.half_width > 0.0;
    if (s->offer[0].name) table_text(t, s->offer[i / s->curves.points].name);
    table_integer(t, c->workers);
    table_number(t, c->batches_per_s);
    add_known(t, all || (wide && !s->timed), known, h < 1.0 ? c->batches_per_s * (1.0 - h) : 0.0);
    add_known(t, all || (wide && !s->timed), known, c->batches_per_s * (1.0 + h));
    add_known(t, all || s->timed, s->timed, o->time_s / unit_s);
    add_known(t, all || (s->timed && wide), s->timed && known, o->time_low_s / unit_s);
    add_known(t, all || (s->timed && wide), s->timed && known, o->time_high_s / unit_s);
    add_known(t, all || s->priced, s->priced, o->cost);
    add_known(t, all || (s->priced && wide), s->priced && known, o->cost_low);
    add_known(t, all || (s->priced && wide), s->priced && known, o->cost_high);
    if (s->goal.deadline_s > 0.0) table_text(t, sgdp_verdict_text(o->in_time));
    else if (all) table_empty(t);
    if (s->goal.budget > 0.0) table_text(t, sgdp_verdict_text(o->in_budget));
    else if (all) table_empty(t);
}

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

void advice_print_table(output *out, const advice_set *s, output_format format)
{
    const int all = format == FORMAT_CSV;
    const double time_s = s->outlay[s->advice.recommended].time_s;
    const double unit_s = all || time_s < 120.0 ? 1.0 : time_s < 7200.0 ? 60.0 : 3600.0;
    result_table *t =
        new_table(s, all, unit_s > 60.0 ? "_h" : unit_s > 1.0 ? "_min" : "_s");
    size_t i;
    for (i = 0; i < s->count; i++) add_row(t, s, i, all, unit_s);
    if (!all) print_sentences(out, s);
    table_print(t, out, format);
    if (!all)
        output_print(out, "\n%s, model %s%s\n", mode_words[s->curves.jobs.mode],
                     sgdp_model_text(s->curves.jobs.model),
                     s->curves.jobs.chosen ? " (by auto)" : "");
}
