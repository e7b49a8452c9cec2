/* transfers.c - a log of downlinks and uplinks alone: rows step,phase,start_s,end_s and
 * optionally bytes,server. What lies between them is what sgdperf import finds. */
#include "import/import.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The first line that is no comment is a header with the columns of such a log, and no row
 * is of a phase that is no transfer. */
static int recognises(const char *head, size_t length)
{
    const char *end = head + length, *line = head;
    size_t first;
    while (line < end && *line == '#') {
        const char *next = (const char *)memchr(line, '\n', (size_t)(end - line));
        line = next ? next + 1 : end;
    }
    first = (size_t)(end - line);
    if (memchr(line, '\n', first)) first = (size_t)((const char *)memchr(line, '\n', first) - line);
    return import_has(line, first, "step") && import_has(line, first, "phase") &&
           import_has(line, first, "start_s") && import_has(line, first, "end_s");
}

static csv_table *read_table(stream *s)
{
    static csv_table table;            /* what a run that failed has left is released */
    char *text = NULL, message[512];
    size_t length = 0, room = 0;
    while (stream_peek(s, 1) > 0) {
        const size_t n = (size_t)(s->end - s->at);
        while (length + n > room)
            text = (char *)import_grow(text, room, &room, 1);
        memcpy(text + length, s->at, n);
        length += n;
        s->at = s->end;
    }
    if (s->cut) tool_fail("%s: %s", s->name, s->cut);
    csv_free(&table);
    if (!csv_parse(&table, s->name, text, length, CSV_WATCH, message, sizeof message))
        tool_fail("%s", message);
    tool_free(text);
    return &table;
}

/* Index of the step of that number, which is added if it is new: the name of a node. */
static size_t step_of(import_found *f, uint64_t number)
{
    char digits[24];
    size_t step = 0;
    snprintf(digits, sizeof digits, "%" PRIu64, number);
    switch (names_add(&f->nodes, digits, strlen(digits), &step)) {
    case NAMES_FULL: tool_fail("%s: out of memory", f->file);
    case NAMES_NEW: return import_add_step(f, number, 0.0, 0.0);
    default: return step;
    }
}

static void read_log(stream *s, const import_options *options, import_found *found)
{
    static const char *const phases[] = {"downlink", "uplink"};
    csv_table *t = read_table(s);
    const int step = csv_require(t, "step"), phase = csv_require(t, "phase");
    const int start = csv_require(t, "start_s"), end = csv_require(t, "end_s");
    const int bytes = csv_column(t, "bytes"), server = csv_column(t, "server");
    size_t i;
    (void)options;
    found->timed = 1;
    for (i = 0; i < t->rows; i++) {
        const char *word = csv_text(t, i, phase);
        import_op op = {0};
        if (strcmp(word, "forward") == 0 || strcmp(word, "backward") == 0 ||
            strcmp(word, "update") == 0)
            csv_fail(t, i, phase, "'%s': more than transfers, for sgdperf profile", word);
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

const import_format import_transfers = {"transfers", "a log of transfers", recognises,
                                        read_log};
