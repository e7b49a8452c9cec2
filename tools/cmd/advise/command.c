/* command.c - sgdperf advise: how many workers, of what kind */
#include "cmd/advise/advise.h"
#include "files/exchange.h"
#include "files/status.h"
#include "jobs/parallel.h"
#include "cmd/commands.h"
#include "cmd/pipeline.h"

#include <math.h>

static const option_use uses[] = {
    ABOUT(
    "usage: sgdperf advise [PROFILE.csv|TRACE.csv|LAYERS.csv] --mode M\n"
    "                      [--workers 1-64] [--steps N] [options of the job]\n"
    "\n"
    "Tells how many workers to take, and of what kind: time and cost of a job on each\n"
    "number of them, what stops it there, and what would help most.\n"
    "\n"
    "The file (- is stdin) is a profile, as of sgdperf profile --format csv, or a\n"
    "trace of one worker, as sgdperf simulate takes, whose mean step is the profile.\n"
    "With a table of layers (the file, or --layers), or --sharding, --memory and the\n"
    "like, --mode allreduce compares ways to train on each number of workers.\n"
    "\n"
    "What to choose from\n"),
    USE(MODE),
    USE_HELP(WORKERS, "numbers of workers, as 1,2,4 or 1-64:4 (step 4)", "1-64"),
    USE(STEPS),
    USE_HELP(EPOCHS, "work of the job: number of epochs; needs --examples and --batch", NULL),
    USE(EPOCHS_TABLE), USE(EXAMPLES), USE(DEADLINE), USE(BUDGET), USE(PRICE), USE(SERVER_PRICE),
    USE(OFFER),
    USE(BUCKET_LAYERS), JOB_USES,
    HEADING("Ways to train, with --mode allreduce and a table of layers"),
    USE_HELP(LAYERS, "table of the layers that make up a step; see Files", NULL),
    USE_DEFAULT(SHARDING, "all"), USE(COLLECTIVE), USE(PROTOCOLS), USE(LOCAL_LATENCY),
    USE_DEFAULT(BUCKET, "25MiB,auto"), USE(FIRST_BUCKET), USE(UNIT), USE(PREFETCH),
    USE_HELP(ACCUMULATE, "numbers of micro-batches per step to choose from",
             "1; the table also shows 2 and 4"), USE(LOCAL_STEPS),
    USE(INTERFERENCE),
    USE(PRECISION), USE(OPTIMIZER), USE(ACTIVATIONS), USE(MEMORY),
    HEADING("Pipelines: all splits of --workers into groups (column group of the table),\n"
            "stages and copies, with each --accumulate and --sharding; the quickest that fits"),
    USE(PIPELINE), USE(SCHEDULE), USE(TOTAL_BATCH),
    HEADING("Output"),
    USE_AS(FORMAT, CHOICE, NULL, ADVICE_FORMATS,
         "format: table, csv (a row per choice), json, slurm or skypilot",
         "table"),
    USE(INPUTS), USE(BANDS),
    PARALLEL_USES,
    ABOUT(JOB_UNITS),
    SECTION("Files",
    JOB_PROFILE JOB_LAYERS
    "  offer      Compute takes FORWARD-SCALE times its time in the profile [1].\n"
    "             BANDWIDTH is a line rate; empty: the links of the profile. Share\n"
    "             and flow cap are those of --network, or of NETWORK, another kind,\n"
    "             which also has a line rate of its own; cards are those of the\n"
    "             profile.\n"
    "  epochs     columns epochs, and workers, batch (examples per update) or\n"
    "             staleness (updates by others since the parameters were read: K - 1\n"
    "             on average for K async workers, else 0). Between rows, epochs are\n"
    "             linear in the logarithm of workers, batch or 1 + staleness; choices\n"
    "             outside the rows are left out.\n"
    "  price      is per /s, /min, /h or /d. A synchronous step of K workers counts\n"
    "             as K of --steps.\n"
    JOB_NOTES JOB_BACKUP_NOTE JOB_NOTES_END),
    SECTION("Scripts",
    "  slurm        the head of a batch script, for sbatch: nodes, accelerators per\n"
    "               node and wall time\n"
    "  skypilot     the same as YAML, for sky launch\n"
    "  Both are of the recommended choice and need --steps or --epochs. The wall time\n"
    "  is the upper end of the interval, in whole minutes; comments have the cost and\n"
    "  say which numbers are intervals.\n"),
    SECTION("Results",
    "  recommended  With a deadline: the cheapest choice within it (and the budget).\n"
    "               With a budget alone: the fastest choice within it. With neither:\n"
    "               the least product of time and cost, up to which 1 % more workers\n"
    "               bring at least 0.5 % more throughput. If that is the largest\n"
    "               number of workers, the knee instead: where one more worker brings\n"
    "               less than the mean worker. Values that differ by less than 1 %\n"
    "               (of products: their square roots) are equal.\n"
    "  cost         if no price is given: machines x time\n"
    "  low, high    and the intervals of time and cost hold 90 % of unseen rows\n"
    "  in_time, in_budget  yes: the whole interval keeps the limit. likely: the value\n"
    "                      does, but its interval does not or is missing. unlikely:\n"
    "                      only the low end does. no\n"
    "  remedies     predictions at the recommended number of workers, one change at a\n"
    "               time; compute time is assumed proportional to the batch\n"
    "Times are those of the same number of examples. A larger total batch, or more\n"
    "stale gradients, may need more of them for the same loss: --epochs-table.\n"),
    SECTION("Example: 200,000 mini-batches within 6 hours",
    "  $ printf '%s\\n' forward_s,backward_s,update_s,model_bytes 0.01,0.019,0.018,9e6 |\n"
    "      sgdperf advise - --mode async --model exact --bandwidth 1Gbps --workers 1-6 \\\n"
    "      --steps 200000 --price 2.48/h --deadline 6h\n"
    "  recommended: 3 workers, 5.73 h, cost 42.6\n"
    "    why: the cheapest within the deadline of 6 h\n"
    "    likely, not surely: it has no interval\n"
    "    what stops it: the uplink, busy 70 % of the time\n"
    "    what would help most: another parameter server (+90 %), then twice the batch (+90 %)"
    ", then twice the bandwidth (+81 %)\n"
    "\n"
    "  workers  batches_per_s  time_h    cost  in_time\n"
    "        1         5.2356  10.611  26.316  no\n"
    "        2         8.0979  6.8605  34.028  no\n"
    "        3         9.6937  5.7311  42.639  likely\n"
    "        4         10.643  5.2199  51.782  likely\n"
    "        5         11.253  4.9371   61.22  likely\n"
    "        6         11.672  4.7597  70.824  likely\n"
    "\n"
    "  async, model exact\n"
    "  cost: --price for each machine, one a worker; parameter servers count as free\n")
};

static const option_rule rules[] = {
    MISSING(ONE(MODE)), EXCLUDES(ONE(PRICE), ONE(OFFER)), TOKEN_RULES,
    EXCLUDES(ONE(CARDS), EACH(OPTION_OFFER, OPTION_PIPELINE)),
    EXCLUDES(EACH(OPTION_EPOCHS, OPTION_EPOCHS_TABLE, OPTION_EXAMPLES), ONE(STEPS)),
    EXCLUDES(ONE(EPOCHS_TABLE), ONE(EPOCHS)),
    NEEDS(ONE(EXAMPLES), EACH(OPTION_EPOCHS, OPTION_EPOCHS_TABLE)),
    NEEDS(EACH(OPTION_EPOCHS, OPTION_EPOCHS_TABLE), ONE(EXAMPLES)),
    NEEDS(EACH(OPTION_DEADLINE, OPTION_BUDGET, OPTION_PRICE, OPTION_OFFER),
          EACH(OPTION_STEPS, OPTION_EPOCHS, OPTION_EPOCHS_TABLE)),
    NEEDS(EACH(OPTION_BUDGET, OPTION_SERVER_PRICE), EACH(OPTION_PRICE, OPTION_OFFER)),
    EXCLUDES(ONE(SERVER_PRICE), IS(MODE, "allreduce")),
    NEEDS(EACH(REPLICA_OPTIONS), IS(MODE, "allreduce")), REPLICA_RULES,
    NEEDS(ONE(BUCKET_LAYERS), IS(MODE, "allreduce")),
    NEEDS(ONE(PIPELINE), IS(MODE, "allreduce")), NEEDS(ONE(PIPELINE), ONE(WORKERS)),
    NEEDS(ONE(PIPELINE), EACH(OPTION_ACCUMULATE, OPTION_TOTAL_BATCH)), PIPELINE_RULES,
    EXCLUDES(EACH(OPTION_BUCKET, OPTION_FIRST_BUCKET, OPTION_UNIT, OPTION_PREFETCH,
                  OPTION_LOCAL_STEPS, OPTION_INTERFERENCE, OPTION_OVERLAP, OPTION_VARY,
                  OPTION_OVERLAP_EXPONENT, OPTION_VARY_SHAPE, OPTION_UPDATE,
                  OPTION_SERVER_COST, OPTION_ALLTOALL_SIZE, OPTION_TOKENS), ONE(PIPELINE))
};

/* ---- Choosing -------------------------------------------------------------- */

/* Without prices a machine costs 1: the cost is machine seconds. */
static double price_of(const advice_set *s, size_t job, uint32_t workers)
{
    const sgdp_job *of = &s->curves.jobs.job[job];
    const double n = advice_machines(of->machine.gpus, workers);
    if (!s->priced) return n;
    return n * s->offer[job].price_per_s +
           s->server_price_per_s * (of->servers.count > 0 ? of->servers.count : 1);
}

static void make_choices(advice_set *s)
{
    const curve_set *c = &s->curves;
    s->count = c->jobs.count * c->points;
    advice_take_room(s);
    for (size_t i = 0; i < s->count; i++) {
        const band b = curves_band(c, i);
        const uint32_t K = c->prediction[i].workers;
        s->choice[i] = (sgdsched_choice){
            .workers = K, .batches_per_s = c->prediction[i].batches_per_s,
            .low = c->low ? b.low : ADVICE_NO_BAND, .high = b.high,
            .price_per_s = price_of(s, i / c->points, K),
            .batches = s->epoch_batches * advice_epochs(s, K, advice_update(s, K))
        };
    }
}

/* Neither a faster accelerator nor a larger batch changes what the host takes. */
static void keep_host(advice_set *s)
{
    static const struct { sgdp_remedy of; double scale, batches; } remedy[] = {
        {SGDP_REMEDY_COMPUTE, 0.5, 1.0}, {SGDP_REMEDY_BATCH, 2.0, 2.0}
    };
    job_set *jobs = &s->curves.jobs;
    const size_t r = s->advice.recommended, i = r / s->curves.points;
    const double share =
        s->host_share / advice_with_host(s->host_share, s->offer[i].scale.compute);
    const sgdp_job job = jobs->job[i];
    sgdp_prediction p;
    for (size_t k = 0; k < COUNT_OF(remedy) && share > 0.0; k++) {
        const double scale = advice_with_host(share, remedy[k].scale);
        sgdp_job moved = job;
        moved.collective.alltoall_bytes *= remedy[k].batches;
        moved.machine.input_examples_per_s /= remedy[k].batches;
        memset(&p, 0, sizeof p);
        if (sgdp_move_job(&moved, jobs->model, scale, 1.0, &jobs->job[i]) == SGDP_OK &&
            job_predict(jobs, i, s->choice[r].workers, &p) == SGDP_OK)
            s->gain[remedy[k].of] = remedy[k].batches * p.batches_per_s
                                    / s->choice[r].batches_per_s - 1.0;
        jobs->job[i] = job;
    }
}

static sgdp_status choose(advice_set *s)
{
    curve_set *c = &s->curves;
    sgdp_status status = curves_predict(c, 0), last;
    make_choices(s);
    advice_among(s, s->choice, s->count, s->outlay, &s->advice);
    size_t r = s->advice.recommended;
    last = job_remedies(&c->jobs, r / c->points, s->choice[r].workers, s->gain);
    keep_host(s);
    s->gain[SGDP_REMEDY_BATCH] =
        advice_batch_gain(s, s->choice[r].workers, advice_update(s, s->choice[r].workers),
                          s->gain[SGDP_REMEDY_BATCH]);
    advice_sort_remedies(s);
    return last != SGDP_OK ? last : status;
}

/* What the recommendation could be taken for and is not. */
static void note_limits(const advice_set *s)
{
    const curve_set *c = &s->curves;
    advice_note_limits(s, c->points > 1 && s->one_machine == 0,
                       exchange_beside(&c->jobs.job[0]), 1);
    if (!c->low && !curves_note_bands(c))
        tool_note("no-intervals", "prediction intervals are missing: only the models that %s auto "
                  "chooses have intervals", NAME_OF(MODEL));
    if (s->host_share >= 0.1)
        tool_note("host-bound",
                  "%.0f %% of the compute time is host time, which changes neither with the "
                  "accelerator nor with the batch: the predicted gains and --offer leave it "
                  "unchanged",
                  100.0 * s->host_share);
}

/* The options of a job on machines: its links as named and declared. */
static char *machine_options(const sgdp_job *job, const job_kinds *kinds, const char *step,
                             const args *a)
{
    static const option_id links[] = {OPTION_LATENCY, OPTION_RINGS, OPTION_FLOW_CAP};
    const double line = kinds->line_bytes_per_s;
    char *text = advice_new_text();
    say(text, "%s allreduce %s %lu --model-size %.9g %s %s", NAME_OF(MODE), NAME_OF(GPUS),
        (unsigned long)job->machine.gpus, job->model_bytes, NAME_OF(STEP), step);
    if (job->collective.alltoall_bytes > 0.0)
        say(text, " %s %.9g", NAME_OF(ALLTOALL_SIZE), job->collective.alltoall_bytes);
    if (kinds->between) say(text, " %s %s", NAME_OF(NETWORK), kinds->between->name);
    if (line > 0.0 && !(kinds->between &&
                        fabs(line - kinds->between->line_bytes_per_s) < 1e-9 * line))
        say(text, " %s %.9gB/s", NAME_OF(BANDWIDTH), line);
    if (kinds->cards > 0) say(text, " %s %lu", NAME_OF(CARDS), (unsigned long)kinds->cards);
    for (size_t i = 0; i < COUNT_OF(links); i++)
        if (args_given(a, links[i]))
            say(text, " %s %s", option_name(links[i]), args_text(a, links[i], ""));
    return text;
}

/* A number of the profile's first row; 0: not told. */
static double profiled(const csv_table *t, const char *name)
{
    const int column = t ? csv_find(t, name) : CSV_NONE;
    return csv_is_empty(t, 0, column) ? 0.0 : csv_number(t, 0, column, NUMBER_POSITIVE);
}

/* The workers that the profile was traced on. */
static double profiled_workers(const csv_table *t)
{
    const double traced = profiled(t, "traced_workers");
    return traced > 0.0 ? traced : fmax(1.0, profiled(t, "machine_accelerators"));
}

/* Is the step that was traced the one that is advised on? */
static int as_traced(const args *a)
{
    static const option_id other[] = {
        OPTION_BATCH, OPTION_FORWARD, OPTION_BACKWARD, OPTION_COMPUTE, OPTION_OFFER
    };
    size_t i = 0;
    while (i < COUNT_OF(other) && !args_given(a, other[i])) i++;
    return i == COUNT_OF(other);
}

/* Which runs tell more than links on paper, before several machines are paid for. */
static void note_runs(const advice_set *s, const args *a)
{
    const size_t r = s->advice.recommended, i = r / s->curves.points;
    const job_set *jobs = &s->curves.jobs;
    const sgdp_job *job = &jobs->job[i];
    const unsigned long gpus = (unsigned long)job->machine.gpus;
    const double on = profiled_workers(jobs->file);
    const int full = fabs(on - (double)gpus) < 0.5;
    if (!jobs->declared || gpus < 2 || job->compute.one_worker_step_s > 0.0) return;
    if (s->choice[r].workers <= 1) return;
    const double step_s = full && as_traced(a) ? profiled(jobs->file, "traced_step_s") : 0.0;
    const char *step = step_s > 0.0 ? tool_text("%.6g", step_s) : "T";
    const char *options = machine_options(job, &jobs->kinds[i], step, a);
    const char *first = step_s > 0.0 ? ""
        : tool_text("the step T of one machine of %lu accelerators and ", gpus);
    const char *of = on > 1.0 ? tool_text("%.0f accelerators", on) : "one accelerator";
    tool_note("measure-first", "%s: measure %sthe throughput X of two machines, then run: printf "
              "'workers,batches_per_s\\n%lu,X\\n' | sgdperf calibrate - %s exposure,"
              "growth-between %s. With the values E and G that calibrate prints, run: sgdperf "
              "predict %s --workers N --exposure E --growth-between G",
              full ? "the link between machines is declared, not measured, and the profile is of a "
                     "full machine"
                   : tool_text("the links are declared, not measured, and the profile is of %s",
                               of),
              first, 2 * gpus, NAME_OF(FIT), options, options);
}

/* ---- How large the buckets of an all-reduce should be, by replaying layers --- */

#define MIB 1048576.0

/* The last one is PyTorch's own. */
static const double tried[ADVICE_BUCKETS] = {
    1.0 * MIB, 2.0 * MIB, 5.0 * MIB, 10.0 * MIB, 50.0 * MIB, 100.0 * MIB, 25.0 * MIB
};

/* Steps of the recommended workers with buckets of so many bytes; returns the time of one. */
static double step_with(const advice_set *s, const sgdsim_layer *layer, size_t n, double bucket)
{
    enum { STEPS = 2 };
    const char *what = NAME_OF(BUCKET_LAYERS);
    const sgdp_job *job = &s->curves.jobs.job[s->advice.recommended / s->curves.points];
    const uint32_t workers = s->choice[s->advice.recommended].workers;
    sgdsim_op *op = (sgdsim_op *)tool_alloc(n, 5 * sizeof *op);
    uint32_t *waits = (uint32_t *)tool_alloc(n, 7 * sizeof *waits);
    size_t *closing = (size_t *)tool_alloc(n, sizeof *closing), buckets = 0, bytes = 0;
    sgdsim_step step = {.op = op};
    const sgdsim_trace trace = {&step, 1};
    const sgdsim_config run = {
        .workers = {.types = 1, .trace = &trace, .count = &workers}, .mode = SGDSIM_SYNC,
        .links = {.rule = SGDSIM_LINK_EXCHANGE, .exchange_s = exchange_ring_s,
                  .bandwidth_bytes_per_s = job->links.bandwidth_bytes_per_s,
                  .delay_s = &job->links.latency_s},
        .length = {.steps = STEPS}
    };
    sgdsim_result out = {0};
    tool_check_sim(sgdsim_trace_layers(layer, n, 0, op, waits), what);
    tool_check_sim(sgdsim_trace_buckets(layer, n, bucket, &(sgdsim_draft){op, waits + 5 * n, NULL},
                                        closing, &buckets), what);
    step.ops = 3 * n + 2 * buckets;
    tool_check_sim(sgdsim_run_bytes(&run, &bytes), what);
    tool_check_sim(sgdsim_run(&run, tool_alloc(bytes, 1), bytes, &out), what);
    return out.makespan_s / (double)STEPS;
}

/* The layers of the file on the recommended machines. */
static sgdsim_layer *read_layers(const advice_set *s, const char *path, size_t *n)
{
    const double scale = s->offer[s->advice.recommended / s->curves.points].scale.compute;
    const double model_bytes = s->curves.jobs.job[0].model_bytes;
    sgdsim_layer *layer;
    double bytes = 0.0;
    int column;
    const csv_table *t = layers_read(path, &layer, &column);
    *n = t->rows;
    layers_check_sums(t, layer);
    for (size_t i = 0; i < *n; i++) {
        layer[i].forward_s *= scale;
        layer[i].backward_s *= scale;
        bytes += layer[i].bytes;
    }
    if (bytes < 0.95 * model_bytes || bytes > 1.05 * model_bytes)
        tool_note("sizes-differ",
                  "%s: the layers have %.4g bytes, but the job has %.4g bytes: bucket sizes are "
                  "compared for the layers", t->name, bytes, model_bytes);
    return layer;
}

static void check_buckets(const advice_set *s)
{
    const job_set *jobs = &s->curves.jobs;
    if (jobs->job[0].machine.gpus > 1) args_fail(OPTION_BUCKET_LAYERS, NULL,
                                                 "cannot be combined with %s", NAME_OF(GPUS));
    if (!(jobs->job[0].links.latency_s > 0.0))
        args_fail(OPTION_BUCKET_LAYERS, NULL,
                  "needs --latency: without a latency of messages the smallest buckets always look "
                  "best");
    if (!(jobs->job[0].links.bandwidth_bytes_per_s > 0.0))
        args_fail(OPTION_BUCKET_LAYERS, NULL, "needs %s and --model-size, not transfer times",
                  NAME_OF(BANDWIDTH));
}

/* --bucket-layers: steps of the recommended choice with buckets of several sizes. */
static void try_buckets(advice_set *s, const args *a)
{
    const char *path = args_text(a, OPTION_BUCKET_LAYERS, NULL);
    size_t n = 0;
    if (!path) return;
    check_buckets(s);
    sgdsim_layer *layer = read_layers(s, path, &n);
    if (s->choice[s->advice.recommended].workers == 1) {
        tool_note("one-worker", "--bucket-layers has no effect: one worker exchanges nothing");
        return;
    }
    for (size_t i = 0; i < ADVICE_BUCKETS; i++) {
        s->bucket[i].bytes = tried[i];
        s->bucket[i].step_s = step_with(s, layer, n, tried[i]);
        if (s->bucket[i].step_s <= s->bucket[s->best_bucket].step_s * (1.0 + 1e-9))
            s->best_bucket = i;        /* of equal ones the largest, or the usual one */
    }
    s->buckets = ADVICE_BUCKETS;
}

/* ---- What is printed ------------------------------------------------------- */

static void print_choice(columns *t, const advice_set *s, size_t i)
{
    const sgdsched_choice *c = &s->choice[i];
    const sgdsched_outlay *o = &s->outlay[i];
    const uint32_t gpus = s->curves.jobs.job[0].machine.gpus;
    const int known = s->curves.low != NULL, timed = s->timed;
    const int costs = s->priced && (timed || t->in != JSON);
    const unsigned rates = known && !timed ? ALL : DATA;
    const unsigned in_cost = s->priced ? ALL : DATA, costs_in = s->priced && known ? ALL : DATA;
    columns_row(t);
    if (s->offer[0].name) column_text(t, ALL, "offer", s->offer[i / s->curves.points].name);
    column_whole(t, ALL, "workers", c->workers);
    if (gpus > 1) column_whole(t, ALL, "machines", (uint64_t)advice_machines(gpus, c->workers));
    column_number(t, ALL, "batches_per_s", c->batches_per_s);
    advice_print_examples(t, s, c->batches_per_s);
    column_number(t, rates, "low", known_if(known, known ? s->curves.low[i] : 0.0));
    column_number(t, rates, "high", known_if(known, known ? s->curves.high[i] : 0.0));
    advice_print_times(t, known && timed ? ALL : DATA, s, c, o, known);
    column_number(t, in_cost, "cost", known_if(costs, o->cost));
    column_number(t, costs_in, "cost_low", known_if(costs && known, o->cost_low));
    column_number(t, costs_in, "cost_high", known_if(costs && known, o->cost_high));
    advice_print_verdicts(t, s, o);
}

static void json_recommendation(output *out, const advice_set *s)
{
    const size_t r = s->advice.recommended;
    json_object(out, "recommendation");
    advice_json_choice(out, s, r);
    json_string(out, "rule", advice_rules[s->advice.rule]);
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
    if (s->buckets == 0) return;
    json_number(out, "bucket_bytes", s->bucket[s->best_bucket].bytes);
    json_array(out, "buckets");
    for (size_t i = 0; i < s->buckets; i++) {
        json_object(out, NULL);
        json_number(out, "bucket_bytes", s->bucket[i].bytes);
        json_number(out, "step_s", s->bucket[i].step_s);
        json_number(out, "gain", s->bucket[s->buckets - 1].step_s / s->bucket[i].step_s - 1.0);
        json_end(out);
    }
    json_end(out);
}

static void json_heading(output *out, const advice_set *s, sgdp_status status)
{
    const curve_set *c = &s->curves;
    json_string(out, "mode", mode_words[c->jobs.mode]);
    json_string(out, "model", sgdp_model_text(c->jobs.model));
    json_bool(out, "auto", c->jobs.chosen);
    json_string(out, "class", band_words[c->of_class[s->advice.recommended]]);
    json_string(out, "status", tool_status_word(status));
    json_recommendation(out, s);
    advice_json_others(out, s);
    json_buckets(out, s);
}

static void print_sentences(output *out, const advice_set *s)
{
    const sgdsched_advice *a = &s->advice;
    output_print(out, "recommended: %s\n", advice_choice(s, a->recommended));
    output_print(out, "  why: %s\n", advice_reason(s));
    if (advice_word(s)[0]) output_print(out, "  %s\n", advice_word(s));
    output_print(out, "  what stops it: %s\n", advice_stop(s));
    output_print(out, "  what would help most: %s\n", advice_help(s));
    if (s->buckets > 0) output_print(out, "  size of buckets: %s\n", advice_buckets(s));
    if (advice_word(s)[0] && a->rule != SGDSCHED_RULE_NEAREST && a->surest < s->count)
        output_print(out, "surely within: %s\n", advice_choice(s, a->surest));
    advice_print_others(out, s);
    output_print(out, "\n");
}

static void print(output *out, const advice_set *s, sgdp_status status)
{
    const job_set *jobs = &s->curves.jobs;
    json_object(out, NULL);
    if (out->form == JSON) json_heading(out, s, status);
    if (out->form == SCREEN) print_sentences(out, s);
    columns t = columns_open(out, ALL, "points");
    for (size_t i = 0; i < s->count; i++) print_choice(&t, s, i);
    columns_close(&t);
    json_end(out);
    output_print(out, "\n%s, model %s%s\n", mode_words[jobs->mode], sgdp_model_text(jobs->model),
                 jobs->chosen ? " (by auto)" : "");
    advice_print_price(out, s, jobs->job[0].machine.gpus);
}

static const char *remedy_text(size_t remedy) { return sgdp_remedy_text((sgdp_remedy)remedy); }

static const advice_kind numbers_of_workers = {print_choice, advice_choice, remedy_text};

/* ---- The command ----------------------------------------------------------- */

static int run(args *a)
{
    output out = {0};
    advice_set s = {.kind = &numbers_of_workers, .curves.processes = parallel_read(a)};
    if (args_given(a, OPTION_PIPELINE)) return advice_pipelines(a);
    if (advice_ways_wanted(a)) return advice_ways(a, s.curves.processes);
    advice_read(&s, a);
    sgdp_status status = choose(&s);
    try_buckets(&s, a);
    note_limits(&s);
    job_note_capped(&s.curves.jobs, s.advice.recommended / s.curves.points,
                    s.choice[s.advice.recommended].workers);
    note_runs(&s, a);
    out.form = args_form(a);
    if (!advice_print_script(&out, &s, a, s.curves.jobs.job[0].machine.gpus))
        print(&out, &s, status);
    return output_flush(&out, tool_check(status, "advise"));
}

const args_command command_advise = {
    "advise", "recommend a number of workers by time and cost", run, uses,
    COUNT_OF(uses), rules, COUNT_OF(rules), 0, 1, NULL, 0,
    EACH(OPTION_MODE, OPTION_WORKERS, OPTION_STEPS, OPTION_DEADLINE, OPTION_PRICE)};
