/* words.c - advice in sentences, and what choices of both kinds print */
#include "cmd/advise/advise.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void say(char *text, const char *format, ...)
{
    const size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, ADVICE_TEXT - used, format, arguments);
    va_end(arguments);
}

char *advice_new_text(void) { return (char *)tool_alloc(ADVICE_TEXT, 1); }

/* "5.24 h", in the largest unit of which there is one. */
static void add_time(char *text, double time_s)
{
    static const struct { const char *name; double s; } unit[] = {
        {"d", 86400.0}, {"h", 3600.0}, {"min", 60.0}, {"s", 1.0}
    };
    size_t i = time_s < 172800.0 ? 1 : 0;
    while (i + 1 < COUNT_OF(unit) && time_s < unit[i].s) i++;
    say(text, "%.3g %s", time_s / unit[i].s, unit[i].name);
}

static void add_cost(char *text, double cost)
{
    const int whole = (cost >= floor(cost) && cost <= floor(cost)) || cost >= 1000.0;
    say(text, cost >= 1e12 ? "%.4g" : whole ? "%.0f" : cost >= 10.0 ? "%.1f" : "%.3g", cost);
}

static int is_finite(double x) { return x - x <= 0.0; }

static void add_interval(char *text, int known, double low, double high,
                         void (*each)(char *, double))
{
    if (!(high > low) || !known) return;
    say(text, " (");
    each(text, low);
    if (is_finite(high)) {
        say(text, " to ");
        each(text, high);
        say(text, ")");
    } else {
        say(text, " or more)");
    }
}

const char *advice_choice(const advice_set *s, size_t i)
{
    const char *name = s->offer[i / s->curves.points].name;
    const sgdsched_outlay *o = &s->outlay[i];
    const int known = advice_has_band(&s->choice[i]);
    char *text = advice_new_text();
    say(text, "%lu worker%s", COUNTED(s->choice[i].workers));
    if (name) say(text, " of %s", name);
    if (s->epochs.points > 0)
        say(text, ", %.4g epochs", s->choice[i].batches / s->epoch_batches);
    if (s->timed) {
        say(text, ", ");
        add_time(text, o->time_s);
        add_interval(text, known, o->time_low_s, o->time_high_s, add_time);
    } else {
        say(text, ", %.4g mini-batches/s", s->choice[i].batches_per_s);
    }
    if (s->priced) {
        say(text, ", cost ");
        add_cost(text, o->cost);
        add_interval(text, known, o->cost_low, o->cost_high, add_cost);
    }
    return text;
}

/* " the deadline of 6 h", " the budget of 100", or both. */
static void add_limits(char *text, const sgdsched_goal *goal)
{
    if (goal->deadline_s > 0.0) {
        say(text, " the deadline of ");
        add_time(text, goal->deadline_s);
    }
    if (goal->budget > 0.0) {
        say(text, "%s the budget of ", goal->deadline_s > 0.0 ? " and" : "");
        add_cost(text, goal->budget);
    }
}

/* By how much more than the limit; of one that is next to nothing there is no such number. */
static void add_excess(char *text, double value, double limit)
{
    const double percent = 100.0 * (value / limit - 1.0);
    if (is_finite(percent)) say(text, " (%+.3g %%)", percent);
}

/* How far the nearest choice is from what it misses. */
static void add_misses(char *text, const advice_set *s)
{
    const sgdsched_outlay *o = &s->outlay[s->advice.recommended];
    const int late = o->in_time > SGDSCHED_VERDICT_LIKELY;
    if (late) {
        add_time(text, o->time_s - s->goal.deadline_s);
        say(text, " too late");
        add_excess(text, o->time_s, s->goal.deadline_s);
    }
    if (o->in_budget > SGDSCHED_VERDICT_LIKELY) {
        say(text, "%s", late ? ", " : "");
        add_cost(text, o->cost - s->goal.budget);
        say(text, " over the budget");
        add_excess(text, o->cost, s->goal.budget);
    }
}

static int all_are_free(const advice_set *s)
{
    size_t i = 0;
    while (i < s->count && !(s->outlay[i].cost > 0.0)) i++;
    return i == s->count;
}

static const char *cost_word(const advice_set *s) { return s->priced ? "cost" : "machine hours"; }

/* Throughput per worker, beside that of the fewest workers. */
static double efficiency(const advice_set *s)
{
    const sgdsched_choice *few = s->choice, *of = &s->choice[s->advice.recommended];
    size_t i;
    for (i = 1; i < s->count; i++)
        if (s->choice[i].workers < few->workers) few = &s->choice[i];
    return of->batches_per_s / of->workers / (few->batches_per_s / few->workers);
}

static uint32_t most_workers(const advice_set *s)
{
    uint32_t most = 0;
    size_t i;
    for (i = 0; i < s->count; i++)
        if (s->choice[i].workers > most) most = s->choice[i].workers;
    return most;
}

/* Only where the cost of a worker is the same for each does the least product tell how the
 * throughput grows: it is then that of the largest X^2 / K. Of the last choice it tells
 * nothing of what is beyond. */
static void add_balanced(char *text, const advice_set *s)
{
    const curve_set *c = &s->curves;
    const size_t r = s->advice.recommended;
    const int linear = c->jobs.count == 1 && c->jobs.job[0].machine.gpus <= 1 &&
                       !(s->server_price_per_s > 0.0) && s->epochs.points == 0;
    if (!(s->outlay[r].cost > 0.0))
        say(text, "the fastest%s: fewer workers are slower by 1 %% or more",
            all_are_free(s) ? ", as none costs anything" : " of those that cost nothing");
    else if (s->count == 1)
        say(text, "the only choice");
    else if (!linear)
        say(text, "the least time x %s", cost_word(s));
    else if (s->choice[r].workers == most_workers(s))
        say(text, "no knee up to the largest number of workers: a worker there brings %.0f %% of "
                  "what a worker of the smallest number brings", 100.0 * efficiency(s));
    else
        say(text, "the least time x %s: beyond it a percent more workers brings less than half"
                  " a percent more throughput", cost_word(s));
}

void advice_note_limits(const advice_set *s, int several, uint32_t beside, uint32_t passes)
{
    const unsigned long workers = (unsigned long)s->choice[s->advice.recommended].workers;
    if (several && workers == most_workers(s) && s->advice.rule != SGDSCHED_RULE_CHEAPEST)
        tool_note("largest-recommended", "the recommended number of workers is the largest of %s: "
                  "larger numbers may be better; extend %s", NAME_OF(WORKERS), NAME_OF(WORKERS));
    if (s->priced && beside > 0)
        tool_note("uncounted-price",
                  "prices cover only the machines of workers: the machines of --cpu-machines count "
                  "as free");
    if (s->timed && !advice_counts_batch(s) && s->curves.jobs.mode != MODE_ASYNC && workers > 1)
        tool_note("batch-grows",
                  "one step of %lu workers processes %lu mini-batches of the work; a total batch "
                  "of this size may need more examples to reach the same loss",
                  workers, workers * passes);
}

void advice_sort_remedies(advice_set *s)
{
    size_t at;
    for (size_t i = 0; i < SGDP_REMEDY_COUNT; i++) {
        if (!(s->gain[i] > 0.0)) continue;
        for (at = s->remedies++; at > 0 && s->gain[s->remedy[at - 1]] < s->gain[i]; at--)
            s->remedy[at] = s->remedy[at - 1];
        s->remedy[at] = i;
    }
}

/* Does no choice that may keep both limits cost less than the recommended one? */
static int costs_least(const advice_set *s)
{
    const double cost = s->outlay[s->advice.recommended].cost;
    for (size_t i = 0; i < s->count; i++)
        if (s->outlay[i].cost < cost * (1.0 - 1e-9) &&
            s->outlay[i].in_time != SGDSCHED_VERDICT_NO &&
            s->outlay[i].in_budget != SGDSCHED_VERDICT_NO) return 0;
    return 1;
}

const char *advice_reason(const advice_set *s)
{
    char *text = advice_new_text();
    switch (s->advice.rule) {
    case SGDSCHED_RULE_CHEAPEST:
        if (costs_least(s))
            say(text, s->priced ? "the cheapest within" : "the fewest machine hours within");
        else
            say(text, "the fastest of those that %s at most 1 %% more%s within",
                s->priced ? "cost" : "take", s->priced ? " than the cheapest"
                                                       : " machine hours than the least");
        add_limits(text, &s->goal);
        break;
    case SGDSCHED_RULE_FASTEST:
        say(text, "the fastest within");
        add_limits(text, &s->goal);
        break;
    case SGDSCHED_RULE_NEAREST:
        say(text, "nothing is within");
        add_limits(text, &s->goal);
        say(text, "; this comes nearest, ");
        add_misses(text, s);
        break;
    case SGDSCHED_RULE_BALANCED:
        add_balanced(text, s);
        break;
    case SGDSCHED_RULE_KNEE:
        say(text, "the knee: beyond it a worker adds less than the average up to %lu workers, "
                  "where time x %s still falls", (unsigned long)most_workers(s), cost_word(s));
        break;
    }
    return text;
}

const char *advice_word(const advice_set *s)
{
    const size_t r = s->advice.recommended, surest = s->advice.surest;
    const sgdsched_outlay *o = &s->outlay[r];
    const int late = o->in_time == SGDSCHED_VERDICT_LIKELY;
    const int dear = o->in_budget == SGDSCHED_VERDICT_LIKELY;
    char *text = advice_new_text();
    if (s->advice.rule == SGDSCHED_RULE_NEAREST) {
        if (o->in_time != SGDSCHED_VERDICT_NO && o->in_budget != SGDSCHED_VERDICT_NO)
            say(text, "but its interval reaches within: it may hold");
        return text;
    }
    if (!late && !dear) return text;
    if (!advice_has_band(&s->choice[r])) {
        say(text, "likely, not surely: it has no interval");
        return text;
    }
    say(text, "likely, not surely: its interval goes beyond the %s%s",
        late && dear ? "deadline and the budget" : late ? "deadline" : "budget",
        surest < s->count ? "" : ", as all of them do");
    return text;
}

/* A faster accelerator shortens only what is not the host's. */
static void add_compute(char *text, double percent, double host_share)
{
    say(text, "compute, %.0f %% of a worker's step", percent);
    if (host_share >= 0.005)
        say(text, "; %.0f %% of this compute is the host's: launches and gaps, as traced",
            100.0 * host_share);
}

/* "the uplink, busy 93 % of the time", or a worker's own link, which is no resource; of an
 * all-reduce, whose link nobody shares, its part. */
const char *advice_stop(const advice_set *s)
{
    const sgdp_prediction *p = &s->curves.prediction[s->advice.recommended];
    const char *name = sgdp_resource_text(p->bottleneck);
    const double percent = 100.0 * p->utilization[p->bottleneck];
    const double own = curves_own_link(&s->curves, s->advice.recommended);
    char *text = advice_new_text();
    if (own > 0.0)
        say(text, "a worker's own link, busy %.0f %% of the time each way", 100.0 * own);
    else if (p->bottleneck == SGDP_WORKER)
        add_compute(text, percent, s->host_share);
    else if (p->bottleneck == SGDP_HOST)
        say(text, "the input pipeline: a machine gets %.4g examples/s",
            s->curves.jobs.job[s->advice.recommended / s->curves.points]
                .machine.input_examples_per_s);
    else if (s->curves.jobs.mode == MODE_ALLREDUCE)
        say(text, "the %s, %.0f %% of a step", name, percent);
    else
        say(text, "the %s, busy %.0f %% of the time", name, percent < 100.0 ? percent : 100.0);
    return text;
}

const char *advice_buckets(const advice_set *s)
{
    const advice_bucket *best = &s->bucket[s->best_bucket];
    const advice_bucket *usual = &s->bucket[ADVICE_BUCKETS - 1];
    const double gain = s->buckets > 0 ? usual->step_s / best->step_s - 1.0 : 0.0;
    char *text = advice_new_text();
    if (s->buckets == 0) return text;
    if (gain < 0.01)
        say(text, "%.0f MiB as PyTorch's: others are no better by 1 %%", usual->bytes / 1048576.0);
    else
        say(text, "%.0f MiB (%+.0f %% against the %.0f MiB of PyTorch)", best->bytes / 1048576.0,
            100.0 * gain, usual->bytes / 1048576.0);
    return text;
}

/* An all-reduce over two cards takes what it takes over one of twice the bandwidth. */
static const char *remedy_at(const advice_set *s, size_t i)
{
    const char *text = s->kind->remedy(s->remedy[i]);
    const network *of = s->offer[s->advice.recommended / s->curves.points].kinds.between;
    if (s->curves.jobs.mode != MODE_ALLREDUCE || !network_has_cards(of) ||
        strcmp(text, sgdp_remedy_text(SGDP_REMEDY_BANDWIDTH)) != 0) return text;
    return tool_text("%s or twice the cards", text);
}

const char *advice_help(const advice_set *s)
{
    const size_t most = s->remedies < 3 ? s->remedies : 3;
    char *text = advice_new_text();
    size_t i;
    for (i = 0; i < most && s->gain[s->remedy[i]] >= 0.01; i++)
        say(text, "%s%s (%+.0f %%)", i > 0 ? ", then " : "",
            remedy_at(s, i), 100.0 * s->gain[s->remedy[i]]);
    if (i == 0) say(text, "nothing that was tried, by 1 %% or more");
    return text;
}

/* ---- What choices of both kinds print --------------------------------------- */

/* Times on the screen are in the unit that suits the recommended one. */
typedef struct time_unit { const char *name; double s; } time_unit;

static time_unit unit_of(const output *out, double time_s)
{
    static const time_unit units[] = {{"_s", 1.0}, {"_min", 60.0}, {"_h", 3600.0}};
    return units[out->form != SCREEN || time_s < 120.0 ? 0 : time_s < 7200.0 ? 1 : 2];
}

static void print_time(columns *t, unsigned in, const char *name, time_unit unit, double time_s)
{
    char text[40];
    snprintf(text, sizeof text, "%s%s", name, unit.name);
    column_number(t, in, text, time_s / unit.s);
}

void advice_print_examples(columns *t, const advice_set *s, double batches_per_s)
{
    const double batch = s->curves.jobs.job[0].compute.batch;
    column_number(t, batch > 0.0 ? ALL : DATA, "examples_per_s",
                  known_if(batch > 0.0, batch * batches_per_s));
}

void advice_print_times(columns *t, unsigned in, const advice_set *s, const sgdsched_choice *c,
                        const sgdsched_outlay *o, int known)
{
    const time_unit unit = unit_of(t->out, s->outlay[s->advice.recommended].time_s);
    if (s->epochs.points > 0) column_number(t, ALL, "epochs", c->batches / s->epoch_batches);
    print_time(t, s->timed ? ALL : DATA, "time", unit, known_if(s->timed, o->time_s));
    print_time(t, in, "time_low", unit, known_if(s->timed && known, o->time_low_s));
    print_time(t, in, "time_high", unit, known_if(s->timed && known, o->time_high_s));
}

void advice_print_verdicts(columns *t, const advice_set *s, const sgdsched_outlay *o)
{
    const int deadline = s->goal.deadline_s > 0.0, budget = s->goal.budget > 0.0;
    column_text(t, deadline ? ALL : DATA, "in_time",
                deadline ? sgdsched_verdict_text(o->in_time) : NULL);
    column_text(t, budget ? ALL : DATA, "in_budget",
                budget ? sgdsched_verdict_text(o->in_budget) : NULL);
}

void advice_json_choice(output *out, const advice_set *s, size_t i)
{
    columns t = columns_open(out, JSON, NULL);
    s->kind->print(&t, s, i);
    columns_close(&t);
}

static void json_one(output *out, const advice_set *s, const char *key, size_t i)
{
    if (i == s->count) {
        json_null(out, key);
        return;
    }
    json_object(out, key);
    advice_json_choice(out, s, i);
    json_end(out);
}

void advice_json_others(output *out, const advice_set *s)
{
    json_one(out, s, "cheapest", s->advice.cheapest);
    json_one(out, s, "fastest", s->advice.fastest);
    json_one(out, s, "surest", s->advice.surest);
    columns t = columns_open(out, JSON, "remedies");
    for (size_t i = 0; columns_next(&t, i < s->remedies); i++) {
        column_text(&t, JSON, "remedy", remedy_at(s, i));
        column_number(&t, JSON, "gain", s->gain[s->remedy[i]]);
    }
}

const char *const advice_rules[] = {"balanced", "cheapest", "fastest", "nearest", "knee"};

void advice_json_fit(output *out, const advice_set *s, const advice_words *of)
{
    const sgdsched_advice *a = &s->advice;
    if (of->nothing_fits) json_null(out, "recommendation");
    json_object(out, of->nothing_fits ? "nearest" : "recommendation");
    advice_json_choice(out, s, a->recommended);
    json_string(out, "rule", of->nothing_fits ? "nearest" : advice_rules[a->rule]);
    json_string(out, "reason", of->reason);
    json_string(out, "against", of->against);
    json_number(out, "excess", a->excess);
    json_string(out, "stop", of->stop);
    json_string(out, "help", of->help);
    json_end(out);
    if (!of->nothing_fits) json_null(out, "nearest");
    advice_json_others(out, s);
}

void advice_print_others(output *out, const advice_set *s)
{
    const sgdsched_advice *a = &s->advice;
    if (s->goal.deadline_s > 0.0 && a->cheapest != a->recommended && a->cheapest < s->count)
        output_print(out, "cheapest within the deadline: %s\n", s->kind->name(s, a->cheapest));
    if (s->goal.budget > 0.0 && a->fastest != a->recommended && a->fastest < s->count)
        output_print(out, "fastest within the budget: %s\n", s->kind->name(s, a->fastest));
}
