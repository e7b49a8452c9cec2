/* pipedream.c - graph.txt of PipeDream's profiler: a network's layers and their times */
#include "import/import.h"

#include <string.h>

static int recognises(const char *head, size_t length)
{
    return length >= 4 && memcmp(head, "node", 4) == 0 &&
           import_has(head, length, " -- forward_compute_time=");
}

static void read_graph(stream *s, const import_options *options, import_found *found)
{
    (void)options;
    (void)found;
    tool_fail("%s: not yet read", s->name);
}

const import_format import_pipedream = {"pipedream", "a graph of PipeDream's profiler",
                                        recognises, read_graph};
