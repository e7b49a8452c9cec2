/* run.c - the simulations of sgdperf simulate, and which times are too large for them */
#include "base/progress.h"
#include "cmd/simulate/simulate.h"
#include "jobs/parallel.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* ---- Times that are too large ---------------------------------------------- */

/* What a link carries of one worker of a type, at most, and the option that says so. */
static double rate_of(const simulation *s, size_t type, option_id *option)
{
    const sgdsim_config *c = &s->config;
    const double rate = c->links.bandwidth_bytes_per_s * c->links.flow_cap;
    *option = c->links.flow_cap < 1.0 ? OPTION_FLOW_CAP : OPTION_BANDWIDTH;
    if (!c->links.worker_bandwidth_bytes_per_s ||      /* which rounds what a cap has left */
        c->links.worker_bandwidth_bytes_per_s[type] >= rate * (1.0 - 1e-12))
        return rate;
    *option = OPTION_WORKER_BANDWIDTH;
    return c->links.worker_bandwidth_bytes_per_s[type];
}

static double time_of(const simulation *s, size_t type, const sgdsim_op *op)
{
    const int sent = op->resource == SGDSIM_DOWNLINK || op->resource == SGDSIM_UPLINK;
    const sgdsim_overhead *o = s->config.transfers.overhead;
    option_id option;
    if (!sent) return op->duration_s;
    if (s->collectives || !(op->bytes > 0.0)) return 0.0;
    return op->bytes / rate_of(s, type, &option) + (o ? o->s_per_byte * op->bytes + o->s : 0.0);
}

/* An operation of step k, in the row of its trace. */
static void print_op(const simulation *s, size_t type, size_t k, size_t i, char *text, size_t bytes)
{
    const trace_file *t = &s->traces[type];
    const sgdsim_op *op = &t->trace.step[k].op[i];
    const unsigned long line = (unsigned long)csv_line(t->file, t->row[t->first[k] + i]);
    option_id option;
    const double rate = rate_of(s, type, &option);
    if (op->resource == SGDSIM_WORKER || op->resource == SGDSIM_SERVER)
        snprintf(text, bytes, "%s:%lu takes %g s", t->file->name, line, op->duration_s);
    else
        snprintf(text, bytes, "%s:%lu is %g bytes at %g B/s, %s%s", t->file->name, line, op->bytes,
                 rate, option_name(option),
                 s->config.transfers.overhead ? ", with --overhead" : "");
}

/* An exchange of collectives. */
static double print_exchange(const simulation *s, const collectives_report *exchanged, char *text,
                             size_t bytes)
{
    const collectives *c = s->collectives;
    const sgdpar_topology on = topology_on(&c->topology, c->gpus, s->workers);
    char links[300];
    snprintf(text, bytes, "an exchange of %g bytes on these links: %s", exchanged->longest_bytes,
             topology_text(&on, c->ways.file, links, sizeof links));
    return exchanged->longest_s;
}

/* The option, or the row of a trace, of the longest time that there is. */
static void find_longest(const simulation *s, const collectives_report *exchanged, char *text,
                         size_t bytes)
{
    double longest_s = s->config.variation.stagger_s;
    snprintf(text, bytes, "--stagger is %g s", longest_s);
    if (exchanged) longest_s = print_exchange(s, exchanged, text, bytes);
    for (size_t type = 0; type < s->config.workers.types; type++) {
        const sgdsim_trace *t = &s->traces[type].trace;
        if (s->config.links.delay_s && s->config.links.delay_s[type] > longest_s) {
            longest_s = s->config.links.delay_s[type];
            snprintf(text, bytes, "--delay is %g s", longest_s);
        }
        if (!s->traces[type].row) continue;      /* made of layers: the exchanges are longer */
        for (size_t k = 0; k < t->steps; k++)
            for (size_t i = 0; i < t->step[k].ops; i++) {
                const double time_s = time_of(s, type, &t->step[k].op[i]);
                if (!(time_s > longest_s)) continue;
                longest_s = time_s;
                print_op(s, type, k, i, text, bytes);
            }
    }
}

void simulate_fail_large(const simulation *s, const collectives_report *exchanged, const char *who)
{
    char longest[600];
    find_longest(s, exchanged, longest, sizeof longest);
    tool_fail("%s: the times of --steps %lu add up to more than a number can hold; the longest: "
              "%s",
              who, (unsigned long)s->config.length.steps, longest);
}

/* The longest of a worker's steps, were nothing done beside anything else. */
static double longest_step_s(const simulation *s)
{
    double longest_s = 0.0, sum_s;
    size_t i;
    for (size_t type = 0; type < s->config.workers.types; type++)
        for (size_t k = 0; k < s->traces[type].trace.steps; k++) {
            const sgdsim_step *step = &s->traces[type].trace.step[k];
            for (i = 0, sum_s = 0.0; i < step->ops; i++)
                sum_s += time_of(s, type, &step->op[i])
                         + (s->config.links.delay_s ? s->config.links.delay_s[type] : 0.0);
            if (sum_s > longest_s) longest_s = sum_s;
        }
    return longest_s;
}

void simulate_check_stagger(const simulation *s, const args *a)
{
    const double most = 1e9;           /* steps, of which a double keeps six digits   */
    if (!(s->config.variation.stagger_s > 0.0)) return;
    double step_s = longest_step_s(s);
    if (s->config.variation.stagger_s > most * step_s)
        args_fail(OPTION_STAGGER, args_text(a, OPTION_STAGGER, ""),
                  "is too long: at most %g times the longest step of %s, which takes %.4g s",
                  most, s->traces[0].file->name, step_s);
}

/* ---- Watching operations --------------------------------------------------- */

typedef struct watcher {
    timeline *timeline;       /* NULL: none                                         */
    size_t    done, total;    /* operations; total is an estimate, 0: not counted   */
} watcher;

enum { WATCH_EVERY = 1 << 16, WATCH_FROM = 10000000 }; /* operations */

static void watch(void *ctx, const sgdsim_event *event)
{
    watcher *w = (watcher *)ctx;
    char what[64];
    if (w->timeline) timeline_op(w->timeline, event);
    if (w->total == 0 || ++w->done % WATCH_EVERY != 0 || w->done >= w->total) return;
    snprintf(what, sizeof what, "simulate, %.1f million operations/s",
             (double)w->done / ((double)clock() / (double)CLOCKS_PER_SEC) / 1e6);
    tool_progress(what, w->done, w->total);
}

/* Operations of a run, if all profiled steps are as likely. */
static double operations(const simulation *s)
{
    double sum = 0.0;
    for (size_t i = 0; i < s->config.workers.types; i++)
        sum += (double)s->traces[i].file->rows / (double)s->config.workers.trace[i].steps
             * (s->collectives ? 1 : s->config.workers.count[i]);
    return sum * (double)s->config.length.steps;
}

/* ---- Runs ------------------------------------------------------------------ */

static const sgdsim_link both[] = {SGDSIM_LINK_EQUAL, SGDSIM_LINK_FCFS};

static size_t links_of(const simulation *s)
{
    return s->link == LINK_AVERAGE ? COUNT_OF(both) : 1;
}

/* What is told of a run. */
typedef struct run_report {
    double   batches_per_s, makespan_s;
    uint64_t events;
    double   utilization[SGDSIM_RESOURCES], contended[SGDSIM_RESOURCES];
    collectives_report exchanged;
    struct {
        sgdsim_waiting spent; /* of one worker of a type, the mean                  */
        double job_batches_per_s; /* of job i, of which there are no more           */
    } type[];                 /* [types]                                            */
} run_report;

static size_t report_bytes(const simulation *s)
{
    return sizeof(run_report)
           + s->config.workers.types * sizeof(((run_report *)NULL)->type[0]);
}

/* The runs of all points: of each, by link, then by number. */
typedef struct run_list {
    simulation *point;        /* [points]                                           */
    size_t      of_each;      /* runs of a point, over all links                    */
    size_t      first;        /* of those that are dealt                            */
    int         alone;        /* there is only one run: it tells how far it is      */
} run_list;

/* Adds what a worker did, or waited for: its part of a mean over so many. */
static void add_waiting(sgdsim_waiting *mean, const sgdsim_waiting *of, double count)
{
    mean->computing_s += of->computing_s / count;
    mean->downlink_s += of->downlink_s / count;
    mean->uplink_s += of->uplink_s / count;
    mean->server_s += of->server_s / count;
    mean->barrier_s += of->barrier_s / count;
}

static void report_run(const simulation *s, const sgdsim_result *out, run_report *to)
{
    const sgdsim_waiting *of = out->waiting;
    to->batches_per_s = out->batches_per_s * (s->workers - s->backup) / s->workers;
    to->makespan_s = out->makespan_s;
    to->events = out->events;
    memcpy(to->utilization, out->utilization, sizeof to->utilization);
    memcpy(to->contended, out->contended, sizeof to->contended);
    for (size_t type = 0; type < s->config.workers.types; type++) {
        to->type[type].job_batches_per_s = out->job_batches_per_s[type];
        for (uint32_t i = 0; i < s->config.workers.count[type]; i++)
            add_waiting(&to->type[type].spent, of++, s->config.workers.count[type]);
    }
}

static void check(const simulation *s, sgdsim_status status, const collectives_report *exchanged)
{
    if (status == SGDSIM_BAD_ARGUMENT) simulate_fail_large(s, exchanged, "simulate");
    if (status == SGDSIM_OVER_BUDGET && s->jobs)
        tool_fail("simulate: a job does over a thousand times the work of its %s while the slowest "
                  "does its own: leave one of the two out", NAME_OF(STEPS));
    if (status != SGDSIM_OK) tool_fail("simulate: %s", sgdsim_status_text(status));
}

/* The run of a number, as sgdsim_replicate has it. alone: it tells how far it is. */
static void run_one(const simulation *s, size_t run, int alone, timeline *drawn, run_report *to)
{
    const size_t link = run / (size_t)s->runs, number = run % (size_t)s->runs;
    const double total = operations(s);
    watcher w = {drawn, 0, 0};
    sgdsim_config config = s->config;
    sgdsim_result out = {0};
    size_t bytes = 0;
    if (alone && total >= WATCH_FROM && tool_shows_progress()) w.total = (size_t)total;
    if (s->link == LINK_AVERAGE) config.links.rule = both[link];
    if (s->jobs) config.max_events = (uint64_t)fmin(1e12, 1e7 + 1000.0 * total);
    if (number > 0) config.variation.seed = sgdsim_random(s->config.variation.seed, number, 0, 0);
    config.watch.on_op = drawn || w.total > 0 ? watch : NULL;
    config.watch.ctx = &w;
    out.step_end_s = number == 0 ? s->step_end_s : NULL;
    out.waiting = (sgdsim_waiting *)tool_alloc(s->workers, sizeof *out.waiting);
    out.job_batches_per_s = (double *)tool_alloc(config.workers.types, sizeof(double));
    if (s->backup > 0) check(s, backup_sequence(s, &config), NULL);
    if (s->collectives) {
        check(s, collectives_run(s, &config, &out, &to->exchanged), &to->exchanged);
    } else {
        check(s, sgdsim_run_bytes(&config, &bytes), NULL);
        check(s, sgdsim_run(&config, tool_alloc(bytes, 1), bytes, &out), NULL);
    }
    report_run(s, &out, to);
    if (s->backup > 0) tool_free((void *)(uintptr_t)config.variation.sequence);
    if (w.total > 0) tool_progress("simulate", w.total, w.total);
}

/* parallel_task */
static void run_task(void *ctx, size_t i, void *result)
{
    const run_list *list = (const run_list *)ctx;
    const size_t run = i + list->first;
    run_one(&list->point[run / list->of_each], run % list->of_each, list->alone, NULL,
            (run_report *)result);
}

/* The first run, whose operations and ends of steps are wanted: it has a file to write. */
static void run_first(simulation *s, run_report *to)
{
    timeline *drawn = s->timeline ? timeline_open(s->timeline, s) : NULL;
    if (s->step_ends || s->intervals > 0)
        s->step_end_s = (double *)tool_alloc(s->config.length.steps, s->workers * sizeof(double));
    run_one(s, 0, 1, drawn, to);
    s->first_makespan_s = to->makespan_s;
    if (drawn) timeline_close(drawn);
}

/* ---- Points ---------------------------------------------------------------- */

/* One run's part of the means over `count`. */
static void add_run(simulation *s, const run_report *out, double count)
{
    s->makespan_s += out->makespan_s / count;
    s->events += out->events;
    s->exchanged.count = out->exchanged.count;
    s->exchanged.exchange_s = out->exchanged.exchange_s;
    for (size_t r = 0; r < SGDSIM_LEVELS; r++)
        s->exchanged.link_utilization[r] += out->exchanged.link_utilization[r] / count;
    for (size_t r = 0; r < SGDSIM_RESOURCES; r++) {
        s->utilization[r] += out->utilization[r] / count;
        s->contended[r] += out->contended[r] / count;
    }
    for (size_t type = 0; type < s->config.workers.types; type++) {
        add_waiting(&s->spent[type], &out->type[type].spent, count);
        s->job_batches_per_s[type] += out->type[type].job_batches_per_s / count;
    }
}

/* The intervals of jobs, from x[runs] to work with. */
static void sum_up_jobs(simulation *s, const char *reports, size_t bytes, double *x)
{
    sgdsim_estimate estimate;
    s->job_ci95_half_width = (double *)tool_alloc(s->config.workers.types, sizeof(double));
    for (size_t job = 0; job < s->config.workers.types; job++) {
        for (size_t i = 0; i < (size_t)s->runs; i++)
            x[i] = ((const run_report *)(const void *)(reports + i * bytes))
                       ->type[job].job_batches_per_s;
        if (sgdsim_estimate_mean(x, (size_t)s->runs, &estimate) != SGDSIM_OK)
            tool_fail("simulate: the times are too small for a number");
        s->job_ci95_half_width[job] = simulate_is_drawn(s) ? estimate.ci95_half_width : HUGE_VAL;
    }
}

/* reports: of this point's runs, of so many bytes each */
static void sum_up(simulation *s, const char *reports, size_t of_each, size_t bytes)
{
    double *throughput = (double *)tool_alloc(s->runs, sizeof *throughput);
    const double links = (double)links_of(s);
    sgdsim_estimate estimate;
    s->spent = (sgdsim_waiting *)tool_alloc(s->config.workers.types, sizeof *s->spent);
    s->job_batches_per_s = (double *)tool_alloc(s->config.workers.types, sizeof(double));
    for (size_t i = 0; i < of_each; i++) {
        const run_report *one = (const run_report *)(const void *)(reports + i * bytes);
        throughput[i % s->runs] += one->batches_per_s / links;
        add_run(s, one, (double)s->runs * links);
    }
    if (sgdsim_estimate_mean(throughput, (size_t)s->runs, &estimate) != SGDSIM_OK)
        tool_fail("simulate: the times are too small for a number");
    if (sgdsim_find_rates(throughput, (size_t)s->runs, &s->rates) != SGDSIM_OK)
        tool_fail("simulate: the times are too small for a number");
    s->batches_per_s = estimate.mean;
    s->ci95_half_width = simulate_is_drawn(s) ? estimate.ci95_half_width : HUGE_VAL;
    if (s->jobs) sum_up_jobs(s, reports, bytes, throughput);
    tool_free(throughput);
}

/* Runs of many workers take longest. */
static void expect(const run_list *list, size_t runs)
{
    double *cost = (double *)tool_alloc(runs, sizeof *cost);
    for (size_t i = list->first; i < runs; i++)
        cost[i - list->first] = list->point[i / list->of_each].workers;
    parallel_expect(cost);
}

simulation *simulate_run(const simulation *s)
{
    const size_t bytes = report_bytes(s), of_each = links_of(s) * (size_t)s->runs;
    simulation *point = (simulation *)tool_alloc(s->points, sizeof *point);
    char *reports = (char *)tool_alloc(s->points * of_each, bytes);
    run_list list = {0};
    size_t i;
    for (i = 0; i < s->points; i++) {
        point[i] = *s;
        if (s->sweep) simulate_set_workers(&point[i], &s->sweep[i], 1);
        if (s->jobs && i > 0) jobs_alone(&point[i], i - 1);
        point[i].config.length.warmup = simulate_warmup(s, point[i].workers);
        if (!s->jobs) simulate_stretch(&point[i]);
    }
    list.point = point;
    list.of_each = of_each;
    if (s->timeline || s->step_ends || s->intervals > 0) {
        run_first(&point[0], (run_report *)(void *)reports);
        list.first = 1;
    }
    list.alone = s->points * of_each == 1;
    expect(&list, s->points * of_each);
    if (s->points * of_each > list.first)
        parallel_run(s->points * of_each - list.first, s->processes, run_task, &list,
                     reports + list.first * bytes, bytes, s->runs > 1 ? "runs" : "points");
    for (i = 0; i < s->points; i++)
        sum_up(&point[i], reports + i * of_each * bytes, of_each, bytes);
    return point;
}
