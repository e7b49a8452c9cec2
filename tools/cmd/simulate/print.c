/* print.c - the results of sgdperf simulate */
#include "base/columns.h"
#include "cmd/simulate/simulate.h"

#include <math.h>
#include <stdio.h>

/* Resources in the order in which they are printed. */
static const sgdsim_resource shown[SGDSIM_RESOURCES] = {
    SGDSIM_WORKER, SGDSIM_UPLINK, SGDSIM_SERVER, SGDSIM_DOWNLINK
};

/* Accelerators count, not machines. */
static uint32_t workers_of(const simulation *s)
{
    return s->workers * s->config.workers.accelerators;
}

/* How gradients and parameters travel. */
static const char *link_text(const simulation *s)
{
    if (s->collectives) return sgdpar_sharding_text(s->collectives->sharding);
    return s->mode == MODE_ALLREDUCE ? "ring" : link_names[s->link];
}

/* "all-to-all" where downlinks stand for them. */
static const char *resource_text(const simulation *s, sgdsim_resource resource)
{
    const collectives *c = s->collectives;
    const int pairs = c && c->sharding == SGDPAR_SHARDING_NONE &&
                      (s->traces[0].alltoall || c->alltoall_bytes > 0.0);
    return pairs && resource == SGDSIM_DOWNLINK ? "all-to-all" : trace_resource_text(resource);
}

/* The resource with the largest utilization; the first of those equal but for rounding. */
static const char *bottleneck(const simulation *s)
{
    sgdsim_resource most = shown[0];
    for (size_t i = 1; i < SGDSIM_RESOURCES; i++)
        if (s->utilization[shown[i]] > s->utilization[most] * (1.0 + 1e-9)) most = shown[i];
    return resource_text(s, most);
}

/* ---- Columns of a point ----------------------------------------------------- */

/* in: ALL on the screen. */
static void print_utilization(columns *t, unsigned in, const char *before, const simulation *s)
{
    for (size_t i = 0; i < SGDSIM_RESOURCES; i++) {
        char name[40];
        snprintf(name, sizeof name, "%s%s", before,
                 in == ALL ? resource_text(s, shown[i]) : trace_resource_text(shown[i]));
        column_number(t, in, name, s->utilization[shown[i]]);
    }
}

/* Do workers share links? */
static int shares_links(const simulation *s) { return s->mode != MODE_ALLREDUCE; }

/* Parts of the time with two workers or more at a link, or at a server that they share. */
static void print_contended(columns *t, unsigned in, const char *before, const simulation *s)
{
    for (size_t i = 0; i < SGDSIM_RESOURCES; i++) {
        char name[40];
        if (shown[i] == SGDSIM_WORKER) continue;
        snprintf(name, sizeof name, "%s%s", before, trace_resource_text(shown[i]));
        column_number(t, in, name, known_if(shares_links(s), s->contended[shown[i]]));
    }
}

/* Shares of the time of a type's workers. */
static void print_types(columns *t, const simulation *s)
{
    for (size_t i = 0; i < s->config.workers.types; i++) {
        const sgdsim_waiting *spent = &s->spent[i];
        columns_row(t);
        column_text(t, ALL, "trace", s->traces[i].file->name);
        const sim_job *job = s->jobs ? &s->jobs->job[s->jobs->of[i]] : NULL;
        column_whole(t, ALL, "workers", job && job->mode == MODE_ALLREDUCE ? job->workers
                     : s->config.workers.count[i] * s->config.workers.accelerators);
        column_round(t, SCREEN, "computing", 3, spent->computing_s / s->makespan_s);
        column_number(t, JSON, "computing_share", spent->computing_s / s->makespan_s);
        json_object(t->out, "waiting_share");
        column_round(t, ALL, t->in == SCREEN ? resource_text(s, SGDSIM_DOWNLINK) : "downlink", 3,
                     spent->downlink_s / s->makespan_s);
        column_round(t, ALL, "uplink", 3, spent->uplink_s / s->makespan_s);
        column_round(t, ALL, "server", 3, spent->server_s / s->makespan_s);
        column_round(t, ALL, "barrier", 3, spent->barrier_s / s->makespan_s);
        json_end(t->out);
    }
}

static void print_collectives(columns *t, const simulation *s)
{
    const collectives *c = s->collectives;
    column_whole(t, SCREEN, "workers", s->workers);
    column_whole(t, JSON, "gpus", s->workers < c->gpus ? s->workers : c->gpus);
    column_whole(t, JSON, "streams", c->streams);
    column_whole(t, ALL, "exchanges", s->exchanged.count);
    column_number(t, ALL, "exchange_s", s->exchanged.exchange_s);
    column_number(t, JSON, "bucket_bytes", known_if(c->bucket_bytes > 0.0, c->bucket_bytes));
    json_object(t->out, "link_utilization");
    column_number(t, ALL, "network", s->exchanged.link_utilization[SGDSIM_NETWORK]);
    column_number(t, ALL, "local", s->exchanged.link_utilization[SGDSIM_LOCAL]);
    json_end(t->out);
}

/* The rates that runs come to, where there are enough runs to tell. */
static void json_rates(output *out, const simulation *s)
{
    if (s->runs < SGDSIM_RATES_LEAST) return;
    json_array(out, "rates");
    for (size_t i = 0; i < s->rates.rates; i++) {
        json_object(out, NULL);
        json_number(out, "batches_per_s", s->rates.mean[i]);
        json_integer(out, "runs", s->rates.runs[i]);
        json_end(out);
    }
    json_end(out);
}

/* The throughput of the first run in equal intervals: the steps that end in each, or at its end
 * but for rounding. */
static void print_over_time(output *out, unsigned in, const simulation *s)
{
    const double wide = s->first_makespan_s / (double)s->intervals;
    const uint64_t steps = s->workers * s->config.length.steps;
    uint64_t *ended;
    if (s->intervals == 0) return;
    ended = (uint64_t *)tool_alloc(s->intervals, sizeof *ended);
    for (uint64_t i = 0; i < steps; i++) {
        const double at = s->step_end_s[i] / s->first_makespan_s * (double)s->intervals;
        const double before = ceil(at * (1.0 - 1e-9)) - 1.0;
        ended[before > 0.0 ? (size_t)before : 0]++;
    }
    columns t = columns_open(out, in, "over_time");
    for (size_t i = 0; columns_next(&t, i < s->intervals); i++) {
        const double counted = (double)(s->workers - s->backup) / s->workers;
        const double rate = (double)(ended[i] * s->config.workers.accelerators) / wide * counted;
        column_number(&t, ALL, "start_s", wide * (double)i);
        column_number(&t, ALL, "end_s", wide * (double)(i + 1));
        column_number(&t, ALL, "batches_per_s", rate);
        column_number(&t, s->batch > 0.0 ? ALL : DATA, "examples_per_s",
                      known_if(s->batch > 0.0, rate * s->batch));
    }
}

/* What a point has in JSON beside its rates. */
static void json_rest(columns *t, const simulation *s)
{
    output *out = t->out;
    json_object(out, "utilization");
    print_utilization(t, JSON, "", s);
    json_end(out);
    json_object(out, "contended");
    print_contended(t, JSON, "", s);
    json_end(out);
    if (s->collectives) print_collectives(t, s);
    columns types = columns_open(out, JSON, "types");
    print_types(&types, s);
    columns_close(&types);
    if (s->order.given) {
        json_object(out, "order");
        json_string(out, "given", s->order.given);
        json_number(out, "step_s", s->order.step_s);
        json_number(out, "unordered_step_s", s->order.unordered_step_s);
        json_end(out);
    }
    print_over_time(out, JSON, s);
    if (!s->step_ends) return;
    json_array(out, "step_ends_s");
    for (size_t i = 0; i < s->workers; i++)
        json_numbers(out, NULL, s->step_end_s + i * s->config.length.steps,
                     (size_t)s->config.length.steps);
    json_end(out);
}

static void print_point(columns *t, const simulation *s)
{
    const int batch = s->batch > 0.0;
    columns_row(t);
    column_text(t, JSON, "status", "ok");
    column_text(t, JSON, "mode", mode_words[s->mode]);
    column_text(t, JSON, s->collectives ? "sharding" : "link", link_text(s));
    column_whole(t, s->sweep ? ALL : JSON, "workers", workers_of(s));
    if (s->gpus > 1) column_whole(t, JSON, "gpus", s->config.workers.accelerators);
    column_whole(t, JSON, "steps", s->config.length.steps);
    column_whole(t, JSON, "warmup", s->config.length.warmup);
    column_number(t, ALL, "batches_per_s", s->batches_per_s);
    column_number(t, batch ? ALL : DATA, "examples_per_s",
                  known_if(batch, s->batches_per_s * s->batch));
    column_round(t, TABLES, "ci95_half_width", 3, s->ci95_half_width);
    column_number(t, ALL, "makespan_s", s->makespan_s);
    column_whole(t, ALL, "events", s->events);
    column_whole(t, ALL, "seed", s->config.variation.seed);
    column_whole(t, JSON, "runs", s->runs);
    column_number(t, JSON, "ci95_half_width", s->ci95_half_width);
    json_rates(t->out, s);
    column_text(t, ALL, "bottleneck", bottleneck(s));
    print_utilization(t, CSV, "utilization_", s);
    print_contended(t, CSV, "contended_", s);
    column_text(t, CSV, "status", "ok");
    if (t->in == JSON) json_rest(t, s);
}

/* ---- All points -------------------------------------------------------------- */

/* A line for each point whose runs come to two rates. */
static void print_two_rates(output *out, const simulation *point, size_t points)
{
    for (const simulation *s = point; s < point + points; s++) {
        const sgdsim_rates *r = &s->rates;
        if (r->rates < 2) continue;
        output_print(out, "two rates with %lu worker%s: %.5g batches/s in %lu runs, %.5g in %lu\n",
                     COUNTED(workers_of(s)), r->mean[0], (unsigned long)r->runs[0], r->mean[1],
                     (unsigned long)r->runs[1]);
    }
}

/* Ends of steps, for a human or as the CSV. */
static void print_step_ends(output *out, unsigned in, const simulation *s)
{
    columns t = columns_open(out, in, NULL);
    for (uint64_t w = 0; w < s->workers; w++)
        for (uint64_t k = 0; k < s->config.length.steps; k++) {
            columns_row(&t);
            column_whole(&t, ALL, "worker", w);
            column_whole(&t, ALL, "step", k);
            column_number(&t, ALL, "end_s", s->step_end_s[w * s->config.length.steps + k]);
        }
    columns_close(&t);
}

/* What a human sees above the points, and below. */
static void print_heading(output *out, const simulation *s)
{
    if (s->jobs) output_print(out, "%lu job%s, ", COUNTED(s->jobs->jobs));
    else output_print(out, "%s, ", mode_words[s->mode]);
    output_print(out, "%s%s, ", s->collectives ? "" : "link ", link_text(s));
    if (s->jobs) {
        output_print(out, "%lu step%s each, or more until all jobs have done theirs\n",
                     COUNTED(s->config.length.steps));
        return;
    }
    if (!s->sweep) output_print(out, "%lu worker%s, ", COUNTED(workers_of(s)));
    if (!s->sweep && s->config.workers.accelerators > 1)
        output_print(out, "%lu on each machine, ", (unsigned long)s->config.workers.accelerators);
    output_print(out, "%lu step%s each\n", COUNTED(s->config.length.steps));
    if (s->order.given)
        output_print(out, "order %s: a step of one worker takes %.5g s, %.5g s without\n",
                     s->order.given, s->order.step_s, s->order.unordered_step_s);
}

static void print_shares(output *out, const simulation *point, size_t points)
{
    output_print(out, "\nutilization\n");
    columns t = columns_open(out, SCREEN, NULL);
    for (size_t i = 0; columns_next(&t, i < points); i++) {
        if (point->sweep) column_whole(&t, ALL, "workers", workers_of(&point[i]));
        print_utilization(&t, ALL, "", &point[i]);
    }
    if (shares_links(point)) {
        output_print(out, "\npart of the time with two workers or more at a link or server\n");
        t = columns_open(out, SCREEN, NULL);
        for (size_t i = 0; columns_next(&t, i < points); i++) {
            if (point->sweep) column_whole(&t, ALL, "workers", workers_of(&point[i]));
            print_contended(&t, ALL, "", &point[i]);
        }
    }
    if (point->collectives) {
        output_print(out, "\ncollectives of a step, and utilization of links\n");
        t = columns_open(out, SCREEN, NULL);
        for (size_t i = 0; columns_next(&t, i < points); i++)
            print_collectives(&t, &point[i]);
    }
    output_print(out, "\nshares of a worker's time: computing, and waiting for\n");
    t = columns_open(out, SCREEN, NULL);
    for (size_t i = 0; i < points; i++) print_types(&t, &point[i]);
    columns_close(&t);
}

/* A row a job, the links, and on the screen the shares of all types of workers. */
static void print_jobs(output *out, const simulation *s)
{
    json_object(out, NULL);
    json_string(out, "status", "ok");
    json_string(out, "link", link_text(s));
    json_integer(out, "steps", s->config.length.steps);
    json_integer(out, "warmup", s->config.length.warmup);
    columns t = columns_open(out, ALL, "jobs");
    jobs_print(&t, s);
    columns_close(&t);
    json_number(out, "makespan_s", s->makespan_s);
    json_integer(out, "events", s->events);
    json_integer(out, "seed", s->config.variation.seed);
    json_integer(out, "runs", s->runs);
    json_string(out, "bottleneck", bottleneck(s));
    t = columns_open(out, JSON, NULL);
    json_rest(&t, s);
    json_end(out);
    if (out->form == SCREEN) print_shares(out, s, 1);
}

void simulate_print(output *out, const simulation *point, size_t points)
{
    const int own_table = point->step_ends || point->intervals > 0;
    columns t;
    print_heading(out, point);
    if (point->jobs) {
        print_jobs(out, point);
        return;
    }
    json_object(out, NULL);
    if (point->sweep) json_string(out, "status", "ok");
    t = columns_open(out, own_table ? SCREEN | JSON : ALL, point->sweep ? "points" : NULL);
    for (size_t i = 0; i < points; i++) print_point(&t, &point[i]);
    columns_close(&t);
    json_end(out);
    if (out->form == SCREEN) {
        print_two_rates(out, point, points);
        print_shares(out, point, points);
    }
    if (!own_table || out->form == JSON) return;
    output_print(out, point->step_ends ? "\nends of steps\n" : "\nthroughput over time\n");
    if (point->step_ends) print_step_ends(out, TABLES, point);
    else print_over_time(out, TABLES, point);
}
