/* print.c - the results of sgdperf simulate */
#include "base/table.h"
#include "cmd/simulate/simulate.h"

/* Resources in the order in which they are printed. */
static const sgdsim_resource shown[SGDSIM_RESOURCES] = {
    SGDSIM_WORKER, SGDSIM_UPLINK, SGDSIM_SERVER, SGDSIM_DOWNLINK
};

/* How gradients and parameters travel. */
static const char *link_text(const simulation *s)
{
    if (s->collectives) return sgdpar_sharding_text(s->collectives->sharding);
    return s->mode == MODE_ALLREDUCE ? "ring" : link_names[s->link];
}

/* The resource with the largest utilization; the first of those equal but for rounding. */
static const char *bottleneck(const simulation *s)
{
    sgdsim_resource most = shown[0];
    size_t i;
    for (i = 1; i < SGDSIM_RESOURCES; i++)
        if (s->utilization[shown[i]] > s->utilization[most] * (1.0 + 1e-9)) most = shown[i];
    return trace_resource_text(most);
}

/* ---- JSON ------------------------------------------------------------------ */

static void json_types(output *out, const simulation *s)
{
    size_t i;
    json_array(out, "types");
    for (i = 0; i < s->config.workers.types; i++) {
        const sgdsim_waiting *spent = &s->spent[i];
        json_object(out, NULL);
        json_string(out, "trace", s->traces[i].file->name);
        json_integer(out, "workers", s->config.workers.count[i]);
        json_number(out, "computing_share", spent->computing_s / s->makespan_s);
        json_object(out, "waiting_share");
        json_number(out, "downlink", spent->downlink_s / s->makespan_s);
        json_number(out, "uplink", spent->uplink_s / s->makespan_s);
        json_number(out, "server", spent->server_s / s->makespan_s);
        json_number(out, "barrier", spent->barrier_s / s->makespan_s);
        json_end(out);
        json_end(out);
    }
    json_end(out);
}

static void json_order(output *out, const simulation *s)
{
    json_object(out, "order");
    json_string(out, "given", s->order.given);
    json_number(out, "step_s", s->order.step_s);
    json_number(out, "unordered_step_s", s->order.unordered_step_s);
    json_end(out);
}

static void json_collectives(output *out, const simulation *s)
{
    const collectives *c = s->collectives;
    json_integer(out, "gpus", s->workers < c->gpus ? s->workers : c->gpus);
    json_integer(out, "streams", c->streams);
    json_integer(out, "exchanges", s->exchanged.count);
    json_number(out, "exchange_s", s->exchanged.exchange_s);
    if (c->bucket_bytes > 0.0) json_number(out, "bucket_bytes", c->bucket_bytes);
    else json_null(out, "bucket_bytes");
    json_object(out, "link_utilization");
    json_number(out, "network", s->exchanged.link_utilization[SGDSIM_NETWORK]);
    json_number(out, "local", s->exchanged.link_utilization[SGDSIM_LOCAL]);
    json_end(out);
}

/* The rates that runs come to, where there are enough runs to tell. */
static void json_rates(output *out, const simulation *s)
{
    size_t i;
    if (s->runs < SGDSIM_RATES_LEAST) return;
    json_array(out, "rates");
    for (i = 0; i < s->rates.rates; i++) {
        json_object(out, NULL);
        json_number(out, "batches_per_s", s->rates.mean[i]);
        json_integer(out, "runs", s->rates.runs[i]);
        json_end(out);
    }
    json_end(out);
}

static void json_run(output *out, const simulation *s)
{
    size_t i;
    json_object(out, NULL);
    json_string(out, "status", "ok");
    json_string(out, "mode", mode_words[s->mode]);
    json_string(out, s->collectives ? "sharding" : "link", link_text(s));
    json_integer(out, "workers", s->workers);
    json_integer(out, "steps", s->config.length.steps);
    json_integer(out, "warmup", s->config.length.warmup);
    json_number(out, "batches_per_s", s->batches_per_s);
    if (s->batch > 0.0) json_number(out, "examples_per_s", s->batches_per_s * s->batch);
    else json_null(out, "examples_per_s");
    json_number(out, "makespan_s", s->makespan_s);
    json_integer(out, "events", s->events);
    json_integer(out, "seed", s->config.variation.seed);
    json_integer(out, "runs", s->runs);
    json_number(out, "ci95_half_width", s->ci95_half_width);
    json_rates(out, s);
    json_string(out, "bottleneck", bottleneck(s));
    json_object(out, "utilization");
    for (i = 0; i < SGDSIM_RESOURCES; i++)
        json_number(out, trace_resource_text(shown[i]), s->utilization[shown[i]]);
    json_end(out);
    if (s->collectives) json_collectives(out, s);
    json_types(out, s);
    if (s->order.given) json_order(out, s);
    if (s->step_end_s) {
        json_array(out, "step_ends_s");
        for (i = 0; i < s->workers; i++)
            json_numbers(out, NULL, s->step_end_s + i * s->config.length.steps,
                         (size_t)s->config.length.steps);
        json_end(out);
    }
    json_end(out);
}

static void print_json(output *out, const simulation *point, size_t points)
{
    size_t i;
    if (!point[0].sweep) { json_run(out, point); return; }
    json_object(out, NULL);
    json_string(out, "status", "ok");
    json_array(out, "points");
    for (i = 0; i < points; i++) json_run(out, &point[i]);
    json_end(out);
    json_end(out);
}

/* ---- Tables ---------------------------------------------------------------- */

/* examples: with the column examples_per_s, empty where no --batch is given. */
static void rates_cells(result_table *t, const simulation *s, int examples)
{
    if (s->sweep) table_integer(t, s->workers);
    table_number(t, s->batches_per_s);
    if (examples && s->batch > 0.0) table_number(t, s->batches_per_s * s->batch);
    else if (examples) table_empty(t);
    table_number(t, s->ci95_half_width);
    table_number(t, s->makespan_s);
    table_integer(t, s->events);
    table_integer(t, s->config.variation.seed);
    table_text(t, bottleneck(s));
}

static void utilization_cells(result_table *t, const simulation *s)
{
    size_t i;
    for (i = 0; i < SGDSIM_RESOURCES; i++) table_number(t, s->utilization[shown[i]]);
}

/* Rows of points; the first column is for a sweep. */
static void print_csv(output *out, const simulation *point, size_t points)
{
    static const table_column columns[] = {
        {"workers", 0}, {"batches_per_s", 0}, {"examples_per_s", 0}, {"ci95_half_width", 0},
        {"makespan_s", 0}, {"events", 0}, {"seed", 0}, {"bottleneck", 0},
        {"utilization_worker", 0}, {"utilization_uplink", 0}, {"utilization_server", 0},
        {"utilization_downlink", 0}, {"status", 0}
    };
    const size_t skip = point[0].sweep ? 0 : 1;
    result_table *t = table_new(columns + skip, COUNT_OF(columns) - skip);
    size_t i;
    for (i = 0; i < points; i++) {
        rates_cells(t, &point[i], 1);
        utilization_cells(t, &point[i]);
        table_text(t, "ok");
    }
    table_print(t, out, FORMAT_CSV);
}

/* A line for each point whose runs come to two rates. */
static void print_two_rates(output *out, const simulation *point, size_t points)
{
    const simulation *s;
    for (s = point; s < point + points; s++) {
        const sgdsim_rates *r = &s->rates;
        if (r->rates < 2) continue;
        output_print(out, "two rates with %lu worker%s: %.5g batches/s in %lu runs, %.5g in %lu\n",
                     (unsigned long)s->workers, s->workers == 1 ? "" : "s", r->mean[0],
                     (unsigned long)r->runs[0], r->mean[1], (unsigned long)r->runs[1]);
    }
}

static result_table *new_rates(int sweep, int examples)
{
    static const table_column all[] = {
        {"workers", 0}, {"batches_per_s", 0}, {"examples_per_s", 0}, {"ci95_half_width", 3},
        {"makespan_s", 0}, {"events", 0}, {"seed", 0}, {"bottleneck", 0}
    };
    table_column columns[COUNT_OF(all)];
    size_t count = 0, i;
    for (i = sweep ? 0 : 1; i < COUNT_OF(all); i++)
        if (examples || i != 2) columns[count++] = all[i];
    return table_new(columns, count);
}

static void print_rates(output *out, const simulation *point, size_t points)
{
    static const table_column resources[] = {
        {"workers", 0}, {"worker", 0}, {"uplink", 0}, {"server", 0}, {"downlink", 0}
    };
    const int examples = point[0].batch > 0.0;
    const size_t skip = point[0].sweep ? 0 : 1;
    result_table *t = new_rates(!skip, examples);
    size_t i;
    for (i = 0; i < points; i++) rates_cells(t, &point[i], examples);
    table_print(t, out, FORMAT_TABLE);
    print_two_rates(out, point, points);
    output_print(out, "\nutilization\n");
    t = table_new(resources + skip, COUNT_OF(resources) - skip);
    for (i = 0; i < points; i++) {
        if (!skip) table_integer(t, point[i].workers);
        utilization_cells(t, &point[i]);
    }
    table_print(t, out, FORMAT_TABLE);
}

static void print_collectives(output *out, const simulation *point, size_t points)
{
    static const table_column columns[] = {
        {"workers", 0}, {"exchanges", 0}, {"exchange_s", 0}, {"network", 0}, {"local", 0}
    };
    result_table *t = table_new(columns, COUNT_OF(columns));
    size_t i;
    for (i = 0; i < points; i++) {
        table_integer(t, point[i].workers);
        table_integer(t, point[i].exchanged.count);
        table_number(t, point[i].exchanged.exchange_s);
        table_number(t, point[i].exchanged.link_utilization[SGDSIM_NETWORK]);
        table_number(t, point[i].exchanged.link_utilization[SGDSIM_LOCAL]);
    }
    output_print(out, "\ncollectives of a step, and utilization of links\n");
    table_print(t, out, FORMAT_TABLE);
}

static void print_types(output *out, const simulation *point, size_t points)
{
    static const table_column columns[] = {
        {"trace", 0}, {"workers", 0}, {"computing", 3}, {"downlink", 3}, {"uplink", 3},
        {"server", 3}, {"barrier", 3}
    };
    result_table *t = table_new(columns, COUNT_OF(columns));
    const simulation *s;
    size_t i;
    for (s = point; s < point + points; s++)
        for (i = 0; i < s->config.workers.types; i++) {
            const sgdsim_waiting *spent = &s->spent[i];
            table_text(t, s->traces[i].file->name);
            table_integer(t, s->config.workers.count[i]);
            table_number(t, spent->computing_s / s->makespan_s);
            table_number(t, spent->downlink_s / s->makespan_s);
            table_number(t, spent->uplink_s / s->makespan_s);
            table_number(t, spent->server_s / s->makespan_s);
            table_number(t, spent->barrier_s / s->makespan_s);
        }
    output_print(out, "\nshares of a worker's time: computing, and waiting for\n");
    table_print(t, out, FORMAT_TABLE);
}

static void print_step_ends(output *out, const simulation *s, output_format format)
{
    static const table_column columns[] = {{"worker", 0}, {"step", 0}, {"end_s", 0}};
    result_table *t = table_new(columns, COUNT_OF(columns));
    uint64_t w, k;
    for (w = 0; w < s->workers; w++)
        for (k = 0; k < s->config.length.steps; k++) {
            table_integer(t, w);
            table_integer(t, k);
            table_number(t, s->step_end_s[w * s->config.length.steps + k]);
        }
    table_print(t, out, format);
}

static void print_human(output *out, const simulation *point, size_t points)
{
    const simulation *s = &point[0];
    output_print(out, "%s, %s%s, ", mode_words[s->mode], s->collectives ? "" : "link ",
                 link_text(s));
    if (!s->sweep)
        output_print(out, "%lu worker%s, ", (unsigned long)s->workers,
                     s->workers == 1 ? "" : "s");
    output_print(out, "%lu step%s each\n", (unsigned long)s->config.length.steps,
                 s->config.length.steps == 1 ? "" : "s");
    if (s->order.given)
        output_print(out, "order %s: a step of one worker takes %.5g s, %.5g s without\n",
                     s->order.given, s->order.step_s, s->order.unordered_step_s);
    print_rates(out, point, points);
    if (s->collectives) print_collectives(out, point, points);
    print_types(out, point, points);
    if (!s->step_end_s) return;
    output_print(out, "\nends of steps\n");
    print_step_ends(out, s, FORMAT_TABLE);
}

void simulate_print(output *out, const simulation *point, size_t points,
                    output_format format)
{
    if (format == FORMAT_JSON) print_json(out, point, points);
    else if (format != FORMAT_CSV) print_human(out, point, points);
    else if (point->step_ends) print_step_ends(out, point, FORMAT_CSV);
    else print_csv(out, point, points);
}
