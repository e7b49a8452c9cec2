/* declared.c - links as their makers declare them: when they are, and what steps over them take */
#include "model/declared.h"

#include "files/modes.h"
#include "files/status.h"
#include "files/trace.h"
#include "options/rules.h"

#include <math.h>
#include <string.h>

static int is_declared(const args *a, double bandwidth)
{
    if (args_given(a, OPTION_INPUTS))
        return strcmp(args_text(a, OPTION_INPUTS, ""), "declared") == 0;
    if (args_given(a, OPTION_NETWORK) || args_given(a, OPTION_LOCAL_NETWORK) ||
        args_given(a, OPTION_STACK)) return 1;
    if (args_integer(a, OPTION_GPUS, 1, UINT32_MAX, 1) > 1) return 1;
    return bandwidth >= MODE_DECLARED_BANDWIDTH;
}

int declared_links(const args *a, double bandwidth)
{
    return is_declared(a, 0.0) ||
           (!args_given(a, OPTION_INPUTS) &&
            args_number(a, OPTION_BANDWIDTH, bandwidth) >= MODE_DECLARED_BANDWIDTH);
}

/* Takes the part of a link that an all-reduce gets; traced: the rate that was measured. Returns
 * whether the link is declared. */
static int take_part(const args *a, double traced, double *bandwidth)
{
    const double near = 1e-3;          /* import prints a rate with four digits         */
    const int as_traced = fabs(*bandwidth - traced) <= near * traced;
    if (!(*bandwidth > 0.0) || (as_traced && !args_given(a, OPTION_INPUTS))) return 0;
    if (!is_declared(a, *bandwidth)) return 0;
    *bandwidth *= 0.8;
    return 1;
}

int declared_take_traced(const args *a, const job_kinds *of, const traced_links *traced,
                         sgdp_job *job)
{
    const int inside = job->machine.gpus > 1;
    int any = (of->between || (inside && of->inside)) &&
              (!args_given(a, OPTION_INPUTS) || is_declared(a, 0.0));
    if (!of->between) any |= take_part(a, traced->between, &job->links.bandwidth_bytes_per_s);
    if (!of->inside && inside)
        any |= take_part(a, traced->inside, &job->machine.local_bandwidth_bytes_per_s);
    return any;
}

int declared_is_traced(const csv_table *t) { return t && trace_workers(t) > 1.0; }

void declared_take_file(const args *a, const csv_table *t, uint32_t gpus, double *bandwidth,
                        double *local)
{
    sgdp_job job = {.machine.gpus = gpus};
    const double rate = trace_bandwidth(t), machine = trace_told(t, "machine_accelerators");
    const int inside = gpus > 1 && fabs(machine - gpus) < 0.5;
    const traced_links traced = {inside ? 0.0 : rate, inside ? rate : 0.0};
    const double link = args_number(a, OPTION_BANDWIDTH, traced.between);
    job_kinds kinds = kinds_read(a, NULL, 0);
    if (inside && !args_given(a, OPTION_LOCAL_BANDWIDTH)) kinds.inside = NULL;
    declared_note_replay(t);
    if (!inside && !(*bandwidth > 0.0)) *bandwidth = rate;
    job.links.bandwidth_bytes_per_s = link;
    job.machine.local_bandwidth_bytes_per_s = *local;
    if (declared_take_traced(a, &kinds, &traced, &job)) declared_note_traced(kinds.between);
    if (link > 0.0) *bandwidth *= job.links.bandwidth_bytes_per_s / link;
    *local = job.machine.local_bandwidth_bytes_per_s;
}

void declared_note_traced(const network *between)
{
    tool_note("links-declared", "the links are assumed as declared: an all-reduce gets %s, and "
              "overlaps with computation as in the trace%s",
              between ? "the rate that sgdperf networks lists for this kind"
                      : "0.8 of the declared rate",
              between ? "" : "; --inputs measured takes the whole rate");
}

void declared_note_replay(const csv_table *t)
{
    const int traced = csv_column(t, "traced_step_s"), replayed = csv_column(t, "replayed_step_s");
    const int error = csv_column(t, "overlap_error");
    const double exposed_s = trace_told(t, "traced_exposed_s");
    const double layers_s = trace_told(t, "layers_exposed_s");
    if (exposed_s + layers_s > 0.0) {
        tool_note("layers-differ", "%s: a traced step waits for exchanges for %.4g s, that of the "
                  "layers for %.4g s: layers tell only when each bucket is ready, so the profile "
                  "and the trace of import answer otherwise, perhaps more on other links",
                  t->name, exposed_s, layers_s);
        return;
    }
    if (!csv_is_empty(t, 0, error))
        tool_note("overlap-differs", "%s: predict and simulate differ by %.2g %% on one of the "
                  "links that import tried, from a third to three times the traced rate, perhaps "
                  "more on others: predict has one overlap for the whole step, simulate waits for "
                  "each exchange", t->name, 100.0 * csv_number(t, 0, error, NUMBER_POSITIVE));
    if (csv_is_empty(t, 0, traced) || csv_is_empty(t, 0, replayed)) return;
    tool_note("replay-differs", "%s: predict takes the traced step of %.4g s, but simulate "
              "computes %.4g s, as exchanges did not take times in proportion to their bytes: the "
              "two may differ as much on other links", t->name,
              csv_number(t, 0, traced, NUMBER_POSITIVE),
              csv_number(t, 0, replayed, NUMBER_POSITIVE));
}

/* One number, by --network or without, is for both links. */
static void note_one_kind(const args *a, const job_kinds *of)
{
    if (of->between && !of->inside && args_given(a, OPTION_LOCAL_BANDWIDTH))
        tool_note("link-kind", "an all-reduce gets all of %s, as %s replaces the 0.8 of declared "
                  "links: if its maker declares it, give %s, or 0.8 of it",
                  NAME_OF(LOCAL_BANDWIDTH), NAME_OF(NETWORK), NAME_OF(LOCAL_NETWORK));
    if (of->inside && !of->between)
        tool_note("link-kind", "an all-reduce gets 0.8 of what %s %s carries, as no %s is given: "
                  "add it", NAME_OF(LOCAL_NETWORK), of->inside->name, NAME_OF(NETWORK));
}

void declared_note(const args *a, const job_kinds *of, int stepped)
{
    const network *between = of->between;
    const int machines = args_integer(a, OPTION_GPUS, 1, UINT32_MAX, 1) > 1;
    if (machines && !stepped) note_one_kind(a, of);
    tool_note("links-declared",
              "the links are assumed as declared: %s, and compute grows by %s with each doubling "
              "of the %s; --inputs measured drops both assumptions",
              between ? "an all-reduce gets the rate that sgdperf networks lists for this kind"
                      : "an all-reduce gets 0.8 of the declared rate",
              machines && stepped ? "1 %" : "2.5 %",
              !machines ? "workers, up to 16" : stepped ? "machines" : "accelerators in a machine");
}

/* An overlap is told otherwise; nothing is inside a machine of one accelerator. */
static const option_rule rules[] = {
    EXCLUDES(EACH(OPTION_EXPOSURE, OPTION_GROWTH, OPTION_GROWTH_BETWEEN, OPTION_STACK),
             EACH(OPTION_OVERLAP, OPTION_OVERLAP_EXPONENT, OPTION_INTERFERENCE)),
    NEEDS(EACH(OPTION_GROWTH_BETWEEN, OPTION_LOCAL_BANDWIDTH, OPTION_LOCAL_NETWORK,
               OPTION_LOCAL_LATENCY), ONE(GPUS)),
    NEEDS(ONE(RINGS), ONE(FLOW_CAP))
};

int declared_overlaps(const args *a)
{
    return args_given(a, OPTION_OVERLAP) || args_given(a, OPTION_OVERLAP_EXPONENT) ||
           args_given(a, OPTION_INTERFERENCE);
}

/* Exposure and growth as they are told. Returns whether one is. */
static int read_told(const args *a, sgdp_job *job)
{
    static const struct { option_id id; sgdp_input input; } told[] = {
        {OPTION_EXPOSURE, SGDP_INPUT_EXPOSURE}, {OPTION_GROWTH, SGDP_INPUT_GROWTH},
        {OPTION_GROWTH_BETWEEN, SGDP_INPUT_GROWTH_BETWEEN}
    };
    int any = 0;
    for (size_t i = 0; i < COUNT_OF(told); i++) {
        if (!args_given(a, told[i].id)) continue;
        tool_check(sgdp_set_input(job, told[i].input, args_number(a, told[i].id, 0.0)),
                   option_name(told[i].id));
        any = 1;
    }
    return any;
}

declared declared_read(const args *a, int traced)
{
    declared of = {0};
    args_check(a, rules, COUNT_OF(rules));
    of.told = read_told(a, &of.job);
    job_kinds k = kinds_links(a, &of.job);
    of.stretches = of.told = of.told || k.stack;
    if (k.stack) stack_note(k.stack);
    (void)network_note_untested(k.between);
    cards_note(a, &k);
    of.declared = !declared_overlaps(a) && !traced && declared_links(a, 0.0);
    if (of.told || !of.declared) return of;
    of.stretches = 1;
    declared_note(a, &k, 0);
    return of;
}

sgdp_stretch declared_stretch(const declared *of, uint32_t workers)
{
    sgdp_stretch stretch = {1.0, 0.0};
    if (of->stretches)
        tool_check(sgdp_stretch_of(&of->job, SGDP_ALLREDUCE_CLUSTER, workers, &stretch),
                   "links as declared");
    return stretch;
}
