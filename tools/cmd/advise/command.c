/* command.c - sgdperf advise: how many workers, of what kind */
#include "cmd/advise/advise.h"
#include "files/status.h"
#include "jobs/parallel.h"
#include "cmd/commands.h"
#include "files/exchange.h"

#include <stdio.h>

static const option_use uses[] = {
    ABOUT(
    "usage: sgdperf advise [PROFILE.csv|TRACE.csv|LAYERS.csv] --mode async|sync|allreduce\n"
    "                      [--workers 1-64]\n"
    "                      [--steps N | --epochs N --examples N] [--deadline T] [--budget C]\n"
    "                      [--price P] [--offer NAME,PRICE,FORWARD-SCALE,BANDWIDTH ...]\n"
    "                      [options of the job] [--format table|csv|json]\n"
    "\n"
    "How many workers to take, and of what kind: what a job takes on each number of them, in\n"
    "time and money, which one to take, what stops it there and what would help most. The file\n"
    "(- is stdin) is a profile, as of sgdperf profile --format csv, or a trace, as sgdperf\n"
    "simulate takes, whose mean step is the profile. With a table of layers (the file, or\n"
    "--layers), or --sharding, --memory and the like, --mode allreduce compares ways to train:\n"
    "shards, buckets, micro-batches, collectives, on each number of workers.\n"
    "\n"),
    USE_HELP(WORKERS, "8, 1-16, 1-64:4 or 1,2,4: those to choose from", "1-64"), USE(STEPS),
    USE_HELP(EPOCHS, "the work as passes over the data, with --examples and --batch", NULL),
    USE(EXAMPLES), USE(DEADLINE), USE(BUDGET), USE(PRICE), USE(SERVER_PRICE), USE(OFFER),
    USE(BUCKET_LAYERS),
    USE_HELP(INPUTS,
         "measured, declared or calibrated: the class of the intervals, as of sgdperf predict",
         "measured"),
    USE_HELP(BANDS, "other intervals, of sgdperf validate --coverage --format csv", NULL),
    PARALLEL_USES,
    USE_HELP(FORMAT, "table, csv (a row a choice) or json", "table"),
    ABOUT(
    "\n"
    "The job\n"),
    JOB_USES,
    ABOUT(
    JOB_UNITS
    "\n"
    "  steps by layers, of --mode allreduce with --layers: which to use\n"),
    USE_HELP(LAYERS,
         "columns layer,bytes,forward_s,backward_s,update_s,tensors: bytes of gradients, 4 a "
         "parameter, and of each tensor, as 8192+32", NULL),
    USE_DEFAULT(SHARDING, "all"), USE(COLLECTIVE), USE(PROTOCOLS), USE(LOCAL_LATENCY),
    USE_DEFAULT(BUCKET, "25MiB,auto"), USE(FIRST_BUCKET), USE(UNIT), USE(PREFETCH),
    USE_DEFAULT(ACCUMULATE, "1, and 2 and 4 are shown"), USE(LOCAL_STEPS), USE(INTERFERENCE),
    USE(PRECISION), USE(ACTIVATIONS), USE(MEMORY),
    ABOUT(
    "\n"
    "Recommended is: with a deadline the cheapest within it (and within a budget, if there is\n"
    "one), with a budget alone the fastest within it, with neither the least product of time\n"
    "and cost: up to there a percent more workers brings half a percent more throughput. What\n"
    "differs by less than 1 % counts as equal (of a product, its square root). Without prices\n"
    "the cost is machines x time.\n"
    "Times are those of the same number of examples: a larger total batch, or more stale\n"
    "gradients, may need more of them for the same loss.\n"
    "low to high, and the intervals of time and cost, hold 90 % of unseen measurements; in_time\n"
    "and in_budget are yes, likely (the value is within, its interval is not), unlikely or no.\n"
    "The remedies are predictions at the recommended number of workers, each alone; compute is\n"
    "taken to grow with the batch.\n"
    "\n"
    "Example: 200,000 mini-batches within 6 hours\n"
    "  $ printf '%s\\n' forward_s,backward_s,update_s,model_bytes 0.01,0.019,0.018,9e6 |\n"
    "      sgdperf advise - --mode async --model exact --bandwidth 1Gbps --workers 1-6 \\\n"
    "      --steps 200000 --price 2.48/h --deadline 6h\n"
    "  recommended: 3 workers, 5.73 h, cost 42.6\n"
    "    why: the cheapest within the deadline of 6 h\n"
    "    what stops it: the uplink, busy 70 % of the time\n"
    "    what would help most: another parameter server (+90 %), then twice the batch (+90 %)"
    ", then twice the bandwidth (+81 %)\n"
    "\n"
    "  workers  batches_per_s  time_h    cost  in_time\n"
    "        1         5.2356  10.611  26.316  no\n"
    "        2         8.0979  6.8605  34.028  no\n"
    "        3         9.6937  5.7311  42.639  yes\n"
    "        4         10.643  5.2199  51.782  yes\n"
    "        5         11.253  4.9371   61.22  yes\n"
    "        6         11.672  4.7597  70.824  yes\n"
    "\n"
    "  async, model exact\n")
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
    size_t i;
    s->count = c->jobs.count * c->points;
    s->choice = (sgdp_choice *)tool_alloc(s->count, sizeof *s->choice);
    s->outlay = (sgdp_outlay *)tool_alloc(s->count, sizeof *s->outlay);
    for (i = 0; i < s->count; i++) {
        s->choice[i].workers = c->prediction[i].workers;
        s->choice[i].batches_per_s = c->prediction[i].batches_per_s;
        s->choice[i].half_width = curves_half_width(c, &c->prediction[i]);
        s->choice[i].price_per_s = price_of(s, i / c->points, c->prediction[i].workers);
    }
}

static sgdp_status choose(advice_set *s)
{
    curve_set *c = &s->curves;
    sgdp_status status = curves_predict(c, 0), last;
    size_t r;
    make_choices(s);
    if (sgdp_advise(s->choice, s->count, &s->goal, s->outlay, &s->advice) != SGDP_OK)
        advice_fail_large(s, s->choice, s->count);
    r = s->advice.recommended;
    last = job_remedies(&c->jobs, r / c->points, s->choice[r].workers, s->gain);
    advice_sort_remedies(s);
    return last != SGDP_OK ? last : status;
}

/* What the recommendation could be taken for and is not. */
static void note_limits(const advice_set *s)
{
    const curve_set *c = &s->curves;
    const size_t r = s->advice.recommended;
    if (c->points > 1 && advice_is_most(s) && s->advice.rule != SGDP_RULE_CHEAPEST)
        tool_note("largest-recommended",
                  "the most of --workers is recommended: more may be better");
    if (!(c->band.half_width > 0.0))
        tool_note("no-intervals", "no intervals: they are known of the models that auto takes");
    if (s->priced && exchange_beside(&c->jobs.job[0]) > 0)
        tool_note("uncounted-price",
                  "prices are of the workers' machines: those of --cpu-machines are not counted");
    if (s->host_share >= 0.1)
        tool_note("host-bound",
                  "%.0f %% of compute is the host's: faster accelerators leave it, larger batches "
                  "do not lengthen it, but predictions of them take all of compute alike",
                  100.0 * s->host_share);
    if (s->timed && c->jobs.mode != MODE_ASYNC && s->choice[r].workers > 1)
        tool_note("batch-grows",
                  "a step of %lu workers is %lu mini-batches of the work; a total batch this "
                  "large may need more examples for the same loss",
                  (unsigned long)s->choice[r].workers, (unsigned long)s->choice[r].workers);
}

static int run(args *a)
{
    advice_set s = {0};
    output out = {0};
    sgdp_status status;
    s.curves.processes = parallel_read(a);
    if (advice_ways_wanted(a)) return advice_ways(a, s.curves.processes);
    advice_read(&s, a);
    status = choose(&s);
    advice_try_buckets(&s, a);
    note_limits(&s);
    out.form = args_form(a);
    advice_print(&out, &s, status);
    return output_flush(&out, tool_check(status, "advise"));
}

const args_command command_advise = {
    "advise", "how many workers: time, cost, what would help", run, uses,
    COUNT_OF(uses), NULL, 0, 0, 1, NULL, 0};
