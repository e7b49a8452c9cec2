/* kineto.c - traces of PyTorch: Chrome trace events, as Kineto writes them */
#include "import/import.h"

static int recognises(const char *head, size_t length)
{
    return (import_has(head, length, "\"schemaVersion\"") ||
            import_has(head, length, "\"distributedInfo\"") ||
            import_has(head, length, "\"traceEvents\"")) &&
           (import_has(head, length, "\"cpu_op\"") ||
            import_has(head, length, "\"deviceProperties\"") ||
            import_has(head, length, "\"schemaVersion\""));
}

static void read_trace(stream *s, const import_options *options, import_found *found)
{
    (void)options;
    (void)found;
    tool_fail("%s: not yet read", s->name);
}

const import_format import_kineto = {"kineto", "a trace of PyTorch (Kineto)", recognises,
                                     read_trace};
