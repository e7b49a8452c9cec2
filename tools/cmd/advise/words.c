/* words.c - advice in sentences */
#include "cmd/advise/advise.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void add(char *text, const char *format, ...) TOOL_PRINTF(2, 3);

static void add(char *text, const char *format, ...)
{
    const size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, ADVICE_TEXT - used, format, arguments);
    va_end(arguments);
}

static char *new_text(void) { return (char *)tool_alloc(ADVICE_TEXT, 1); }

/* "5.24 h", in the largest unit of which there is one. */
static void add_time(char *text, double time_s)
{
    static const struct { const char *name; double s; } unit[] = {
        {"d", 86400.0}, {"h", 3600.0}, {"min", 60.0}, {"s", 1.0}
    };
    size_t i = time_s < 172800.0 ? 1 : 0;
    while (i + 1 < COUNT_OF(unit) && time_s < unit[i].s) i++;
    add(text, "%.3g %s", time_s / unit[i].s, unit[i].name);
}

static void add_cost(char *text, double cost)
{
    const int whole = (cost >= floor(cost) && cost <= floor(cost)) || cost >= 1000.0;
    add(text, cost >= 1e12 ? "%.4g" : whole ? "%.0f" : cost >= 10.0 ? "%.1f" : "%.3g", cost);
}

static int is_finite(double x) { return x - x <= 0.0; }

static void add_interval(char *text, double low, double high, void (*each)(char *, double))
{
    if (!(high > low)) return;
    add(text, " (");
    each(text, low);
    if (is_finite(high)) {
        add(text, " to ");
        each(text, high);
        add(text, ")");
    } else {
        add(text, " or more)");
    }
}

const char *advice_choice(const advice_set *s, size_t i)
{
    const char *name = s->offer[i / s->curves.points].name;
    const sgdp_outlay *o = &s->outlay[i];
    const unsigned long workers = (unsigned long)s->choice[i].workers;
    char *text = new_text();
    add(text, "%lu worker%s", workers, workers == 1 ? "" : "s");
    if (name) add(text, " of %s", name);
    if (s->timed) {
        add(text, ", ");
        add_time(text, o->time_s);
        add_interval(text, o->time_low_s, o->time_high_s, add_time);
    } else {
        add(text, ", %.4g mini-batches/s", s->choice[i].batches_per_s);
    }
    if (s->priced) {
        add(text, ", cost ");
        add_cost(text, o->cost);
        add_interval(text, o->cost_low, o->cost_high, add_cost);
    }
    return text;
}

/* " the deadline of 6 h", " the budget of 100", or both. */
static void add_limits(char *text, const sgdp_goal *goal)
{
    if (goal->deadline_s > 0.0) {
        add(text, " the deadline of ");
        add_time(text, goal->deadline_s);
    }
    if (goal->budget > 0.0) {
        add(text, "%s the budget of ", goal->deadline_s > 0.0 ? " and" : "");
        add_cost(text, goal->budget);
    }
}

/* By how much more than the limit; of one that is next to nothing there is no such number. */
static void add_excess(char *text, double value, double limit)
{
    const double percent = 100.0 * (value / limit - 1.0);
    if (is_finite(percent)) add(text, " (%+.3g %%)", percent);
}

/* How far the nearest choice is from what it misses. */
static void add_misses(char *text, const advice_set *s)
{
    const sgdp_outlay *o = &s->outlay[s->advice.recommended];
    const int late = o->in_time > SGDP_VERDICT_LIKELY;
    if (late) {
        add_time(text, o->time_s - s->goal.deadline_s);
        add(text, " too late");
        add_excess(text, o->time_s, s->goal.deadline_s);
    }
    if (o->in_budget > SGDP_VERDICT_LIKELY) {
        add(text, "%s", late ? ", " : "");
        add_cost(text, o->cost - s->goal.budget);
        add(text, " over the budget");
        add_excess(text, o->cost, s->goal.budget);
    }
}

static int all_are_free(const advice_set *s)
{
    size_t i = 0;
    while (i < s->count && !(s->outlay[i].cost > 0.0)) i++;
    return i == s->count;
}

/* Only where the cost of a worker is the same for each does the least product tell how the
 * throughput grows: it is then that of the largest X^2 / K. Of the last choice it tells
 * nothing of what is beyond. */
static void add_balanced(char *text, const advice_set *s)
{
    const curve_set *c = &s->curves;
    const size_t r = s->advice.recommended;
    const int linear = c->jobs.count == 1 && c->jobs.job[0].machine.gpus <= 1 &&
                       !(s->server_price_per_s > 0.0);
    if (!(s->outlay[r].cost > 0.0))
        add(text, "the fastest%s: fewer workers are slower by 1 %% or more",
            all_are_free(s) ? ", as none costs anything" : " of those that cost nothing");
    else if (s->count == 1)
        add(text, "the only choice");
    else if (!linear)
        add(text, "the least time x cost");
    else if (advice_is_most(s))
        add(text, "the least time x cost: up to it a percent more workers brings half a percent"
                  " more throughput, or more");
    else
        add(text, "the least time x cost: beyond it a percent more workers brings less than half"
                  " a percent more throughput");
}

int advice_is_most(const advice_set *s)
{
    size_t i;
    for (i = 0; i < s->count; i++)
        if (s->choice[i].workers > s->choice[s->advice.recommended].workers) return 0;
    return 1;
}

void advice_sort_remedies(advice_set *s)
{
    size_t i, at;
    for (i = 0; i < SGDP_REMEDY_COUNT; i++) {
        if (!(s->gain[i] > 0.0)) continue;
        for (at = s->remedies++; at > 0 && s->gain[s->remedy[at - 1]] < s->gain[i]; at--)
            s->remedy[at] = s->remedy[at - 1];
        s->remedy[at] = i;
    }
}

const char *advice_reason(const advice_set *s)
{
    char *text = new_text();
    switch (s->advice.rule) {
    case SGDP_RULE_CHEAPEST:
        add(text, s->priced ? "the cheapest within" : "the fewest machine hours within");
        add_limits(text, &s->goal);
        break;
    case SGDP_RULE_FASTEST:
        add(text, "the fastest within");
        add_limits(text, &s->goal);
        break;
    case SGDP_RULE_NEAREST:
        add(text, "nothing is within");
        add_limits(text, &s->goal);
        add(text, "; this comes nearest, ");
        add_misses(text, s);
        break;
    case SGDP_RULE_BALANCED:
        add_balanced(text, s);
        break;
    }
    return text;
}

const char *advice_word(const advice_set *s)
{
    const size_t r = s->advice.recommended, surest = s->advice.surest;
    const sgdp_outlay *o = &s->outlay[r];
    const int late = o->in_time == SGDP_VERDICT_LIKELY;
    const int dear = o->in_budget == SGDP_VERDICT_LIKELY;
    char *text = new_text();
    if (s->advice.rule == SGDP_RULE_NEAREST) {
        if (o->in_time != SGDP_VERDICT_NO && o->in_budget != SGDP_VERDICT_NO)
            add(text, "but its interval reaches within: it may hold");
        return text;
    }
    if (!late && !dear) return text;
    add(text, "likely, not surely: its interval goes beyond the %s%s",
        late && dear ? "deadline and the budget" : late ? "deadline" : "budget",
        surest < s->count ? "" : ", as all of them do");
    return text;
}

/* A faster accelerator shortens only what is not the host's. */
static void add_compute(char *text, double percent, double host_share)
{
    add(text, "compute, %.0f %% of a worker's step", percent);
    if (host_share >= 0.005)
        add(text, ", %.0f %% of it the host: launches and gaps, as traced", 100.0 * host_share);
}

/* "the uplink, busy 93 % of the time", or a worker's own link, which is no resource; of an
 * all-reduce, whose link nobody shares, its part. */
const char *advice_stop(const advice_set *s)
{
    const sgdp_prediction *p = &s->curves.prediction[s->advice.recommended];
    const char *name = sgdp_resource_text(p->bottleneck);
    const double percent = 100.0 * p->utilization[p->bottleneck];
    const double own = curves_own_link(&s->curves, s->advice.recommended);
    char *text = new_text();
    if (own > 0.0)
        add(text, "a worker's own link, busy %.0f %% of the time each way", 100.0 * own);
    else if (p->bottleneck == SGDP_WORKER)
        add_compute(text, percent, s->host_share);
    else if (s->curves.jobs.mode == MODE_ALLREDUCE)
        add(text, "the %s, %.0f %% of a step", name, percent);
    else
        add(text, "the %s, busy %.0f %% of the time", name, percent < 100.0 ? percent : 100.0);
    return text;
}

const char *advice_buckets(const advice_set *s)
{
    const advice_bucket *best = &s->bucket[s->best_bucket];
    const advice_bucket *usual = &s->bucket[ADVICE_BUCKETS - 1];
    const double gain = s->buckets > 0 ? usual->step_s / best->step_s - 1.0 : 0.0;
    char *text = new_text();
    if (s->buckets == 0) return text;
    if (gain < 0.01)
        add(text, "%.0f MiB as PyTorch's: others are no better by 1 %%", usual->bytes / 1048576.0);
    else
        add(text, "%.0f MiB (%+.0f %% against the %.0f MiB of PyTorch)", best->bytes / 1048576.0,
            100.0 * gain, usual->bytes / 1048576.0);
    return text;
}

const char *advice_help(const advice_set *s)
{
    const size_t most = s->remedies < 3 ? s->remedies : 3;
    char *text = new_text();
    size_t i;
    for (i = 0; i < most && s->gain[s->remedy[i]] >= 0.01; i++)
        add(text, "%s%s (%+.0f %%)", i > 0 ? ", then " : "",
            sgdp_remedy_text((sgdp_remedy)s->remedy[i]), 100.0 * s->gain[s->remedy[i]]);
    if (i == 0) add(text, "nothing that was tried, by 1 %% or more");
    return text;
}
