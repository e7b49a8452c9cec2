/* notes.c - what a result of sgdperf simulate could be taken for and is not */
#include "cmd/simulate/simulate.h"

#include "model/job.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- What varies ----------------------------------------------------------- */

static int same_step(const sgdsim_step *a, const sgdsim_step *b)
{
    if (a->ops != b->ops) return 0;
    for (size_t i = 0; i < a->ops; i++) {
        const sgdsim_op *x = &a->op[i], *y = &b->op[i];
        if (x->resource != y->resource || x->server != y->server || x->waits != y->waits)
            return 0;
        if (x->duration_s < y->duration_s || x->duration_s > y->duration_s) return 0;
        if (x->bytes < y->bytes || x->bytes > y->bytes) return 0;
        if (x->waits > 0 && memcmp(x->waits_for, y->waits_for, x->waits * sizeof(uint32_t)) != 0)
            return 0;
    }
    return 1;
}

/* Does a trace have steps that differ? */
static int steps_vary(const simulation *s)
{
    for (size_t type = 0; type < s->config.workers.types; type++) {
        const sgdsim_trace *trace = &s->config.workers.trace[type];
        for (size_t k = 1; k < trace->steps; k++)
            if (!same_step(&trace->step[0], &trace->step[k])) return 1;
    }
    return 0;
}

int simulate_is_drawn(const simulation *s)
{
    const sgdsim_config *c = &s->config;
    uint64_t i = 0;
    if (c->variation.service == SGDSIM_EXPONENTIAL || c->variation.stagger_s > 0.0) return 1;
    if (s->link == LINK_TCP && s->tcp.spread > 0.0 && s->mode != MODE_ALLREDUCE) return 1;
    if (!steps_vary(s) || (s->collectives && collectives_in_turn(s))) return 0;
    while (c->variation.sequence && i < s->workers * c->length.steps
           && c->variation.sequence[i] != UINT32_MAX) i++;
    return !c->variation.sequence || i < s->workers * c->length.steps;
}

/* ---- Notes ----------------------------------------------------------------- */

static void note_few(const simulation *s)
{
    const uint64_t warmup = s->config.length.warmup;
    if (s->collectives) return;                               /* all steps begin alike */
    if (warmup == 0 && (s->step_ends || s->intervals > 0 || s->timeline)) return;
    if (warmup < (uint64_t)5 * s->workers)
        tool_note("short-warmup",
                  "--warmup %lu is fewer than 5 step completions per worker, so the start of the "
                  "run still counts: use --warmup %lu",
                  (unsigned long)warmup, 5 * (unsigned long)s->workers);
}

/* Part of a step counts where the warm-up ends within it; 0: not so. */
static int note_cut(const simulation *s)
{
    const uint64_t warmup = s->config.length.warmup, into = warmup % s->workers;
    if (s->mode == MODE_ASYNC || into == 0) return 0;
    tool_note("warmup-within-step",
              "--warmup %lu ends within a step of the %lu workers, so a part of the step counts: "
              "use %lu or %lu", (unsigned long)warmup, (unsigned long)s->workers,
              (unsigned long)(warmup - into), (unsigned long)(warmup - into + s->workers));
    return 1;
}

/* Asynchronous workers that share a link equally and whose steps are all alike go side by
 * side from the start to the end. */
static int stay_in_step(const simulation *s)
{
    const int equal = s->link == LINK_PS || (s->link == LINK_TCP && !(s->tcp.spread > 0.0));
    const sgdsim_config *c = &s->config;
    if (s->mode != MODE_ASYNC || s->workers == 1 || !equal || steps_vary(s)) return 0;
    if (c->variation.service == SGDSIM_EXPONENTIAL || c->variation.stagger_s > 0.0) return 0;
    for (size_t type = 0; type < c->workers.types; type++)
        for (size_t i = 0; i < c->workers.trace[type].step[0].ops; i++)
            if (c->workers.trace[type].step[0].op[i].bytes > 0.0) return 1;
    return 0;
}

/* A short run like s, in another mode or of other workers: its throughput, 0 if there is none. */
static double short_run(const simulation *s, sgdsim_mode mode, const uint32_t *workers,
                        uint64_t count)
{
    enum { STEPS = 50, WARMUP = 5 };
    sgdsim_config c = s->config;
    sgdsim_result out = {0};
    size_t bytes = 0;
    c.mode = mode;
    c.workers.count = workers;
    c.workers.lead = NULL;
    c.length.steps = STEPS;
    c.length.warmup = WARMUP * count;
    c.variation.sequence = NULL;
    c.watch.on_op = NULL;
    if (sgdsim_run_bytes(&c, &bytes) != SGDSIM_OK) return 0.0;
    if (sgdsim_run(&c, tool_alloc(bytes, 1), bytes, &out) != SGDSIM_OK) return 0.0;
    return out.batches_per_s;
}

/* Is each of equal workers as fast as one alone, whoever else is at work? */
static int go_alone(const simulation *s)
{
    const uint32_t one = 1;
    if (s->config.workers.types > 1) return 0;
    return s->batches_per_s > 0.98 * s->workers * short_run(s, SGDSIM_ASYNC, &one, 1);
}

/* Do asynchronous workers whose steps vary keep in step all the same: no faster than
 * synchronous ones, while nothing is used to the full? */
static int keep_in_step(const simulation *s)
{
    if (s->mode != MODE_ASYNC || s->workers == 1) return 0;
    if (s->config.variation.service == SGDSIM_EXPONENTIAL) return 0;
    if (s->link != LINK_PS && !(s->link == LINK_TCP && !(s->tcp.spread > 0.0))) return 0;
    for (size_t i = 0; i < SGDSIM_RESOURCES; i++)
        if (s->utilization[i] > 0.9) return 0;
    if (!(s->batches_per_s < 1.02 * short_run(s, SGDSIM_SYNC, s->config.workers.count, s->workers)))
        return 0;
    return !go_alone(s);
}

/* Do updates of one step wait for each other, one of each worker? */
static int updates_wait(const simulation *s)
{
    return s->mode == MODE_SYNC && s->workers > 1 && s->utilization[SGDSIM_SERVER] > 0.0 &&
           s->config.servers.updates != SGDSIM_UPDATES_SEPARATE;
}

/* How many servers no operation is at; *first is one of them. */
static uint32_t idle_servers(const simulation *s, uint32_t *first)
{
    const uint32_t servers = s->config.servers.count;
    char *used = (char *)tool_alloc(servers, 1);
    uint32_t idle = 0;
    for (size_t type = 0; type < s->config.workers.types; type++)
        for (size_t k = 0; k < s->config.workers.trace[type].steps; k++) {
            const sgdsim_step *step = &s->config.workers.trace[type].step[k];
            for (size_t i = 0; i < step->ops; i++)
                if (step->op[i].resource != SGDSIM_WORKER) used[step->op[i].server] = 1;
        }
    for (uint32_t m = servers; m-- > 0;)
        if (!used[m]) { idle++; *first = m; }
    return idle;
}

/* Exchanges of a step on a ring whose messages take no time of their own: the more and the
 * smaller, the better it looks. */
static size_t free_exchanges(const simulation *s)
{
    size_t i, n, most = 0;
    if (s->mode != MODE_ALLREDUCE || s->workers == 1 || s->collectives || s->links.stretches)
        return 0;
    for (size_t type = 0; type < s->config.workers.types; type++) {
        if (s->config.links.delay_s && s->config.links.delay_s[type] > 0.0) return 0;
        for (size_t k = 0; k < s->config.workers.trace[type].steps; k++) {
            const sgdsim_step *step = &s->config.workers.trace[type].step[k];
            for (i = 0, n = 0; i < step->ops; i++)
                n += step->op[i].resource == SGDSIM_UPLINK && step->op[i].bytes > 0.0;
            if (n > most) most = n;
        }
    }
    return most > 1 ? most : 0;
}

static void note_exchanges(const simulation *s)
{
    const size_t n = free_exchanges(s);
    if (n > 0)
        tool_note("free-messages", "the %lu exchanges of a step have no latency, so small buckets "
                  "look too fast: give the latency of a message by %s", (unsigned long)n,
                  NAME_OF(DELAY));
}

/* What the interval of a mean is worth. */
static void note_interval(const simulation *s)
{
    if (s->ci95_half_width <= DBL_MAX && s->ci95_half_width >= s->batches_per_s)
        tool_note("wide-interval",
                  "the interval of batches_per_s is wider than the mean: give a larger number of "
                  "--runs%s",
                  s->runs == 2 ? ": 2 runs tell almost nothing" : "");
}

/* Workers of one job that keep step with each other, or wait for each other's updates. */
static void note_rhythm(const simulation *s)
{
    note_exchanges(s);
    if (stay_in_step(s))
        tool_note("workers-in-step", "workers whose steps never vary stay in lockstep on equally "
                  "shared links, as if synchronous: vary the steps (trace-from-layers %s), or use "
                  "--link tcp or fcfs", NAME_OF(VARY));
    else if (keep_in_step(s))
        tool_note("workers-wait-at-server",
                  "workers stay in lockstep, no faster than synchronous ones: they wait for each "
                  "other at the server; run it again with --stagger and --runs 40, or with --link "
                  "tcp, and compare");
    if (updates_wait(s))
        tool_note("updates-wait",
                  "a step has %lu updates, one of each worker, which wait for each other: if the "
                  "server sums gradients and updates once per step, use --updates separate",
                  (unsigned long)s->workers);
}

static void note_nothing_drawn(const simulation *s)
{
    if (s->backup > 0 && (s->traces[0].joint || !steps_vary(s)))
        tool_note("backup-without-variation", "%s has no effect: all workers run the same step, "
                  "which none of them ends later than others", NAME_OF(BACKUP));
    if (s->runs > 1 && !simulate_is_drawn(s))
        tool_note("nothing-drawn", "--runs: nothing is random in this simulation, so all %lu runs "
                  "are the same: remove the option", (unsigned long)s->runs);
}

static void note_idle(const simulation *s)
{
    uint32_t first = 0;
    const uint32_t idle = s->config.servers.count > 1 ? idle_servers(s, &first) : 0;
    if (idle > 0)
        tool_note("idle-servers",
                  "%lu of %lu servers have no operation, the first of them server %lu: "
                  "trace-from-layers --servers spreads layers over all", (unsigned long)idle,
                  (unsigned long)s->config.servers.count, (unsigned long)first);
}

/* Do two jobs replay the same steps, side by side from the start to the end? */
static int jobs_in_step(const simulation *s)
{
    const sim_jobs *set = s->jobs;
    if (!stay_in_step(s)) return 0;
    for (size_t i = 1; i < set->jobs; i++)
        for (size_t k = 0; k < i; k++) {
            const sim_job *a = &set->job[i], *b = &set->job[k];
            if (a->mode == b->mode && (a->mode != MODE_ALLREDUCE || a->workers == b->workers) &&
                strcmp(s->traces[a->first].file->name, s->traces[b->first].file->name) == 0)
                return 1;
        }
    return 0;
}

/* Notes on all jobs together, then on each job as it runs alone. */
static void note_jobs(const simulation *point)
{
    const sim_jobs *set = point->jobs;
    note_nothing_drawn(point);
    note_idle(point);
    for (size_t j = 0; j < set->jobs; j++) {
        simulation alone = point[1 + j];
        alone.mode = set->job[j].mode;
        alone.workers = set->job[j].workers;
        note_rhythm(&alone);
        alone.batches_per_s = point->job_batches_per_s[j];
        alone.ci95_half_width = point->job_ci95_half_width[j];
        note_interval(&alone);
    }
    if (jobs_in_step(point))
        tool_note("workers-in-step", "jobs of the same trace whose steps never vary use equally "
                  "shared links at the same times, so they slow each other too much: vary the "
                  "steps (trace-from-layers %s), or use --link tcp or fcfs", NAME_OF(VARY));
}

/* The all-to-alls of a mean step of the first trace, in bytes of a worker. */
static double alltoall_bytes(const simulation *s)
{
    const trace_file *t = &s->traces[0];
    double sum = 0.0;
    for (size_t k = 0; k < t->trace.steps && t->alltoall; k++)
        for (size_t i = 0; i < t->trace.step[k].ops; i++)
            if (trace_is_alltoall(t, k, i))
                sum += t->trace.step[k].op[i].bytes * (s->collectives ? 1.0 : 2.0);
    return sum / (double)t->trace.steps + (s->collectives ? s->collectives->alltoall_bytes : 0.0);
}

static void note_alltoalls(const simulation *s)
{
    const trace_file *t = &s->traces[0];
    const double bytes = alltoall_bytes(s), traced = trace_workers(t->file);
    if (bytes > 0.0 && s->workers > 1 && fabs(s->workers - traced) > 0.5)
        job_note_even(bytes, (uint64_t)traced);
    const double *delay_s = s->config.links.delay_s;
    if (t->alltoall && !s->collectives && delay_s && delay_s[0] > 0.0)
        tool_note("alltoall-messages",
                  "all-to-alls count with the messages of a ring of all-reduce, twice as many as "
                  "they have: %s 1 with %s counts theirs", NAME_OF(GPUS), NAME_OF(LATENCY));
}

/* Steps that workers took together in the trace, and each by itself on machines of accelerators. */
static void note_together(const simulation *s)
{
    const trace_file *t = s->traces;
    if (!s->collectives || s->collectives->file || s->workers == 1 || t->trace.steps == 1) return;
    if (!t->joint || !(trace_workers(t->file) > 1.0) || collectives_in_turn(s)) return;
    tool_note("steps-differ", "%s: its workers ran each step together; with %s each draws a step "
              "by itself, and all wait for the longest: to avoid this keep the rows of one "
              "step", t->file->name, NAME_OF(GPUS));
}

void simulate_notes(const simulation *point, size_t points)
{
    const simulation *most = point;
    if (point->jobs) {
        note_jobs(point);
        return;
    }
    for (size_t i = 1; i < points; i++)
        if (point[i].workers > most->workers) most = &point[i];
    note_few(most);
    for (size_t i = 0; i < points && !note_cut(&point[i]); i++) continue;
    for (size_t i = 0; i < points; i++) note_interval(&point[i]);
    note_nothing_drawn(most);
    note_together(most);
    note_alltoalls(most);
    if (most->mode == MODE_ALLREDUCE && most->workers > 1 &&
        !(most->utilization[SGDSIM_UPLINK] + most->utilization[SGDSIM_DOWNLINK] > 0.0))
        tool_note("size-unknown", "%s has no exchange with bytes, so workers never wait for each "
                  "other here: add rows of uplinks with bytes, or use predict %s",
                  most->traces[0].file->name, NAME_OF(MODEL_SIZE));
    if (most->collectives && !most->links.stretches)
        collectives_note(most->collectives, most->workers, &most->exchanged);
    if (most->collectives && !most->links.stretches && most->utilization[SGDSIM_SERVER] > 0.0)
        tool_note("updates-beside", "each update of the trace runs right after its exchange, while "
                  "the accelerator computes; with %s updates run after the last exchange, and "
                  "steps are longer by up to the time of the updates", NAME_OF(LAYERS));
    note_rhythm(most);
    note_idle(point);
}
