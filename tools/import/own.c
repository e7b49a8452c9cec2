/* own.c - CSV of ours: traces, for what writes other formats of them, and logs of downlinks and
 * uplinks alone: rows step,phase,start_s,end_s and optionally bytes,server. What lies between
 * these is what sgdperf import finds. */
#include "import/import.h"

#include "files/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- Traces ---------------------------------------------------------------- */

static int is_trace(const char *head, size_t length)
{
    static const char *const wanted[] = {"step", "op", "resource", "waits_for"};
    return import_has_header(head, length, wanted, COUNT_OF(wanted));
}

static void add_step(const trace_file *t, size_t step, import_found *found)
{
    const sgdsim_step *s = &t->trace.step[step];
    const size_t first = found->ops;
    import_add_step(found, step, 0.0, 0.0);
    for (size_t i = 0; i < s->ops; i++) {
        const sgdsim_op *from = &s->op[i];
        const char *name = trace_name(t, step, i);
        const import_op op = {.step = (uint32_t)step, .kind = import_kind_on(from->resource),
                              .end_s = from->duration_s, .bytes = from->bytes,
                              .server = from->server};
        import_add_op(found, &op, name, strlen(name));
        for (size_t k = 0; k < from->waits; k++) import_add_wait(found, first + from->waits_for[k]);
    }
}

static void read_trace(stream *s, const import_options *options, import_found *found)
{
    csv_table *table = import_read_csv(s);
    trace_file t;
    (void)options;
    trace_parse(&t, table, IMPORT_MOST_SERVERS);
    if (t.alltoall)
        tool_note("exchanges-pairwise", "%s: all-to-alls count as all-reduces of half their bytes",
                  table->name);
    for (size_t i = 0; i < t.trace.steps; i++) add_step(&t, i, found);
    found->events = found->ops;
    found->linked = 1;
    csv_free(table);
}

const import_format import_own = {"trace", "a trace of operations, as sgdperf simulate takes it",
                                  is_trace, read_trace};

/* ---- Logs of transfers ----------------------------------------------------- */

static int is_log(const char *head, size_t length)
{
    static const char *const wanted[] = {"step", "phase", "start_s", "end_s"};
    return import_has_header(head, length, wanted, COUNT_OF(wanted));
}

/* Index of the step of that number, which is added if it is new: the name of a node. */
static size_t step_of(import_found *f, uint64_t number)
{
    const size_t known = f->nodes.count;
    char digits[24];
    snprintf(digits, sizeof digits, "%" PRIu64, number);
    size_t step = import_name(f->file, &f->nodes, digits, strlen(digits));
    return step == known ? import_add_step(f, number, 0.0, 0.0) : step;
}

static void read_log(stream *s, const import_options *options, import_found *found)
{
    static const char *const phases[] = {"downlink", "uplink"};
    csv_table *t = import_read_csv(s);
    CSV_REQUIRE(t, "step", "phase", "start_s", "end_s");
    const int step = csv_require(t, "step"), phase = csv_require(t, "phase");
    const int start = csv_require(t, "start_s"), end = csv_require(t, "end_s");
    const int bytes = csv_column(t, "bytes"), server = csv_column(t, "server");
    (void)options;
    found->timed = 1;
    for (size_t i = 0; i < t->rows; i++) {
        const char *word = csv_text(t, i, phase);
        import_op op = {0};
        if (strcmp(word, "forward") == 0 || strcmp(word, "backward") == 0 ||
            strcmp(word, "update") == 0)
            csv_fail(t, i, phase, "'%s' is not a transfer: use sgdperf profile for a log of all "
                                  "phases", word);
        op.kind = csv_choice(t, i, phase, phases, 2) == 0 ? IMPORT_DOWNLINK : IMPORT_UPLINK;
        op.start_s = csv_number(t, i, start, NUMBER_ANY);
        op.end_s = csv_number(t, i, end, NUMBER_ANY);
        if (op.end_s < op.start_s)
            csv_fail(t, i, end, "%s is before the start", csv_text(t, i, end));
        op.bytes = csv_number_or(t, i, bytes, NUMBER_NON_NEGATIVE, -1.0);
        op.server = (uint32_t)csv_integer_or(t, i, server, 0, 9999, 0);
        op.step = (uint32_t)step_of(found, csv_integer(t, i, step, 0, UINT64_MAX));
        import_add_op(found, &op, word, strlen(word));
        found->events++;
    }
    csv_free(t);
}

const import_format import_transfers = {"transfers", "a log of transfers", is_log,
                                        read_log};
