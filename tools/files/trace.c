/* trace.c - files of traced operations: reading and checking */
#include "files/trace.h"
#include "files/layers.h"

#include <stdlib.h>
#include <string.h>

static const char *const resource_names[SGDSIM_RESOURCES] = {
    [SGDSIM_DOWNLINK] = "downlink", [SGDSIM_WORKER] = "worker", [SGDSIM_UPLINK] = "uplink",
    [SGDSIM_SERVER] = "server"
};

const char *const trace_facts[TRACE_FACTS] = {
    "bandwidth_bytes_per_s", "traced_workers", "sizes_made_up", "machine_accelerators", "vary",
    "traced_step_s", "replayed_step_s", "traced_exposed_s", "layers_exposed_s",
    "overlap_error", "traced_accelerators"
};

const char *trace_resource_text(sgdsim_resource resource) { return resource_names[resource]; }

const char *trace_name(const trace_file *trace, size_t step, size_t op)
{
    if (trace->name == CSV_NONE) return "";
    return csv_text(trace->file, trace->row[trace->first[step] + op], trace->name);
}

/* ---- Steps and ops --------------------------------------------------------- */

typedef struct trace_place { uint64_t step, op; size_t row; } trace_place;

static int compare_places(const void *a, const void *b)
{
    const trace_place *x = (const trace_place *)a, *y = (const trace_place *)b;
    if (x->step != y->step) return x->step < y->step ? -1 : 1;
    if (x->op != y->op) return x->op < y->op ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

/* Fails unless `at` is the op that comes after `last` (NULL: at the beginning). */
static void check_place(const csv_table *t, const trace_place *last, const trace_place *at)
{
    const uint64_t next_step = last ? last->step + 1 : 0;
    const int same = last && last->step == at->step;
    const uint64_t next_op = same ? last->op + 1 : 0;
    if (!same && at->step != next_step)
        csv_fail(t, at->row, csv_column(t, "step"), "%lu, but step %lu is missing",
                 (unsigned long)at->step, (unsigned long)next_step);
    if (same && at->op == last->op)
        csv_fail(t, at->row, csv_column(t, "op"), "%lu occurs twice in step %lu, first in line %lu",
                 (unsigned long)at->op, (unsigned long)at->step,
                 (unsigned long)csv_line(t, last->row));
    if (at->op != next_op)
        csv_fail(t, at->row, csv_column(t, "op"), "%lu, but step %lu has no op %lu",
                 (unsigned long)at->op, (unsigned long)at->step, (unsigned long)next_op);
}

/* Rows by step and op; returns the number of steps. */
static size_t sort_rows(trace_file *trace)
{
    const csv_table *t = trace->file;
    const int layers = layers_are(t) && csv_column(t, "step") == CSV_NONE;
    const int step = layers ? CSV_NONE : csv_require(t, "step");
    const int op = layers ? CSV_NONE : csv_require(t, "op");
    trace_place *place = tool_alloc(t->rows, sizeof *place);
    size_t steps = 0;
    if (layers)
        tool_fail("%s:%lu: the file is a table of layers, not a trace: sgdperf trace-from-layers "
                  "%s makes a trace",
                  t->name, (unsigned long)t->header_line, t->name);
    for (size_t i = 0; i < t->rows; i++) {
        place[i].step = csv_integer(t, i, step, 0, UINT32_MAX - 1);
        place[i].op = csv_integer(t, i, op, 0, TRACE_MOST_OPS - 1);
        place[i].row = i;
    }
    qsort(place, t->rows, sizeof *place, compare_places);
    trace->row = tool_alloc(t->rows, sizeof *trace->row);
    trace->first = tool_alloc(t->rows + 1, sizeof *trace->first);
    for (size_t i = 0; i < t->rows; i++) {
        check_place(t, i > 0 ? &place[i - 1] : NULL, &place[i]);
        trace->row[i] = place[i].row;
        if (place[i].op == 0) trace->first[steps++] = i;
    }
    trace->first[steps] = t->rows;
    return steps;
}

/* ---- Cells ----------------------------------------------------------------- */

typedef struct trace_columns {
    int resource, server, duration, bytes, waits_for, collective;
} trace_columns;

/* The blank-separated op numbers of a cell, written to list unless it is NULL; returns
 * how many. */
static size_t read_waits(const csv_table *t, size_t row, int column, uint32_t *list)
{
    const char *p = csv_text(t, row, column);
    size_t count = 0;
    while (*(p += strspn(p, " ")) != '\0') {
        const size_t length = strcspn(p, " ");
        uint64_t value = 0;
        char number[24] = "";
        const char *wrong = "is not an op number";
        if (length < sizeof number) {
            memcpy(number, p, length);
            wrong = number_whole(number, 0, UINT32_MAX, &value);
        }
        if (wrong) csv_fail(t, row, column, "'%.*s' %s", (int)length, p, wrong);
        if (list) list[count] = (uint32_t)value;
        count++;
        p += length;
    }
    return count;
}

/* The cell of the resource's kind must be there; the other may, and is not used. */
static void read_op(const csv_table *t, size_t row, const trace_columns *c, sgdsim_op *op)
{
    op->resource = (sgdsim_resource)csv_choice(t, row, c->resource, resource_names,
                                               SGDSIM_RESOURCES);
    op->server = (uint32_t)csv_integer_or(t, row, c->server, 0, UINT32_MAX, 0);
    if (op->resource == SGDSIM_WORKER || op->resource == SGDSIM_SERVER) {
        op->duration_s = csv_number(t, row, c->duration, NUMBER_NON_NEGATIVE);
        (void)csv_number_or(t, row, c->bytes, NUMBER_NON_NEGATIVE, 0.0);
    } else {
        op->bytes = csv_number(t, row, c->bytes, NUMBER_NON_NEGATIVE);
        (void)csv_number_or(t, row, c->duration, NUMBER_NON_NEGATIVE, 0.0);
    }
}

/* Column collective (import): an uplink that is no all-reduce. */
static void read_collective(trace_file *trace, size_t row, const trace_columns *c, sgdsim_op *op)
{
    static const char *const words[] = {"all-reduce", "all-to-all"};
    const csv_table *t = trace->file;
    if (csv_is_empty(t, row, c->collective)) return;
    if (op->resource != SGDSIM_UPLINK)
        csv_fail(t, row, c->collective, "only an uplink is a collective");
    if (csv_choice(t, row, c->collective, words, COUNT_OF(words)) == 0) return;
    if (!trace->alltoall) trace->alltoall = tool_alloc(t->rows, 1);
    trace->alltoall[row] = 1;
    op->bytes *= 0.5;
}

int trace_is_alltoall(const trace_file *trace, size_t step, size_t op)
{
    return trace->alltoall && trace->alltoall[trace->row[trace->first[step] + op]];
}

static sgdsim_op *read_ops(trace_file *trace, const trace_columns *c)
{
    const csv_table *t = trace->file;
    sgdsim_op *op = tool_alloc(t->rows, sizeof *op);
    size_t total = 0;
    for (size_t i = 0; i < t->rows; i++) {
        read_op(t, trace->row[i], c, &op[i]);
        read_collective(trace, trace->row[i], c, &op[i]);
        op[i].waits = read_waits(t, trace->row[i], c->waits_for, NULL);
        total += op[i].waits;
    }
    uint32_t *waits = tool_alloc(total, sizeof *waits);
    for (size_t i = 0; i < t->rows; i++) {
        op[i].waits_for = waits;
        waits += read_waits(t, trace->row[i], c->waits_for, waits);
    }
    return op;
}

/* ---- Files ----------------------------------------------------------------- */

static void check_graph(const trace_file *trace, uint32_t servers)
{
    const csv_table *t = trace->file;
    sgdsim_fault fault = {0};
    size_t bytes = 0, row;
    sgdsim_status status = sgdsim_trace_check_bytes(&trace->trace, &bytes);
    if (status == SGDSIM_OK)
        status = sgdsim_trace_check(&trace->trace, servers, tool_alloc(bytes, 1), bytes, &fault);
    if (status == SGDSIM_OK) return;
    if (status != SGDSIM_BAD_TRACE) tool_fail("%s: %s", t->name, sgdsim_status_text(status));
    row = trace->row[trace->first[fault.step] + fault.op];
    int column = csv_column(t, fault.field);
    if (column == CSV_NONE) csv_fail(t, row, column, "%s", fault.reason);
    csv_fail(t, row, column, "'%s' %s", csv_text(t, row, column), fault.reason);
}

double trace_told(const csv_table *t, const char *name)
{
    const int column = csv_column(t, name);
    double told = 0.0;
    for (size_t i = 0; i < t->rows; i++) {
        const double value = csv_number_or(t, i, column, NUMBER_POSITIVE, told);
        if (told > 0.0 && (value < told || value > told))
            csv_fail(t, i, column, "%s differs from %.17g in a row above: the file has one value",
                     csv_text(t, i, column), told);
        told = value;
    }
    return told;
}

double trace_bandwidth(const csv_table *file)
{
    return trace_told(file, "bandwidth_bytes_per_s");
}

double trace_workers(const csv_table *file) { return trace_told(file, "traced_workers"); }

void trace_note_made_up(const csv_table *file)
{
    if (trace_told(file, "sizes_made_up") > 0.0)
        tool_note("sizes-made-up",
                  "%s: the sizes of exchanges are unknown and made up for %.4g B/s: only the ratio "
                  "of a bandwidth to that one counts", file->name, trace_bandwidth(file));
}

void trace_note_late(const csv_table *file)
{
    if (trace_told(file, "vary") > 0.0)
        tool_note("late-rank",
                  "%s holds the steps of the latest of %.0f ranks: any number of workers is taken "
                  "to be as late; predict --profile counts how ranks differ", file->name,
                  trace_workers(file));
}

void trace_in_turn(uint32_t *sequence, uint64_t steps, size_t count)
{
    for (uint64_t k = 0; k < steps; k++) sequence[k] = (uint32_t)(k % count);
}

/* Do the exchanges of a step differ from those of the first, in their order? */
static int exchanges_differ(const trace_file *trace, size_t s)
{
    const sgdsim_step *a = &trace->trace.step[0], *b = &trace->trace.step[s];
    size_t i = 0, k = 0;
    for (;; i++, k++) {
        while (i < a->ops && a->op[i].resource != SGDSIM_UPLINK) i++;
        while (k < b->ops && b->op[k].resource != SGDSIM_UPLINK) k++;
        if (i == a->ops || k == b->ops) return i < a->ops || k < b->ops;
        if (a->op[i].bytes < b->op[k].bytes || a->op[i].bytes > b->op[k].bytes) return 1;
        if (trace_is_alltoall(trace, 0, i) != trace_is_alltoall(trace, s, k)) return 1;
    }
}

/* Only steps made of layers have downlinks. Their times may vary for each worker alone. */
static int has_downlinks(const sgdsim_trace *trace)
{
    for (size_t s = 0; s < trace->steps; s++)
        for (size_t i = 0; i < trace->step[s].ops; i++)
            if (trace->step[s].op[i].resource == SGDSIM_DOWNLINK) return 1;
    return 0;
}

void trace_parse(trace_file *trace, const csv_table *file, uint32_t servers)
{
    trace_columns c;
    memset(trace, 0, sizeof *trace);
    trace->file = file;
    if (!layers_are(file))
        CSV_REQUIRE(file, "step", "op", "resource", "duration_s", "bytes", "waits_for");
    size_t steps = sort_rows(trace);
    c.resource = csv_require(file, "resource");
    c.server = csv_column(file, "server");
    c.duration = csv_require(file, "duration_s");
    c.bytes = csv_require(file, "bytes");
    c.waits_for = csv_require(file, "waits_for");
    c.collective = csv_column(file, "collective");
    trace->name = csv_column(file, "name");
    sgdsim_op *op = read_ops(trace, &c);
    sgdsim_step *step = tool_alloc(steps, sizeof *step);
    for (size_t i = 0; i < steps; i++) {
        step[i].op = op + trace->first[i];
        step[i].ops = trace->first[i + 1] - trace->first[i];
    }
    trace->trace.step = step;
    trace->trace.steps = steps;
    (void)trace_bandwidth(file);
    trace->joint = trace_workers(file) > 1.0 && !has_downlinks(&trace->trace);
    for (size_t i = 1; i < steps; i++) trace->joint |= exchanges_differ(trace, i);
    check_graph(trace, servers);
}
