/* compare.c - the first prediction: the step that was traced */
#include "cmd/import/run.h"

#include "cmd/simulate/simulate.h"
#include "model/job.h"
#include "files/status.h"
#include "files/exchange.h"

#include <math.h>
#include <string.h>

static void predict(import_run *r)
{
    const sgdp_model model = r->sends ? SGDP_ASYNC_EXACT : SGDP_ALLREDUCE_RING;
    const uint32_t workers = r->workers == 0 ? 1 : r->workers;
    sgdp_job job = r->job;
    sgdp_prediction p;
    if (import_is_shared(r)
        && job_take_waiting_out(&r->job, model, r->workers, &job) != SGDP_OK) {
        tool_note("step-not-explained", "%s: no bandwidth gives %lu workers the traced step time "
                  "in model %s: check %s", r->found.file, (unsigned long)workers,
                  sgdp_model_text(model), NAME_OF(MEASURED_ON));
        return;
    }
    if (!(job.links.bandwidth_bytes_per_s > 0.0) && !(job.links.uplink_s > 0.0)) {
        if (r->sends || workers > 1) return;   /* nothing tells what an upload takes       */
        job.model_bytes = job.links.bandwidth_bytes_per_s = 1.0;
    }
    memset(&p, 0, sizeof p);
    if (job_answer(&job, model, workers, &p) == SGDP_OK) r->predicted_s = p.step_s;
}

/* Would it take seconds? */
static int is_long(const import_run *r, uint32_t workers)
{
    const double most = 1e8;           /* operations of all workers                   */
    double ops = 0.0;
    for (size_t i = 0; i < r->found.steps; i++) ops += (double)r->traced[i].ops + 1.0;
    return ops * workers * SIMULATE_STEPS / (double)r->found.steps > most;
}

static sgdsim_step *traced_steps(const import_run *r)
{
    sgdsim_step *step = tool_alloc(r->found.steps, sizeof *step);
    for (size_t i = 0; i < r->found.steps; i++)
        step[i] = (sgdsim_step){.op = r->traced[i].op, .ops = r->traced[i].ops};
    return step;
}

double import_replay(const import_run *r, sgdsim_config *run)
{
    const uint32_t one = 1;
    const size_t steps = r->found.steps;
    uint32_t *sequence = tool_alloc(steps, sizeof *sequence);
    const sgdsim_trace trace = {.step = traced_steps(r), .steps = steps};
    sgdsim_result out = {0};
    size_t bytes = 0;
    trace_in_turn(sequence, steps, steps);
    run->workers = (sgdsim_workers){.types = 1, .trace = &trace, .count = &one};
    run->length.steps = steps;
    run->variation.sequence = sequence;
    if (sgdsim_run_bytes(run, &bytes) != SGDSIM_OK) return 0.0;
    return sgdsim_run(run, tool_alloc(bytes, 1), bytes, &out) == SGDSIM_OK
               ? out.makespan_s / (double)steps : 0.0;
}

/* What a step takes by all workers together, as simulate does it with the trace that is written,
 * over links of this bandwidth. */
static double replay_at(import_run *r, double bandwidth_bytes_per_s)
{
    const csv_table file = {.name = r->found.file, .rows = r->found.ops};
    trace_file traced = {.file = &file, .joint = r->workers > 1,
                         .trace = {.step = traced_steps(r), .steps = r->found.steps}};
    simulation s = {
        .mode = MODE_ALLREDUCE, .workers = r->workers, .points = 1, .runs = 1, .processes = 1,
        .traces = &traced,
        .config = {
            .mode = SGDSIM_SYNC,
            .workers = {.types = 1, .trace = &traced.trace, .count = &r->workers},
            .servers.count = r->servers,
            .links = {.rule = SGDSIM_LINK_EXCHANGE, .exchange_s = exchange_ring_s, .flow_cap = 1.0,
                      .bandwidth_bytes_per_s = bandwidth_bytes_per_s},
            .length = {.steps = SIMULATE_STEPS, .warmup = SIMULATE_WARMUP},
            .variation = {.seed = 1}
        }
    };
    simulate_in_turn(&s);
    return r->workers / simulate_run(&s)->batches_per_s;
}

/* Links at which an exchange takes so many times as long as the computation. */
enum { LINKS = 3 };
static const double exchange_parts[LINKS] = {1.0 / 3.0, 1.0, 3.0};

static double factor_of(const import_run *r, size_t link)
{
    const double compute_s = r->mean.step_s - r->mean.exposed_s;
    return r->mean.communication_s / (exchange_parts[link] * compute_s);
}

/* How far predictions are from replays over these links, if the first alone_s of the computation
 * hide no exchange: the largest error. */
static double error_of(import_run *r, double alone_s, const double *replayed_s)
{
    double worst = 0.0;
    import_exchange(r, alone_s);
    for (size_t i = 0; i < LINKS; i++) {
        sgdp_job job = r->job;
        sgdp_prediction p = {0};
        job.links.bandwidth_bytes_per_s *= factor_of(r, i);
        job.links.uplink_s /= factor_of(r, i);
        job.links.downlink_s /= factor_of(r, i);
        if (job_answer(&job, SGDP_ALLREDUCE_RING, r->workers, &p) != SGDP_OK) return HUGE_VAL;
        worst = fmax(worst, fabs(log(p.step_s / replayed_s[i])));
    }
    return worst;
}

/* How much of the computation comes before what can hide an exchange: replays over other links tell
 * it. The trace alone does not if all is hidden. */
static void find_overlap(import_run *r)
{
    const double most_s = r->mean.step_s - r->mean.communication_s;
    double replayed_s[LINKS], best_s = 0.0, width_s = most_s, least;
    if (r->workers < 2 || !(r->mean.communication_s > 0.0) || !(most_s > 0.0)) return;
    for (size_t i = 0; i < LINKS; i++)
        replayed_s[i] = replay_at(r, r->bandwidth_bytes_per_s * factor_of(r, i));
    least = error_of(r, 0.0, replayed_s);
    for (int level = 0; level < 6; level++, width_s *= 0.1) {
        const double from_s = best_s;
        for (int i = -10; i <= 10; i++) {
            const double alone_s = fmin(most_s, fmax(0.0, from_s + 0.1 * i * width_s));
            const double error = error_of(r, alone_s, replayed_s);
            if (error < least) {
                least = error;
                best_s = alone_s;
            }
        }
    }
    import_exchange(r, best_s);
    r->overlap_error = least > log(1.03) ? exp(least) - 1.0 : 0.0;
    if (!(r->mean.exposed_s > 0.0))
        tool_note("never-exposed",
                  "%s: the worker never waits for an exchange: the cost of a slower link or of "
                  "more workers is computed from the starts of exchanges, not measured",
                  r->found.file);
}

double import_differs(const import_run *r)
{
    return r->replayed_s > 0.0 && !r->sends && fabs(r->replayed_s / r->mean.step_s - 1.0) > 0.03
               ? r->replayed_s : 0.0;
}

static void replay(import_run *r)
{
    if (is_long(r, r->workers)) {
        tool_note("trace-not-replayed",
                  "%s: the trace is too long for import to replay on %lu workers: use sgdperf "
                  "simulate", r->found.file, (unsigned long)r->workers);
        return;
    }
    find_overlap(r);
    r->replayed_s = replay_at(r, r->bandwidth_bytes_per_s);
    if (import_differs(r) > 0.0)
        tool_note("replay-differs",
                  "%s: the times of exchanges are not proportional to their bytes, as if some "
                  "exchanges waited for a late worker: at the mean bandwidth sgdperf simulate "
                  "predicts a step of %.4g s, the trace has %.4g s",
                  r->found.file, r->replayed_s, r->mean.step_s);
}

int import_is_shared(const import_run *r) { return r->sends && r->workers > 1; }

void import_compare(import_run *r)
{
    if (!r->has_job) return;
    if (r->traced && !r->sends) replay(r);   /* with servers: import_serve */
    predict(r);
}
