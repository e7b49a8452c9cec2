/* ways.c - which way to train: shards, buckets, micro-batches, collectives, workers */
#include "cmd/advise/advise.h"
#include "files/status.h"

#include <assert.h>
#include <math.h>

/* Points of all offers, point i of offer j at j * replica.points + i. Choices of `advice`
 * are those among them that may be recommended, in the same order. */
typedef struct ways_set {
    advice_set     advice;     /* first, for what its kind is asked                    */
    replica_set    replica;
    size_t         offers, count;
    replica_point *point;      /* [count]                                              */
    sgdsched_choice *choice;   /* [count] whether they may be recommended or not       */
    sgdsched_outlay *outlay;   /* [count]                                              */
    size_t        *candidate;  /* [advice.count] indices of points                     */
    job_set        profiled;   /* no job: there are layers                             */
    int            accumulates; /* more micro-batches may be recommended               */
    int            nothing_fits;
} ways_set;

/* ---- Printing: sentences ------------------------------------------------------ */

/* May it be recommended, but for its memory? */
static int ways_is_candidate(const ways_set *s, const replica_point *p)
{
    return s->accumulates || p->accumulate == s->replica.accumulate[0];
}

/* Mini-batches per second, as if each way needed as many for the loss. */
static double ways_speed(const ways_set *s, size_t i)
{
    const double needs = s->choice[i].batches;
    return s->point[i].batches_per_s / (needs > 0.0 ? needs / s->advice.goal.batches : 1.0);
}

/* The quickest of those on the workers of `group` of an offer that may be recommended, of
 * this sharding (SGDPAR_SHARDING_COUNT: of any); s->count: none. */
static size_t ways_quickest(const ways_set *s, size_t offer, size_t group, sgdpar_sharding sharding,
                            int whatever_fits)
{
    const size_t n = s->replica.points;
    size_t best = s->count;
    for (size_t i = offer * n; i < (offer + 1) * n; i++) {
        const replica_point *p = &s->point[i];
        if (p->group != group || !ways_is_candidate(s, p)) continue;
        if (sharding != SGDPAR_SHARDING_COUNT && p->sharding != sharding) continue;
        if (!whatever_fits && s->replica.memory_bytes > 0.0 && !p->fits) continue;
        if (best == s->count || ways_speed(s, i) > ways_speed(s, best) * (1.0 + 1e-12)) best = i;
    }
    return best;
}

/* The point that is recommended. */
static size_t ways_recommended(const ways_set *s)
{
    return s->candidate[s->advice.advice.recommended];
}

/* "ddp, buckets of 4 MiB" */
static const char *ways_name(const ways_set *s, const replica_point *p)
{
    char *text = advice_new_text();
    say(text, "%s", sgdpar_sharding_text(p->sharding));
    if (p->bucket_bytes >= 1048576.0)
        say(text, ", buckets of %.4g MiB", p->bucket_bytes / 1048576.0);
    else if (p->bucket_bytes > 0.0)
        say(text, ", buckets of %.4g KiB", p->bucket_bytes / 1024.0);
    if (p->accumulate > 1) say(text, ", %lu micro-batches a step", (unsigned long)p->accumulate);
    if (s->replica.collectives > 1 && p->workers > 1)
        say(text, ", %s", s->replica.ways[p->ways].text);
    return text;
}

/* The quickest way whose value is within all limits, where only ways that may not be recommended
 * are; NULL: there is none. */
static const replica_point *ways_within_by_accumulating(const ways_set *s)
{
    const replica_point *best = NULL;
    if (s->advice.advice.rule != SGDSCHED_RULE_NEAREST) return NULL;
    for (size_t i = 0; i < s->count; i++) {
        const replica_point *p = &s->point[i];
        if (ways_is_candidate(s, p) || (s->replica.memory_bytes > 0.0 && !p->fits)) continue;
        if (s->outlay[i].in_time > SGDSCHED_VERDICT_LIKELY ||
            s->outlay[i].in_budget > SGDSCHED_VERDICT_LIKELY)
            continue;
        if (!best || p->batches_per_s > best->batches_per_s) best = p;
    }
    return best;
}

/* Does a way have an interval, that of the totals? */
static int is_banded(const ways_set *s, const replica_point *p)
{
    return replica_class(&s->replica, p) != BAND_CLASSES;
}

/* Which way, on these workers; then why so many of them. */
static const char *ways_reason(const ways_set *s)
{
    const size_t r = ways_recommended(s), offer = r / s->replica.points;
    const replica_point *p = &s->point[r];
    const double limit = s->replica.memory_bytes;
    const size_t best = ways_quickest(s, offer, p->group, SGDPAR_SHARDING_COUNT, s->nothing_fits);
    const char *word = sgdpar_sharding_text(p->sharding);
    const int only = s->replica.groups == 1 && s->offers == 1 &&
                     s->advice.advice.rule == SGDSCHED_RULE_BALANCED;
    const replica_point *within = ways_within_by_accumulating(s);
    char *text = advice_new_text();
    if (s->nothing_fits) {
        say(text, "%s on %lu worker%s needs least, %.4g GB", word, COUNTED(p->workers),
            p->memory.total_bytes / 1e9);
        return text;
    }
    say(text, "%s is %s%s on %lu worker%s", word,
        s->point[best].sharding == p->sharding ? "the quickest" : "as quick as any",
        limit > 0.0 ? " that fits" : "", COUNTED(p->workers));
    if (!only)
        say(text, "; %lu of them: %s", (unsigned long)p->workers, advice_reason(&s->advice));
    if (!within) return text;
    say(text, "; %lu micro-batches a step (--accumulate)", (unsigned long)within->accumulate);
    if (within->workers != p->workers) say(text, " on %lu worker%s", COUNTED(within->workers));
    say(text, " are within, of a larger total batch");
    return text;
}

/* "zero-1 takes 3 % longer, ..."; or ""
 *
 * The other ways on the same workers, each at its best. */
static const char *ways_against(const ways_set *s)
{
    const size_t r = ways_recommended(s), n = s->replica.points;
    const replica_point *best = &s->point[r];
    char *text = advice_new_text();
    for (size_t k = 0; k < s->replica.shardings && !s->nothing_fits; k++) {
        const sgdpar_sharding of = s->replica.sharding[k];
        const size_t i = ways_quickest(s, r / n, best->group, of, 1);
        const replica_point *p = i < s->count ? &s->point[i] : NULL;
        const double more = p ? 100.0 * (ways_speed(s, r) / ways_speed(s, i) - 1.0) : 0.0;
        if (!p || of == best->sharding) continue;
        say(text, "%s%s ", text[0] ? ", " : "", sgdpar_sharding_text(of));
        if (s->replica.memory_bytes > 0.0 && !p->fits && !s->nothing_fits)
            say(text, "does not fit (%.3g GB)", p->memory.total_bytes / 1e9);
        else if (more < 1.0 && more > -1.0) say(text, "is as quick");
        else if (more < 0.0)           /* the quickest of those on its workers, if any fits */
            say(text, "takes %.0f %% less, but needs %.3g GB", -more,
                p->memory.total_bytes / 1e9);
        else say(text, "takes %.0f %% longer", more);
    }
    return text;
}

static const char *ways_stop(const ways_set *s)
{
    const sgdpar_replica_step *step = &s->point[ways_recommended(s)].step;
    char *text = advice_new_text();
    if (s->point[ways_recommended(s)].input_s > 0.0)
        say(text, "the input pipeline: a machine gets %.4g examples/s", s->replica.input_rate);
    else if (step->exposed_s > step->compute_s)
        say(text, "exchanges that computing does not hide, %.0f %% of a step",
            100.0 * step->exposed_s / step->step_s);
    else
        say(text, "computing, %.0f %% of a step", 100.0 * step->compute_s / step->step_s);
    return text;
}

/* ---- Printing: columns -------------------------------------------------------- */

/* workers: tells a human how many they are. */
static void print_way(columns *t, const ways_set *s, size_t i, int workers)
{
    const advice_set *a = &s->advice;
    const replica_point *p = &s->point[i];
    const sgdsched_outlay *o = &s->outlay[i];
    const int limited = s->replica.memory_bytes > 0.0, json = t->in == JSON;
    const int known = is_banded(s, p), timed = known && a->timed, priced = timed && a->priced;
    columns_row(t);
    if (a->offer[0].name)
        column_text(t, ALL, "offer", a->offer[i / s->replica.points].name);
    column_whole(t, workers ? ALL : DATA, "workers", p->workers);
    if (s->replica.gpus > 1)
        column_whole(t, workers ? ALL : DATA, "machines",
                     (uint64_t)advice_machines(s->replica.gpus, p->workers));
    column_text(t, ALL, "sharding", sgdpar_sharding_text(p->sharding));
    column_whole(t, s->replica.accumulates > 1 ? TABLES : CSV, "accumulate", p->accumulate);
    column_round(t, TABLES, "bucket_bytes", 9, known_if(p->bucket_bytes > 0.0, p->bucket_bytes));
    column_text(t, s->replica.collectives > 1 ? TABLES : CSV, "collective",
                s->replica.ways[p->ways].text);
    column_text(t, TABLES, "way", p->step.ways != 0 ? replica_ways_text(p->step.ways) : NULL);
    column_number(t, ALL, "batches_per_s", p->batches_per_s);
    advice_print_examples(t, a, p->batches_per_s);
    column_number(t, TABLES, "step_s", p->step.step_s);
    column_number(t, CSV, "efficiency", p->efficiency);
    column_number(t, CSV, "exchange_s", p->step.exchange_s);
    column_number(t, TABLES, "exposed_s", p->step.exposed_s);
    advice_print_times(t, 0, a, &s->choice[i], o, known);
    column_number(t, a->priced ? ALL : DATA, "cost", known_if(a->timed && a->priced, o->cost));
    column_number(t, TABLES, "memory_bytes", p->memory.total_bytes);
    column_text(t, limited ? TABLES : CSV, "fits", !limited ? NULL : p->fits ? "yes" : "no");
    advice_print_verdicts(t, a, o);
    column_number(t, DATA, "low", known_if(known, p->batches_per_s * (1.0 - s->choice[i].low)));
    column_number(t, DATA, "high", known_if(known, p->batches_per_s * (1.0 + s->choice[i].high)));
    column_number(t, DATA, "time_low_s", known_if(timed, o->time_low_s));
    column_number(t, DATA, "time_high_s", known_if(timed, o->time_high_s));
    column_number(t, DATA, "cost_low", known_if(priced, o->cost_low));
    column_number(t, DATA, "cost_high", known_if(priced, o->cost_high));
    if (json) replica_print_members(t, &s->replica, p);
}

/* ---- Printing: JSON ----------------------------------------------------------- */

/* Of advice_kind. */
static void print_choice(columns *t, const advice_set *advice, size_t choice)
{
    const ways_set *s = (const ways_set *)(const void *)advice;
    print_way(t, s, s->candidate[choice], 1);
}

static const char *name_choice(const advice_set *advice, size_t choice)
{
    const ways_set *s = (const ways_set *)(const void *)advice;
    char *text = advice_new_text();
    say(text, "%s on %s", ways_name(s, &s->point[s->candidate[choice]]),
               advice_choice(advice, choice));
    return text;
}

static const char *remedy_text(size_t remedy)
{
    return sgdpar_remedy_text((sgdpar_remedy)remedy);
}

static const advice_kind ways_to_train = {print_choice, name_choice, remedy_text};

static void json_heading(output *out, const ways_set *s)
{
    const char *against = ways_against(s);
    const advice_words words = {s->nothing_fits, ways_reason(s), against[0] ? against : NULL,
                                ways_stop(s), advice_help(&s->advice)};
    json_string(out, "mode", "allreduce");
    json_string(out, "model", "layers");
    json_string(out, "status", s->nothing_fits ? "nothing_fits" : "ok");
    advice_json_fit(out, &s->advice, &words);
}

/* ---- Printing: for a human ---------------------------------------------------- */

static void print_sentences(output *out, const ways_set *s)
{
    const char *name = name_choice(&s->advice, s->advice.advice.recommended);
    if (s->nothing_fits) {
        output_print(out, "nothing fits into %.4g GB: nothing is recommended\n",
                     s->replica.memory_bytes / 1e9);
        output_print(out, "nearest: %s\n  why: %s\n", name, ways_reason(s));
        return;
    }
    output_print(out, "recommended: %s\n  why: %s\n", name, ways_reason(s));
    if (ways_against(s)[0]) output_print(out, "  beside it: %s\n", ways_against(s));
    output_print(out, "  what stops it: %s\n", ways_stop(s));
    output_print(out, "  what would help most: %s\n", advice_help(&s->advice));
    advice_print_others(out, &s->advice);
}

/* All ways on the recommended workers, and the best way on each number of them. */
static void print_tables(output *out, const ways_set *s)
{
    const size_t r = ways_recommended(s), n = s->replica.points;
    size_t i;
    print_sentences(out, s);
    output_print(out, "\nways on %lu worker%s\n", COUNTED(s->point[r].workers));
    columns t = columns_open(out, SCREEN, NULL);
    for (i = r / n * n; i < (r / n + 1) * n; i++)
        if (s->point[i].group == s->point[r].group) print_way(&t, s, i, 0);
    columns_close(&t);
    if (s->replica.groups * s->offers == 1) return;
    output_print(out, "\nthe quickest%s on each number of workers\n",
                 s->replica.memory_bytes > 0.0 && !s->nothing_fits ? " that fits" : "");
    t = columns_open(out, SCREEN, NULL);
    for (size_t offer = 0; offer < s->offers; offer++)
        for (size_t g = 0; g < s->replica.groups; g++) {
            i = ways_quickest(s, offer, g, SGDPAR_SHARDING_COUNT, s->nothing_fits);
            if (i < s->count) print_way(&t, s, i, 1);
        }
    columns_close(&t);
}

static void ways_print(output *out, const ways_set *s)
{
    if (out->form == SCREEN) print_tables(out, s);
    json_object(out, NULL);
    if (out->form == JSON) json_heading(out, s);
    columns t = columns_open(out, DATA, "points");
    for (size_t i = 0; i < s->count; i++) print_way(&t, s, i, 1);
    columns_close(&t);
    json_end(out);
    advice_print_price(out, &s->advice, s->replica.gpus);
}

/* ---- Choosing: what is asked for ---------------------------------------------- */

int advice_ways_wanted(const args *a)
{
    static const option_id own[] = { REPLICA_OPTIONS };
    int wanted = args_given(a, OPTION_LAYERS) && !args_given(a, OPTION_SERVERS);
    if (mode_read(a) != MODE_ALLREDUCE) return 0;
    for (size_t i = 0; i < COUNT_OF(own) && !wanted; i++) wanted = args_given(a, own[i]);
    const csv_table *t = advice_file(a);
    return wanted || (t && layers_are(t));
}

void advice_refuse_options(const args *a)
{
    static const option_id others[] = {
        OPTION_MODEL, OPTION_SERVERS, OPTION_SHARES, OPTION_UPDATES, OPTION_OVERLAP_ITERATE,
        OPTION_THRESHOLD, OPTION_WORKER_TYPE, OPTION_WORKER_BANDWIDTH,
        OPTION_DELAY, OPTION_PORT_BUFFER, OPTION_VARY_SAMPLE, OPTION_SWITCH_ANEW,
        OPTION_MEASURED_ON, OPTION_JOBS_ON_NETWORK, OPTION_BACKUP,
        OPTION_BANDS, OPTION_BUCKET_LAYERS, OPTION_SERVER_PRICE, OPTION_SERVER_COST
    };
    args_refuse(a, others, COUNT_OF(others), "cannot be combined with a table of layers, which "
                                             "compares ways to train");
}

static void refuse_profile(const args *a)
{
    static const option_id others[] = {
        OPTION_PROFILE, OPTION_FORWARD, OPTION_BACKWARD, OPTION_COMPUTE, OPTION_STEP,
        OPTION_MODEL_SIZE, OPTION_UPLINK, OPTION_DOWNLINK
    };
    args_refuse(a, others, COUNT_OF(others), "cannot be combined with a table of layers, which "
                                             "gives the value");
}

/* The options, and those that columns of the profile give, unless another one goes before. */
static const args *with_columns(const args *a, const job_set *jobs)
{
    static const struct { const char *name; option_id option, before[2]; } column[] = {
        {"network", OPTION_NETWORK, {OPTION_NETWORK, OPTION_NETWORK}},
        {"local_network", OPTION_LOCAL_NETWORK, {OPTION_LOCAL_NETWORK, OPTION_LOCAL_NETWORK}},
        {"stack", OPTION_STACK, {OPTION_STACK, OPTION_STACK}},
        {"cards", OPTION_CARDS, {OPTION_CARDS, OPTION_CARDS}},
        {"exposure", OPTION_EXPOSURE, {OPTION_OVERLAP, OPTION_OVERLAP_EXPONENT}},
        {"overlap_exponent", OPTION_OVERLAP_EXPONENT, {OPTION_OVERLAP, OPTION_EXPOSURE}},
        {"growth", OPTION_GROWTH, {OPTION_GROWTH, OPTION_GROWTH}},
        {"growth_between", OPTION_GROWTH_BETWEEN, {OPTION_GROWTH_BETWEEN, OPTION_GROWTH_BETWEEN}},
        {"vary", OPTION_VARY, {OPTION_VARY_SAMPLE, OPTION_VARY_SAMPLE}},
        {"bandwidth_bytes_per_s", OPTION_BANDWIDTH, {OPTION_BANDWIDTH, OPTION_BANDWIDTH}}
    };
    const double line = jobs->kinds[0].line_bytes_per_s;
    const args *out = a;
    for (size_t i = 0; i < COUNT_OF(column) && jobs->file; i++) {
        const option_id id = column[i].option, *before = column[i].before;
        const int at = csv_column(jobs->file, column[i].name), rate = id == OPTION_BANDWIDTH;
        if (csv_is_empty(jobs->file, 0, at)) continue;
        if (args_given(a, id) || args_given(a, before[0]) || args_given(a, before[1])) continue;
        if (id == OPTION_LOCAL_NETWORK && jobs->job[0].machine.gpus < 2) continue;
        if ((rate || id == OPTION_OVERLAP_EXPONENT) && jobs->traced) continue;
        const char *text = csv_text(jobs->file, 0, at);
        if (rate && fabs(csv_number(jobs->file, 0, at, NUMBER_POSITIVE) - line) > 0.0) continue;
        out = args_with(out, id, rate ? tool_text("%sB/s", text) : text);
    }
    return out;
}

/* A profile in place of layers. */
static replica_profile read_profile(job_set *jobs, const args *a)
{
    replica_profile of;
    job_read_profile(jobs, a, 0, advice_profile(a));
    const sgdp_job *job = &jobs->job[0];
    of = (replica_profile){
        jobs->file ? jobs->file->name : "the options", jobs->file, job->model_bytes,
        job->compute.forward_s, job->compute.backward_s, job->compute.update_s,
        job->compute.batch, job->machine.input_examples_per_s,
        job->collective.alltoall_bytes, jobs->traced
    };
    double step_s = job->compute.one_worker_step_s;
    if (!(of.bytes > 0.0))
        tool_fail("%s: transfer times do not give the size of the model: add %s and %s", of.name,
                  NAME_OF(MODEL_SIZE), NAME_OF(BANDWIDTH));
    if (step_s > 0.0 && job->machine.gpus > 1)
        tool_fail("%s: the step of a machine of several accelerators contains exchanges, so that "
                  "the compute time is unknown: leave out %s",
                  of.name, jobs->file ? "column step_s" : NAME_OF(STEP));
    if (!(step_s > 0.0)) return of;
    double compute_s = of.forward_s + of.backward_s;
    if (step_s < of.update_s) tool_fail("%s: the step is shorter than the time of the update",
                                        of.name);
    of.forward_s = (step_s - of.update_s) *
                   (compute_s > 0.0 ? of.forward_s / compute_s : 1.0 / 3.0);
    of.backward_s = step_s - of.update_s - of.forward_s;
    return of;
}

static void take_jobs(ways_set *s, const args *a)
{
    const replica_set *r = &s->replica;
    const sgdp_job job = {
        .compute.batch = r->batch, .machine.gpus = r->gpus,
        .links.bandwidth_bytes_per_s = r->replica.network.topology.bandwidth_bytes_per_s
    };
    s->advice.curves.jobs.traced = r->traced && !r->links.stretches;
    s->offers = advice_read_cluster(&s->advice, a, &job,
                                    mode_usual_model(MODE_ALLREDUCE, r->links.stretches));
}

/* The mini-batches of a step. */
static double step_batches(const ways_set *s, const replica_point *p)
{
    return advice_update(&s->advice, p->workers) * p->accumulate;
}

/* Points whose epochs the table tells. */
static void keep_known(ways_set *s)
{
    replica_set *r = &s->replica;
    size_t kept = 0, candidates = 0;
    for (size_t i = 0; i < r->points; i++) {
        const replica_point *p = &r->point[i];
        if (!advice_knows(&s->advice, p->workers, step_batches(s, p))) continue;
        candidates += (size_t)ways_is_candidate(s, p);
        r->point[kept++] = *p;
    }
    advice_note_unknown(&s->advice, r->points - kept, candidates > 0 ? kept : 0,
                        "ways to train");
    r->points = kept;
}

/* Returns the options, with those of the profile. */
static const args *read_all(ways_set *s, const args *a)
{
    static const replica_usual usual = {
        "ddp,zero-1,zero-2,fsdp,hsdp", "1,2,4", "25MiB,auto", "1-64"
    };
    const csv_table *t = advice_file(a);
    const int layers = args_given(a, OPTION_LAYERS) || (t && layers_are(t));
    advice_refuse_options(a);
    if (args_given(a, OPTION_LAYERS) && t)
        args_fail(OPTION_LAYERS, NULL, "cannot be combined with %s", t->name);
    if (layers) {
        refuse_profile(a);
        replica_read(&s->replica, a, t, NULL, &usual);
    } else {
        const replica_profile profile = read_profile(&s->profiled, a);
        s->advice.host_share = advice_host_share(&s->profiled, a);
        a = with_columns(a, &s->profiled);
        replica_read(&s->replica, a, NULL, &profile, &usual);
    }
    s->accumulates = args_given(a, OPTION_ACCUMULATE);
    take_jobs(s, a);
    keep_known(s);
    return a;
}

/* ---- Choosing: answers -------------------------------------------------------- */

static void answer_all(ways_set *s, size_t processes)
{
    const size_t n = s->replica.points;
    s->count = s->offers * n;
    s->point = (replica_point *)tool_alloc(s->count, sizeof *s->point);
    s->choice = tool_alloc(s->count, sizeof *s->choice);
    s->outlay = tool_alloc(s->count, sizeof *s->outlay);
    for (size_t i = 0; i < s->count; i++) {
        s->point[i] = s->replica.point[i % n];
        s->point[i].scale = s->advice.offer[i / n].scale;
    }
    replica_answer_all(&s->replica, s->point, s->count, processes);
    for (size_t i = 0; i < s->count; i++) {
        const replica_point *p = &s->point[i];
        const double price = s->advice.priced ? s->advice.offer[i / n].price_per_s : 1.0;
        const band b = replica_band(&s->replica, p);
        s->choice[i] = (sgdsched_choice){
            .workers = p->workers, .batches_per_s = p->batches_per_s,
            .low = is_banded(s, p) ? b.low : ADVICE_NO_BAND, .high = b.high,
            .price_per_s = advice_machines(s->replica.gpus, p->workers) * price,
            .batches = s->advice.epoch_batches *
                       advice_epochs(&s->advice, p->workers, step_batches(s, p))
        };
    }
}

/* What may be recommended and fits; where nothing does, what needs least. */
static void find_candidates(ways_set *s)
{
    double least = HUGE_VAL, limit = s->replica.memory_bytes;
    size_t found = 0;
    s->candidate = (size_t *)tool_alloc(s->count, sizeof *s->candidate);
    for (size_t i = 0; i < s->count; i++)
        if (ways_is_candidate(s, &s->point[i]))
            least = fmin(least, s->point[i].memory.total_bytes);
    s->nothing_fits = limit > 0.0 && least > limit;
    if (!(limit > 0.0)) limit = HUGE_VAL;
    if (s->nothing_fits) limit = least;
    for (size_t i = 0; i < s->count; i++)
        if (ways_is_candidate(s, &s->point[i]) && s->point[i].memory.total_bytes <= limit)
            s->candidate[found++] = i;
    s->advice.count = found;
    s->advice.curves.points = found / s->offers;
}

static void choose(ways_set *s)
{
    advice_set *a = &s->advice;
    sgdsched_advice of_all;
    find_candidates(s);
    advice_take_room(a);
    for (size_t i = 0; i < a->count; i++) a->choice[i] = s->choice[s->candidate[i]];
    advice_among(a, s->choice, s->count, s->outlay, &of_all);
    advice_among(a, a->choice, a->count, a->outlay, &a->advice);
}

/* Of twice the bandwidth, where the flows of the kind of network carry less than twice. */
static void cap_bandwidth(ways_set *s)
{
    const replica_point *p = &s->point[ways_recommended(s)];
    const network *kind = s->advice.offer[ways_recommended(s) / s->replica.points].kinds.between;
    const double bandwidth = s->replica.replica.network.topology.bandwidth_bytes_per_s;
    const uint32_t cards = s->advice.offer[0].kinds.cards;
    const double times = network_doubled(kind, bandwidth * p->scale.link / (cards > 1 ? cards : 1));
    double *gain = &s->advice.gain[SGDPAR_REMEDY_BANDWIDTH];
    replica_point faster = *p;
    if (times >= 2.0) return;
    faster.scale.link *= times;
    *gain = 0.0;
    if (!(times > 1.0)) return;
    replica_answer_all(&s->replica, &faster, 1, 1);
    *gain = faster.batches_per_s / p->batches_per_s - 1.0;
}

/* Of the recommended point, on its offer; twice the batch has twice the activations. */
static void try_remedies(ways_set *s)
{
    const size_t r = ways_recommended(s);
    const replica_point *p = &s->point[r];
    const int best_bucket = replica_has_buckets(&s->replica, p) && !(p->asked_bytes > 0.0);
    const double limit = s->replica.memory_bytes;
    sgdpar_replica of = replica_of(&s->replica, p);
    double *gain = s->advice.gain;
    const topology_ways *ways = &s->replica.ways[p->ways];
    static const size_t larger[] = {SGDPAR_REMEDY_BATCH, SGDPAR_REMEDY_PASSES};
    char links[300];
    size_t bytes = 0;
    if (s->nothing_fits) return;
    if (best_bucket) of.buckets.cap_bytes = (uint64_t)s->replica.least_bucket;
    tool_check_parallel(sgdpar_replica_time_bytes(&of, &bytes), s->replica.file);
    assert((size_t)SGDPAR_REMEDY_COUNT <= (size_t)SGDP_REMEDY_COUNT);
    if (sgdpar_remedies(&of, best_bucket, tool_alloc(bytes, 1), bytes, gain) != SGDPAR_OK)
        tool_fail("%s: the change that would help most is unknown: doubling one of these inputs, "
                  "the batch or the speed gives a number out of range: %s",
                  s->replica.file,
                  topology_text(&of.network.topology, ways->file, links, sizeof links));
    if (gain[SGDPAR_REMEDY_BATCH] > 0.0 && limit > 0.0
        && p->memory.total_bytes + s->replica.activations_bytes > limit) {
        tool_note("out-of-memory",
                  "%s does not fit into --memory, as --activations grow with the batch: the gain "
                  "counts as 0", sgdpar_remedy_text(SGDPAR_REMEDY_BATCH));
        gain[SGDPAR_REMEDY_BATCH] = 0.0;
    }
    cap_bandwidth(s);
    for (size_t i = 0; i < COUNT_OF(larger); i++)
        gain[larger[i]] = advice_batch_gain(&s->advice, p->workers, step_batches(s, p),
                                            gain[larger[i]]);
    advice_sort_remedies(&s->advice);
}

/* ---- Choosing: what was left out or assumed ----------------------------------- */

/* The size alone does not tell how many parameters there are. */
static void note_parameters(const ways_set *s, const args *a)
{
    const double n = s->replica.parameters, optimizer = s->replica.precision.optimizer;
    const double state = fabs(optimizer) > 0.0 ? fmax(optimizer, 0.0) : 8.0;
    if (!(s->replica.memory_bytes > 0.0) || s->profiled.count == 0
        || args_given(a, OPTION_PRECISION)) return;
    tool_note("mixed-totals", "%s counts %.4g bytes for each of %.3g parameters, as the size is "
              "taken as 4 a parameter: if %.4g bytes are the size in 16 bits, there are twice as "
              "many: give %s mixed and %s %.4g; else %s single",
              NAME_OF(MEMORY), 8.0 + state, n, 4.0 * n, NAME_OF(PRECISION), NAME_OF(MODEL_SIZE),
              8.0 * n, NAME_OF(PRECISION));
}

static void note_memory(const ways_set *s, const args *a)
{
    note_parameters(s, a);
    if (!(s->replica.memory_bytes > 0.0))
        tool_note("memory-not-asked",
                  "no --memory was given: memory is not checked, so the recommended way to train "
                  "may not fit");
    else if (!args_given(a, OPTION_ACTIVATIONS) && !(s->replica.activations_bytes > 0.0))
        tool_note("activations-not-counted",
                  "no --activations were given: memory counts only parameters, gradients and "
                  "optimizer state, so a way that seems to fit may not fit");
    if (s->nothing_fits)
        tool_note("nothing-fits",
                  "no way to train fits into --memory: no way is recommended, and the way that "
                  "needs least memory is shown");
}

static int shows_micro_batches(const ways_set *s)
{
    for (size_t i = 0; i < s->replica.points; i++)
        if (s->replica.point[i].accumulate > 1) return 1;
    return 0;
}

static void note_compared(const ways_set *s, const args *a)
{
    const sgdpar_replica *of = &s->replica.replica;
    size_t i, found = 0;
    for (i = 0; i < s->replica.points; i++)
        if (!(s->replica.point[i].asked_bytes > 0.0)) found = 1;
    if (of->schedule.local_steps > 0 || of->overlap.exponent > 0.0)
        tool_note("buckets-not-compared", "bucket sizes are not compared: %s has no buckets",
                  of->schedule.local_steps > 0 ? "local SGD" : "a step of --overlap-exponent");
    else if (!found && !args_given(a, OPTION_BUCKET))
        tool_note("buckets-not-compared", "bucket sizes are not compared without %s: buckets of 25 "
                  "MiB are used", NAME_OF(LATENCY));
    if (!s->accumulates && s->replica.accumulates > 1 && shows_micro_batches(s))
        tool_note("larger-batch",
                  "rows with more micro-batches a step are shown but not recommended, as they "
                  "enlarge the total batch: --accumulate 1,2,4 allows them");
    const int layers = s->replica.traced && !s->profiled.traced;
    if (layers || s->advice.host_share >= 0.1)
        tool_note("host-bound", "the host's launches and gaps count as compute, but faster "
                  "workers, a larger batch and --offer do not shorten them: their gains look too "
                  "large; %s", layers ? "layers do not give the host's time: use the profile that "
                  "import writes" : "without ways to train, advise keeps them out of the gains");
    replica_note_bands(&s->replica, s->point, s->count);
    advice_note_limits(&s->advice, s->replica.groups > 1 && !s->nothing_fits,
                       of->network.topology.beside, s->point[ways_recommended(s)].accumulate);
}

/* A trace tells how exchanges overlap; here they do as buckets or --overlap-exponent have it. */
static void note_traced(ways_set *s)
{
    const replica_point *best = &s->point[ways_recommended(s)];
    const size_t i = ways_quickest(s, 0, best->group, SGDPAR_SHARDING_NONE, 1);
    const sgdp_overlap *of = s->profiled.count > 0 ? &s->profiled.job[0].overlap : NULL;
    sgdp_prediction p = {0};
    if (!of || !(of->exponent > 0.0) || i == s->count || s->point[i].accumulate > 1) return;
    if (!s->profiled.traced && of->rule == SGDP_OVERLAP_NONE) return;
    if (job_predict(&s->profiled, 0, best->workers, &p) != SGDP_OK) return;
    if (fabs(p.batches_per_s / s->point[i].batches_per_s - 1.0) > 0.01)
        tool_note("model-replaced", "%s: exchanges of ways to train do not overlap as traced: ddp "
                  "on %lu workers reaches %.4g batches/s; with the traced overlap, as predict has "
                  "it, %.4g", s->profiled.file->name, (unsigned long)best->workers,
                  s->point[i].batches_per_s, p.batches_per_s);
}

/* Tells what fsdp's units cost on the recommended workers, whatever is recommended. */
static void note_units(const ways_set *s, const args *a)
{
    const size_t r = ways_recommended(s), n = s->replica.points;
    const size_t i = ways_quickest(s, r / n, s->point[r].group, SGDPAR_SHARDING_ALL, 1);
    if (i < s->count) replica_note_units(&s->replica, &s->point[i], a);
}

int advice_ways(const args *a, size_t processes)
{
    ways_set s = {.advice = {.kind = &ways_to_train}};
    output out = {0};
    a = read_all(&s, a);
    replica_note(&s.replica, a);
    answer_all(&s, processes);
    replica_note_answers(s.point, s.count);
    choose(&s);
    replica_note_hidden(&s.replica, &s.point[ways_recommended(&s)], a);
    note_units(&s, a);
    note_traced(&s);
    try_remedies(&s);
    note_memory(&s, a);
    note_compared(&s, a);
    out.form = args_form(a);
    if (s.nothing_fits) advice_refuse_script(a);
    if (!advice_print_script(&out, &s.advice, a, s.replica.gpus)) ways_print(&out, &s);
    return output_flush(&out, s.nothing_fits ? EXIT_NOT_REACHED : EXIT_DONE);
}
