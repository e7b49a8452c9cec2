/* transfers.c - a log of downlinks and uplinks alone, as sgdperf profile reads it */
#include "import/import.h"

#include <string.h>

/* A header with the columns of such a log. */
static int recognises(const char *head, size_t length)
{
    const char *line = (const char *)memchr(head, '\n', length);
    const size_t first = line ? (size_t)(line - head) : length;
    return import_has(head, first, "step") && import_has(head, first, "phase") &&
           import_has(head, first, "start_s") && import_has(head, first, "end_s");
}

static void read_log(stream *s, const import_options *options, import_found *found)
{
    (void)options;
    (void)found;
    tool_fail("%s: not yet read", s->name);
}

const import_format import_transfers = {"transfers", "a log of transfers", recognises,
                                        read_log};
