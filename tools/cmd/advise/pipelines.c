/* pipelines.c - which group, pipeline, copies, micro-batches and sharding on each number of
 * workers */
#include "base/words.h"
#include "cmd/advise/advise.h"
#include "cmd/pipeline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A split that was tried: of which offer and group, and the throughput that it cannot exceed. */
typedef struct trial {
    pipeline_point point;
    size_t         set;
    double         most;
    double         batches;    /* that the loss needs; 0: as many as any other         */
} trial;

/* On one number of workers of an offer: the quickest that fits, and the quickest whatever fits. */
typedef struct line_best { const trial *fits, *any; } line_best;

typedef struct line_set {
    advice_set    advice;      /* first, for what its kind is asked                    */
    pipeline_set *set;         /* [offers * groups]                                    */
    size_t        groups, offers;
    trial        *trial;       /* [trials] splits; of each offer and workers the       */
    size_t        trials;      /*   answered ones come first                           */
    size_t        answered;
    size_t        unknown;     /* splits whose epochs are not known                    */
    pipeline_totals totals;    /* micro-batches of a step of any split                 */
    trial        *shown;       /* [answered]                                           */
    line_best    *best;        /* [advice.count] of those numbers on which one fits    */
    const trial  *least;       /* needs least memory of all                            */
} line_set;

/* ---- What is asked for ---------------------------------------------------------- */

static const char *const shardings[] = {"ddp", "zero-1"}; /* of sgdpar_sharding      */

/* Those of --sharding, or both. */
static size_t read_shardings(const args *a, sgdpar_sharding *sharding)
{
    char **word = NULL;
    const size_t n = args_words(a, OPTION_SHARDING, &word);
    size_t i;
    for (i = 0; i < COUNT_OF(shardings); i++) sharding[i] = (sgdpar_sharding)i;
    for (i = 0; i < n; i++) {
        const size_t of = words_find(shardings, COUNT_OF(shardings), word[i]);
        if (of == COUNT_OF(shardings))
            args_fail(OPTION_SHARDING, word[i], "cannot be combined with --pipeline: use ddp or "
                                                "zero-1");
        if (i > 0 && (i >= COUNT_OF(shardings) || sharding[0] == (sgdpar_sharding)of))
            args_fail(OPTION_SHARDING, word[i], "occurs twice");
        sharding[i] = (sgdpar_sharding)of;
    }
    return n > 0 ? n : COUNT_OF(shardings);
}

/* Does the table tell its epochs? */
static int is_known(line_set *s, trial *t)
{
    const pipeline_way *way = &t->point.way;
    const double epochs = advice_epochs(&s->advice, t->point.workers,
                                        (double)way->copies * way->micro_batches);
    t->batches = s->advice.epoch_batches * epochs;
    if (epochs > 0.0 || s->advice.epochs.points == 0) return 1;
    s->unknown++;
    return 0;
}

/* Adds the splits of one offer, group size and number of workers. */
static void add_trials(line_set *s, const args *a, size_t set, uint32_t workers)
{
    uint32_t *devices, *passes;
    sgdpar_sharding sharding[COUNT_OF(shardings)];
    const size_t P = args_workers(a, OPTION_PIPELINE, &devices);
    const size_t M = pipeline_passes(a, &passes);
    const size_t Z = read_shardings(a, sharding);
    size_t p, m, z;
    for (p = 0; p < P; p++)
        for (m = 0; m < M; m++)
            for (z = 0; z < Z; z++) {
                trial *to = &s->trial[s->trials];
                *to = (trial){.point = {.workers = workers, .way = s->set[set].way}, .set = set};
                to->point.way.devices = devices[p];
                to->point.way.micro_batches = passes[m];
                to->point.way.sharding = sharding[z];
                if (devices[p] == 1) {
                    to->point.way.chunks = 1;
                    to->point.way.schedule = SGDPAR_PIPELINING_1F1B;
                }
                if (!pipeline_offer(&s->set[set], &to->point)) continue;
                if (z > 0 && to->point.way.copies == 1) continue;
                if (!is_known(s, to)) continue;
                to->most = pipeline_most_batches(&s->set[set], &to->point);
                pipeline_count(&s->totals, &to->point.way);
                s->trials++;
            }
}

/* first: layers of a group on links as the options give them. */
static void read_jobs(line_set *s, const args *a, const pipeline_set *first)
{
    const sgdp_job job = {
        .compute.batch = args_number(a, OPTION_BATCH, 0.0),
        .machine.gpus = (uint32_t)args_integer(a, OPTION_GPUS, 1, UINT32_MAX, 1),
        .links.bandwidth_bytes_per_s = first->links.bandwidth_bytes_per_s
    };
    s->advice.curves.jobs.traced = declared_is_traced(first->layers.file) &&
                                   !first->declared.stretches;
    s->offers = advice_read_cluster(&s->advice, a, &job, SGDP_ALLREDUCE_CLUSTER);
}

/* The layers of each group on the machines of each offer. */
static void read_sets(line_set *s, const args *a)
{
    const char *path = args_text(a, OPTION_LAYERS, NULL);
    const csv_table *given = advice_file(a), *t = given;
    uint32_t *group, *devices;
    const size_t P = args_workers(a, OPTION_PIPELINE, &devices);
    pipeline_set first;
    size_t i, one = 0;
    if (!given && !path) tool_fail("%s is missing", NAME_OF(LAYERS));
    if (given && args_given(a, OPTION_LAYERS))
        args_fail(OPTION_LAYERS, NULL, "cannot be combined with %s", given->name);
    if (!t) t = csv_read(path, 0);
    s->groups = pipeline_groups(t, &group);
    pipeline_read(&first, a, pipeline_rows(t, group[0]));
    read_jobs(s, a, &first);
    s->set = (pipeline_set *)tool_alloc(s->groups, s->offers * sizeof *s->set);
    while (one < P && devices[one] != 1) one++;
    for (i = 0; i < s->groups * s->offers; i++) {
        pipeline_read(&s->set[i], a, pipeline_rows(t, group[i % s->groups]));
        pipeline_move(&s->set[i], s->advice.offer[i / s->groups].scale);
        if (one < P) pipeline_read_plain(&s->set[i], a);
    }
}

/* ---- The search ----------------------------------------------------------------- */

/* A throughput of a split, as if each needed as many mini-batches for the loss. */
static double speed(const trial *t, double batches_per_s)
{
    return t->batches > 0.0 ? batches_per_s / t->batches : batches_per_s;
}

static int by_most(const void *x, const void *y)
{
    const trial *s = (const trial *)x, *t = (const trial *)y;
    const double a = speed(s, s->most), b = speed(t, t->most);
    return a < b ? 1 : a > b ? -1 : 0;
}

static int is_quicker(const trial *x, const trial *than)
{
    return !than || speed(x, x->point.batches_per_s) >
                    speed(than, than->point.batches_per_s) * (1.0 + 1e-12);
}

/* The exact steps of trial[from..], those that may be the quickest first, until no other one can
 * be quicker than the quickest that fits. */
static line_best search(line_set *s, size_t from)
{
    line_best best = {NULL, NULL};
    size_t i;
    qsort(s->trial + from, s->trials - from, sizeof *s->trial, by_most);
    for (i = from; i < s->trials; i++) {
        trial *t = &s->trial[i];
        if (best.fits && speed(t, t->most) <= speed(best.fits, best.fits->point.batches_per_s))
            break;
        pipeline_answer(&s->set[t->set], &t->point);
        if (is_quicker(t, best.any)) best.any = t;
        if (t->point.fits && is_quicker(t, best.fits)) best.fits = t;
        if (!s->least || t->point.memory_bytes < s->least->point.memory_bytes) s->least = t;
        s->shown[s->answered++] = *t;
    }
    return best;
}

static void search_all(line_set *s, const args *a)
{
    uint32_t *workers, *devices, *passes;
    const size_t K = pipeline_workers(&s->set[0], a, &workers);
    const size_t most = args_workers(a, OPTION_PIPELINE, &devices)
        * pipeline_passes(a, &passes) * COUNT_OF(shardings) * s->groups;
    size_t k, i;
    s->trial = (trial *)tool_alloc(K * s->offers, most * sizeof *s->trial);
    s->shown = (trial *)tool_alloc(K * s->offers, most * sizeof *s->shown);
    s->best = (line_best *)tool_alloc(K * s->offers, sizeof *s->best);
    for (k = 0; k < K * s->offers; k++) {
        const size_t from = s->trials, offer = k / K * s->groups;
        for (i = 0; i < s->groups; i++) add_trials(s, a, offer + i, workers[k % K]);
        s->best[s->advice.count] = search(s, from);
        if (s->best[s->advice.count].fits) s->advice.count++;
    }
    advice_note_unknown(&s->advice, s->unknown, s->trials, "splits");
    if (!s->least)
        args_fail(OPTION_WORKERS, args_text(a, OPTION_WORKERS, NULL), "no split into groups, "
                  "stages and copies fills these workers and their machines%s",
                  args_given(a, OPTION_TOTAL_BATCH) ? " and has this total batch" : "");
}

static size_t offer_of(const line_set *s, const trial *t) { return t->set / s->groups; }

/* Memory does not depend on the offer: as many numbers of workers have a choice on each. */
static sgdsched_choice choice_of(const line_set *s, const trial *t)
{
    const advice_set *a = &s->advice;
    const uint32_t gpus = a->curves.jobs.job[0].machine.gpus;
    const double price = a->priced ? a->offer[offer_of(s, t)].price_per_s : 1.0;
    return (sgdsched_choice){
        .workers = t->point.workers, .batches_per_s = t->point.batches_per_s,
        .low = ADVICE_NO_BAND, .price_per_s = advice_machines(gpus, t->point.workers) * price,
        .batches = t->batches
    };
}

static void choose(line_set *s)
{
    advice_set *a = &s->advice;
    size_t i;
    if (a->count == 0) {
        s->best[0].fits = s->best[0].any = s->least;
        a->count = 1;
    }
    a->curves.points = a->count == 1 ? 1 : a->count / s->offers;
    advice_take_room(a);
    for (i = 0; i < a->count; i++) a->choice[i] = choice_of(s, s->best[i].fits);
    advice_among(a, a->choice, a->count, a->outlay, &a->advice);
}

/* ---- Words ------------------------------------------------------------------------ */

static int nothing_fits(const line_set *s) { return !s->best[0].fits->point.fits; }

static const line_best *recommended(const line_set *s)
{
    return &s->best[s->advice.advice.recommended];
}

/* "8 stages x 16 copies of groups of 4, 32 micro-batches, zero-1" */
static const char *line_name(const line_set *s, const trial *t)
{
    const pipeline_way *way = &t->point.way;
    const uint32_t group = s->set[t->set].layers.group;
    char *text = advice_new_text();
    say(text, "%lu stage%s x %lu cop%s", COUNTED(way->devices), (unsigned long)way->copies,
        way->copies == 1 ? "y" : "ies");
    if (group > 1) say(text, " of groups of %lu", (unsigned long)group);
    say(text, ", %lu micro-batch%s, %s", (unsigned long)way->micro_batches,
        way->micro_batches == 1 ? "" : "es", sgdpar_sharding_text(way->sharding));
    return text;
}

static const char *name_choice(const advice_set *advice, size_t i)
{
    const line_set *s = (const line_set *)(const void *)advice;
    char *text = advice_new_text();
    say(text, "%s on %s", line_name(s, s->best[i].fits), advice_choice(advice, i));
    return text;
}

/* Why this split on these workers, then why so many of them. */
static const char *line_reason(const line_set *s)
{
    const line_best *best = recommended(s);
    const unsigned long workers = (unsigned long)best->fits->point.workers;
    const double more = 100.0 * (speed(best->any, best->any->point.batches_per_s) /
                                 speed(best->fits, best->fits->point.batches_per_s) - 1.0);
    char *text = advice_new_text();
    if (nothing_fits(s)) {
        say(text, "it needs least memory, %.4g GB", best->fits->point.memory_bytes / 1e9);
        return text;
    }
    if (best->any == best->fits)
        say(text, "the quickest of all splits of %lu worker%s", workers, workers == 1 ? "" : "s");
    else if (more < 0.5)
        say(text, "the quickest that fits on %lu worker%s; %s is as quick, but needs %.4g GB",
            workers, workers == 1 ? "" : "s", line_name(s, best->any),
            best->any->point.memory_bytes / 1e9);
    else
        say(text, "memory: %s would be %.0f %% quicker, but needs %.4g GB",
            line_name(s, best->any), more, best->any->point.memory_bytes / 1e9);
    if (s->advice.count > 1 || s->advice.goal.deadline_s > 0.0 || s->advice.goal.budget > 0.0)
        say(text, "; %lu of them: %s", workers, advice_reason(&s->advice));
    return text;
}

static const char *line_stop(const line_set *s)
{
    const pipeline_point *p = &recommended(s)->fits->point;
    const double exposed = p->step.exposed_s / p->step.step_s;
    const double bubble = p->step.bubble_share * (1.0 - exposed), compute = 1.0 - exposed - bubble;
    char *text = advice_new_text();
    if (compute >= exposed && compute >= bubble)
        say(text, "computing, %.0f %% of a step; the bubble is %.0f %%, exchanges %.0f %%",
            100.0 * compute, 100.0 * bubble, 100.0 * exposed);
    else if (bubble >= exposed) say(text, "the bubble, %.0f %% of a step", 100.0 * bubble);
    else say(text, "exchanges, %.0f %% of a step", 100.0 * exposed);
    return text;
}

/* ---- Printing --------------------------------------------------------------------- */

static void print_point(columns *t, const line_set *s, const trial *of, const sgdsched_choice *c,
                        const sgdsched_outlay *o)
{
    const pipeline_set *set = &s->set[of->set];
    const pipeline_point *p = &of->point;
    const advice_set *a = &s->advice;
    const int limited = set->memory_bytes > 0.0;
    if (a->offer[0].name) column_text(t, ALL, "offer", a->offer[offer_of(s, of)].name);
    column_whole(t, ALL, "workers", p->workers);
    column_whole(t, ALL, "group", set->layers.group);
    column_whole(t, ALL, "pipeline", p->way.devices);
    column_whole(t, ALL, "data", p->way.copies);
    column_whole(t, ALL, "accumulate", p->way.micro_batches);
    column_text(t, ALL, "sharding", sgdpar_sharding_text(p->way.sharding));
    column_number(t, ALL, "batches_per_s", p->batches_per_s);
    advice_print_examples(t, a, p->batches_per_s);
    json_null(t->out, "low");
    json_null(t->out, "high");
    column_number(t, ALL, "step_s", p->step.step_s);
    column_number(t, DATA, "efficiency", p->efficiency);
    column_number(t, ALL, "bubble_share", p->step.bubble_share);
    column_number(t, DATA, "exposed_s", p->step.exposed_s);
    advice_print_times(t, JSON, a, c, o, 0);
    column_number(t, a->priced ? ALL : DATA, "cost", known_if(a->timed && a->priced, o->cost));
    json_null(t->out, "cost_low");
    json_null(t->out, "cost_high");
    column_number(t, ALL, "memory_bytes", p->memory_bytes);
    if (limited) json_bool(t->out, "fits", p->fits);
    else json_null(t->out, "fits");
    column_text(t, limited ? TABLES : CSV, "fits", !limited ? NULL : p->fits ? "yes" : "no");
    column_text(t, DATA, "layers", pipeline_counts(&set->layers, &p->way, p->first));
    advice_print_verdicts(t, a, o);
}

static void print_choice(columns *t, const advice_set *advice, size_t i)
{
    const line_set *s = (const line_set *)(const void *)advice;
    columns_row(t);
    print_point(t, s, s->best[i].fits, &advice->choice[i], &advice->outlay[i]);
}

static const advice_kind splits = {print_choice, name_choice, NULL}; /* no remedy is tried  */

static void json_heading(output *out, const line_set *s)
{
    const advice_words words = {nothing_fits(s), line_reason(s), NULL, line_stop(s), NULL};
    json_string(out, "mode", "allreduce");
    json_string(out, "model", "pipeline");
    json_string(out, "status", words.nothing_fits ? "nothing_fits" : "ok");
    json_integer(out, "splits", s->trials);
    advice_json_fit(out, &s->advice, &words);
}

static void print_sentences(output *out, const line_set *s)
{
    const size_t r = s->advice.advice.recommended;
    const trial *best = recommended(s)->fits;
    const pipeline_layers *l = &s->set[best->set].layers;
    const char *layout = pipeline_layout(l, &best->point.way, best->point.first);
    if (nothing_fits(s))
        output_print(out, "nothing fits into %.4g GB: nothing is recommended\n",
                     s->set[0].memory_bytes / 1e9);
    output_print(out, "%s: %s\n", nothing_fits(s) ? "nearest" : "recommended",
                 name_choice(&s->advice, r));
    output_print(out, "  why: %s\n", line_reason(s));
    output_print(out, "  what stops it: %s\n", line_stop(s));
    output_print(out, "  layers of its stages: %s%s%s\n",
                 pipeline_counts(l, &best->point.way, best->point.first),
                 layout ? ", layout " : "", layout ? layout : "");
    advice_print_others(out, &s->advice);
    output_print(out, "  of %lu split%s %lu are timed; no other can be quicker\n\n",
                 COUNTED(s->trials), (unsigned long)s->answered);
}

/* For a human the best on each number of workers, else all that were timed. */
static void print(output *out, const line_set *s)
{
    json_object(out, NULL);
    if (out->form == JSON) json_heading(out, s);
    if (out->form == SCREEN) print_sentences(out, s);
    columns t = columns_open(out, ALL, "points");
    for (size_t i = 0; i < (out->form == SCREEN ? s->advice.count : s->answered); i++) {
        const trial *of = out->form == SCREEN ? s->best[i].fits : &s->shown[i];
        const sgdsched_choice choice = choice_of(s, of);
        sgdsched_outlay outlay;
        sgdsched_advice alone;
        advice_among(&s->advice, &choice, 1, &outlay, &alone);
        columns_row(&t);
        print_point(&t, s, of, &choice, &outlay);
    }
    columns_close(&t);
    json_end(out);
    advice_print_price(out, &s->advice, s->advice.curves.jobs.job[0].machine.gpus);
}

int advice_pipelines(const args *a)
{
    line_set s = {.advice = {.kind = &splits}};
    output out = {0};
    advice_refuse_options(a);
    read_sets(&s, a);
    search_all(&s, a);
    choose(&s);
    if (!(s.set[0].memory_bytes > 0.0))
        tool_note("memory-not-asked", "no %s was given: memory is not checked, so the recommended "
                  "way to train may not fit", NAME_OF(MEMORY));
    tool_note("no-intervals", "intervals are missing: too few steps of pipelines were measured to "
                              "estimate errors");
    if (!advice_counts_batch(&s.advice)) pipeline_note_totals(&s.totals);
    out.form = args_form(a);
    if (nothing_fits(&s)) advice_refuse_script(a);
    if (!advice_print_script(&out, &s.advice, a, s.advice.curves.jobs.job[0].machine.gpus))
        print(&out, &s);
    return output_flush(&out, nothing_fits(&s) ? EXIT_NOT_REACHED : EXIT_DONE);
}
