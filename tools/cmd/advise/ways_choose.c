/* ways_choose.c - which way to train, by layers: what is compared, and what is recommended */
#include "cmd/advise/ways.h"
#include "files/status.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* ---- What is asked for ----------------------------------------------------- */

int advice_ways_wanted(const args *a)
{
    static const option_id own[] = { REPLICA_OPTIONS };
    const csv_table *t;
    int wanted = args_given(a, OPTION_LAYERS) && !args_given(a, OPTION_SERVERS);
    size_t i;
    for (i = 0; i < COUNT_OF(own) && !wanted; i++) wanted = args_given(a, own[i]);
    if (mode_read(a) != MODE_ALLREDUCE) {
        for (i = 0; i < COUNT_OF(own); i++)
            if (args_given(a, own[i]))
                args_fail(own[i], NULL, "needs --mode allreduce");
        return 0;
    }
    t = advice_file(a);
    return wanted || (t && layers_are(t));
}

static void refuse_options(const args *a)
{
    static const option_id others[] = {
        OPTION_MODEL, OPTION_SERVERS, OPTION_SHARES, OPTION_UPDATES, OPTION_OVERLAP,
        OPTION_OVERLAP_ITERATE, OPTION_THRESHOLD, OPTION_WORKER_TYPE, OPTION_WORKER_BANDWIDTH,
        OPTION_DELAY, OPTION_PORT_BUFFER, OPTION_VARY_SAMPLE, OPTION_SWITCH_ANEW,
        OPTION_MEASURED_ON, OPTION_JOBS_ON_NETWORK, OPTION_BACKUP, OPTION_CPU_MACHINES,
        OPTION_INPUTS, OPTION_BANDS, OPTION_BUCKET_LAYERS, OPTION_SERVER_PRICE
    };
    args_refuse(a, others, COUNT_OF(others), "not where ways to train are compared");
}

static void refuse_profile(const args *a)
{
    static const option_id others[] = {
        OPTION_PROFILE, OPTION_FORWARD, OPTION_BACKWARD, OPTION_STEP, OPTION_MODEL_SIZE,
        OPTION_UPLINK, OPTION_DOWNLINK
    };
    args_refuse(a, others, COUNT_OF(others), "not with layers, which tell it");
}

/* A profile in place of layers. */
static replica_profile read_profile(job_set *jobs, const args *a)
{
    replica_profile of;
    const sgdp_job *job;
    double compute_s;
    job_read_profile(jobs, a, 0, advice_profile(a));
    job = &jobs->job[0];
    of.name = jobs->file ? jobs->file->name : "the options";
    of.bytes = job->model_bytes;
    of.forward_s = job->forward_s;
    of.backward_s = job->backward_s;
    of.update_s = job->update_s;
    if (!(of.bytes > 0.0))
        tool_fail("%s: transfer times do not tell the size of the model: --model-size and "
                  "%s", of.name, option_name(OPTION_BANDWIDTH));
    if (job->one_worker_step_s > 0.0 && job->gpus > 1)
        tool_fail("%s: the step of a full machine does not tell its computing: without step_s",
                  of.name);
    if (!(job->one_worker_step_s > 0.0)) return of;
    compute_s = of.forward_s + of.backward_s;
    if (job->one_worker_step_s < of.update_s) tool_fail("%s: its step is too short", of.name);
    of.forward_s = (job->one_worker_step_s - of.update_s) *
                   (compute_s > 0.0 ? of.forward_s / compute_s : 1.0 / 3.0);
    of.backward_s = job->one_worker_step_s - of.update_s - of.forward_s;
    return of;
}

/* The cluster as the parts of advise know it. */
static void take_jobs(ways_set *s, const args *a)
{
    job_set *jobs = &s->advice.curves.jobs;
    const replica_set *r = &s->replica;
    sgdp_job *job;
    memset(jobs, 0, sizeof *jobs);
    jobs->mode = MODE_ALLREDUCE;
    jobs->model = mode_usual_model(MODE_ALLREDUCE);
    jobs->job = job = (sgdp_job *)tool_alloc(1, sizeof *job);
    job->batch = r->batch;
    job->gpus = r->gpus;
    job->bandwidth_bytes_per_s = r->replica.topology.bandwidth_bytes_per_s;
    s->offers = advice_read_offers(&s->advice, a, job);
    jobs->count = s->offers;
    advice_read_goal(&s->advice, a);
}

static void read_all(ways_set *s, const args *a)
{
    static const replica_usual usual = {
        "ddp,zero-1,zero-2,fsdp,hsdp", "1,2,4", "25MiB,auto", "1-64"
    };
    const csv_table *t = advice_file(a);
    const int layers = args_given(a, OPTION_LAYERS) || (t && layers_are(t));
    refuse_options(a);
    if (args_given(a, OPTION_LAYERS) && t)
        args_fail(OPTION_LAYERS, NULL, "not with %s", t->name);
    if (layers) {
        refuse_profile(a);
        replica_read(&s->replica, a, t, &usual);
    } else {
        job_set jobs;
        const replica_profile profile = read_profile(&jobs, a);
        replica_read_profile(&s->replica, a, &profile, &usual);
        if (jobs.job[0].batch > 0.0) s->replica.batch = jobs.job[0].batch;
    }
    s->accumulates = args_given(a, OPTION_ACCUMULATE);
    take_jobs(s, a);
}

/* ---- Answers --------------------------------------------------------------- */

static replica_scale scale_of_point(const void *ctx, size_t i)
{
    const ways_set *s = (const ways_set *)ctx;
    const machine_offer *offer = &s->advice.offer[i / s->replica.points];
    replica_scale scale;
    scale.compute = offer->compute_scale;
    scale.link = offer->link_scale;
    return scale;
}

static void answer_all(ways_set *s, size_t processes)
{
    const size_t n = s->replica.points;
    size_t i;
    s->count = s->offers * n;
    s->point = (replica_point *)tool_alloc(s->count, sizeof *s->point);
    s->outlay = (sgdp_outlay *)tool_alloc(s->count, sizeof *s->outlay);
    s->price_per_s = (double *)tool_alloc(s->count, sizeof *s->price_per_s);
    for (i = 0; i < s->count; i++) {
        const double machines =
            advice_machines(s->replica.gpus, s->replica.point[i % n].workers);
        s->point[i] = s->replica.point[i % n];
        s->price_per_s[i] =
            machines * (s->advice.priced ? s->advice.offer[i / n].price_per_s : 1.0);
    }
    replica_answer_all(&s->replica, s->point, s->count, scale_of_point, s, processes);
}

/* ---- Choosing -------------------------------------------------------------- */

static sgdp_choice choice_of(const ways_set *s, size_t point)
{
    sgdp_choice c;
    c.workers = s->point[point].workers;
    c.batches_per_s = s->point[point].batches_per_s;
    c.half_width = 0.0;
    c.price_per_s = s->price_per_s[point];
    return c;
}

static void advise_among(const ways_set *s, const sgdp_choice *choice, size_t n,
                         sgdp_outlay *outlay, sgdp_advice *advice)
{
    if (sgdp_advise(choice, n, &s->advice.goal, outlay, advice) != SGDP_OK)
        advice_fail_large(&s->advice, choice, n);
}

/* What may be recommended and fits; where nothing does, what needs least. */
static void find_candidates(ways_set *s)
{
    double least = HUGE_VAL, limit = s->replica.memory_bytes;
    size_t i, found = 0;
    s->candidate = (size_t *)tool_alloc(s->count, sizeof *s->candidate);
    for (i = 0; i < s->count; i++)
        if (ways_is_candidate(s, &s->point[i]))
            least = fmin(least, s->point[i].memory.total_bytes);
    s->nothing_fits = limit > 0.0 && least > limit;
    if (!(limit > 0.0)) limit = HUGE_VAL;
    if (s->nothing_fits) limit = least;
    for (i = 0; i < s->count; i++)
        if (ways_is_candidate(s, &s->point[i]) && s->point[i].memory.total_bytes <= limit)
            s->candidate[found++] = i;
    s->advice.count = found;
    s->advice.curves.points = found / s->offers;
}

static void choose(ways_set *s)
{
    advice_set *a = &s->advice;
    sgdp_choice *all = (sgdp_choice *)tool_alloc(s->count, sizeof *all);
    sgdp_advice of_all;
    size_t i;
    find_candidates(s);
    a->choice = (sgdp_choice *)tool_alloc(a->count, sizeof *a->choice);
    a->outlay = (sgdp_outlay *)tool_alloc(a->count, sizeof *a->outlay);
    for (i = 0; i < s->count; i++) all[i] = choice_of(s, i);
    for (i = 0; i < a->count; i++) a->choice[i] = all[s->candidate[i]];
    advise_among(s, all, s->count, s->outlay, &of_all);
    advise_among(s, a->choice, a->count, a->outlay, &a->advice);
}

/* Of the recommended point, on its offer; twice the batch has twice the activations. */
static void try_remedies(ways_set *s)
{
    const size_t r = ways_recommended(s);
    const replica_point *p = &s->point[r];
    const replica_scale scale = scale_of_point(s, r);
    const int best_bucket = replica_has_buckets(&s->replica, p) && !(p->asked_bytes > 0.0);
    const double limit = s->replica.memory_bytes;
    sgdpar_replica of = replica_of(&s->replica, p, &scale);
    double *gain = s->advice.gain;
    const topology_ways *ways = &s->replica.ways[p->ways];
    char links[300];
    size_t bytes = 0;
    if (s->nothing_fits) return;
    if (best_bucket) of.bucket_bytes = (uint64_t)s->replica.least_bucket;
    tool_check_parallel(sgdpar_replica_time_bytes(&of, &bytes), s->replica.file);
    assert((size_t)SGDPAR_REMEDY_COUNT <= (size_t)SGDP_REMEDY_COUNT);
    if (sgdpar_remedies(&of, best_bucket, tool_alloc(bytes, 1), bytes, gain) != SGDPAR_OK)
        tool_fail("%s: what would help most is not known: twice one of these, of the batch or "
                  "of the speed is too large for a number: %s",
                  s->replica.file, topology_text(&of.topology, ways->file, links, sizeof links));
    if (gain[SGDPAR_REMEDY_BATCH] > 0.0 && limit > 0.0
        && p->memory.total_bytes + s->replica.activations_bytes > limit) {
        tool_note("out-of-memory",
                  "%s does not fit into --memory, with as many times the --activations",
                  sgdpar_remedy_text(SGDPAR_REMEDY_BATCH));
        gain[SGDPAR_REMEDY_BATCH] = 0.0;
    }
    advice_sort_remedies(&s->advice);
}

/* ---- What was left out or assumed ------------------------------------------ */

static void note_memory(const ways_set *s, const args *a)
{
    if (!(s->replica.memory_bytes > 0.0))
        tool_note("memory-not-asked",
                  "no --memory was given: whether it fits is not asked, and what is whole on each "
                  "worker is rarely slower");
    else if (!args_given(a, OPTION_ACTIVATIONS))
        tool_note("activations-not-counted",
                  "no --activations were given: memory is that of parameters, gradients and the "
                  "optimizer alone, whatever the batch");
    if (s->nothing_fits)
        tool_note("nothing-fits",
                  "nothing fits into --memory: nothing is recommended, and what needs least is "
                  "named");
}

static void note_compared(const ways_set *s, const args *a)
{
    const advice_set *advice = &s->advice;
    const uint32_t workers = s->point[ways_recommended(s)].workers;
    size_t i, found = 0;
    for (i = 0; i < s->replica.points; i++)
        if (!(s->replica.point[i].asked_bytes > 0.0)) found = 1;
    if (s->replica.replica.local_steps > 0 || s->replica.replica.overlap_exponent > 0.0)
        tool_note("buckets-not-compared",
                  "sizes of buckets are not compared: %s has none", s->replica.replica.local_steps
                  > 0 ? "local SGD" : "a step of --overlap-exponent");
    else if (!found && !args_given(a, OPTION_BUCKET))
        tool_note("buckets-not-compared",
                  "sizes of buckets are not compared, which needs a latency of messages: 25 MiB "
                  "are taken");
    if (!s->accumulates && s->replica.accumulates > 1)
        tool_note("larger-batch",
                  "more micro-batches a step are shown, but not recommended, as they make the "
                  "total batch larger; --accumulate 1,2,4 allows them");
    tool_note("no-intervals", "no intervals: of steps by layers too few were measured");
    if (advice->timed && workers > 1)
        tool_note("batch-grows",
                  "a step of %lu workers is %lu mini-batches of the work; a total batch this "
                  "large may need more examples for the same loss", (unsigned long)workers,
                  (unsigned long)workers * s->point[ways_recommended(s)].accumulate);
    if (s->replica.groups > 1 && advice_is_most(advice) &&
        advice->advice.rule != SGDP_RULE_CHEAPEST && !s->nothing_fits)
        tool_note("largest-recommended",
                  "the most of --workers is recommended: more may be better");
}

int advice_ways(const args *a, size_t processes)
{
    ways_set s;
    output out = {0};
    memset(&s, 0, sizeof s);
    read_all(&s, a);
    replica_note(&s.replica, a);
    answer_all(&s, processes);
    replica_note_answers(&s.replica, s.point, s.count);
    choose(&s);
    try_remedies(&s);
    note_memory(&s, a);
    note_compared(&s, a);
    out.form = args_form(a);
    ways_print(&out, &s);
    return output_flush(&out, s.nothing_fits ? EXIT_NOT_REACHED : EXIT_DONE);
}
