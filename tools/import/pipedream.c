/* pipedream.c - graph.txt of PipeDream's profiler: a network's layers and their times
 *
 *     node10 -- Conv2d(384, ...) -- forward_compute_time=4.423, backward_compute_time=7.197,
 *         activation_size=44302336.000, parameter_size=3539968.000      (one line)
 *     <tab>node1 -- node2                                               (an edge)
 *
 * Times are milliseconds, sizes bytes. An activation may be a list, [6291456.0; 512.0]. */
#include "import/import.h"

#include <string.h>

static int recognises(const char *head, size_t length)
{
    return length >= 4 && memcmp(head, "node", 4) == 0 &&
           import_has(head, length, " -- forward_compute_time=");
}

/* ---- Lines ----------------------------------------------------------------- */

enum { LINE_MOST = 1 << 16 };

typedef struct graph {
    stream       *s;
    import_found *found;
    size_t        line;       /* from 1                                             */
    char          text[LINE_MOST];
    size_t        length;
    size_t        edges;
} graph;

TOOL_NORETURN static void wrong(const graph *g, const char *what)
{
    tool_fail("%s:%lu: %s", g->s->name, (unsigned long)g->line, what);
}

TOOL_NORETURN static void wrong_key(const graph *g, const char *key, const char *what)
{
    tool_fail("%s:%lu: '%s' %s", g->s->name, (unsigned long)g->line, key, what);
}

/* The next line, without its end; 0: there is none. */
static int next_line(graph *g)
{
    stream *s = g->s;
    const char *end = NULL;
    while (!(end = (const char *)memchr(s->at, '\n', (size_t)(s->end - s->at)))) {
        if ((size_t)(s->end - s->at) >= LINE_MOST) break;
        if (stream_more(s, s->at) == 0) break;
    }
    if (s->at == s->end) return 0;
    g->line++;
    g->length = (size_t)((end ? end : s->end) - s->at);
    if (g->length >= LINE_MOST) wrong(g, "the line has more than 65,535 bytes");
    memcpy(g->text, s->at, g->length);
    s->at = end ? end + 1 : s->end;
    while (g->length > 0 && (g->text[g->length - 1] == '\r' || g->text[g->length - 1] == ' '))
        g->length--;
    g->text[g->length] = '\0';
    if (strlen(g->text) < g->length) wrong(g, "the line has a byte 0x00");
    return 1;
}

/* ---- Nodes ----------------------------------------------------------------- */

/* A number up to a comma, the end, or what else ends it; moves *at behind it. */
static double number(const graph *g, const char *key, char **at)
{
    const size_t length = strcspn(*at, ",;] ");
    const char *why;
    char text[64];
    double value = 0.0;
    if (length < sizeof text) {
        memcpy(text, *at, length);
        text[length] = '\0';
        why = number_parse(text, NUMBER_NON_NEGATIVE, &value);
    } else {
        why = "is not a number";
    }
    if (why)
        tool_fail("%s:%lu: '%s': '%.*s' %s", g->s->name, (unsigned long)g->line, key,
                  (int)(length < 40 ? length : 40), *at, why);
    *at += length;
    return value;
}

/* key=VALUE, or key=[VALUE; VALUE], whose sum it is. */
static double value_of(const graph *g, char *numbers, const char *key)
{
    char *at = strstr(numbers, key);
    double sum;
    if (!at) tool_fail("%s:%lu: no '%s'", g->s->name, (unsigned long)g->line, key);
    at += strlen(key);
    if (*at++ != '=') wrong_key(g, key, "without a value");
    if (*at != '[') return number(g, key, &at);
    for (sum = 0.0, at++; ; at++) {
        at += strspn(at, " ");
        sum += number(g, key, &at);
        if (*at != ';') break;
    }
    if (*at != ']') wrong_key(g, key, "is a list that does not end");
    return sum;
}

/* "node1" has been told from others; the layer's name is "node1 Conv2d". */
static void read_node(graph *g, char *numbers)
{
    static const char bar[] = " -- ";
    char name[256];
    char *what = strstr(g->text, bar);
    import_layer l = {0};
    size_t n = 0, length = (size_t)(what - g->text), number;
    if (names_add(&g->found->nodes, g->text, length, &number) != NAMES_NEW)
        wrong(g, "a node occurs twice");
    if (length > 64) wrong(g, "a node has a name of more than 64 bytes");
    memcpy(name, g->text, length);
    name[length++] = ' ';
    what += strlen(bar);
    n = what < numbers ? strcspn(what, "( ") : 0;
    if (n > sizeof name - length) n = sizeof name - length;
    memcpy(name + length, what, n);
    l.forward_s = value_of(g, numbers, "forward_compute_time") / 1e3;
    l.backward_s = value_of(g, numbers, "backward_compute_time") / 1e3;
    l.output_bytes = value_of(g, numbers, "activation_size");
    l.bytes = value_of(g, numbers, "parameter_size");
    import_add_layer(g->found, &l, name, length + n);
}

static void read_edge(graph *g)
{
    char *from = g->text + strspn(g->text, "\t "), *bar = strstr(from, " -- ");
    if (!bar) wrong(g, "the line is neither a node nor an edge");
    *bar = '\0';
    bar += 4;
    for (size_t i = 0; i < 2; i++) {
        const char *node = i == 0 ? from : bar;
        size_t number = names_find(&g->found->nodes, node);
        if (number == g->found->nodes.count)
            tool_fail("%s:%lu: '%.40s' is not a node", g->s->name, (unsigned long)g->line, node);
    }
    g->edges++;
}

static void read_graph(stream *s, const import_options *options, import_found *found)
{
    graph *g = tool_alloc(1, sizeof *g);
    (void)options;
    g->s = s;
    g->found = found;
    while (next_line(g)) {
        char *numbers = strstr(g->text, " -- forward_compute_time");
        if (g->length == 0) continue;
        found->events++;
        if (memcmp(g->text, "node", 4) == 0 && numbers)
            read_node(g, numbers);
        else if (g->text[0] == '\t' || g->text[0] == ' ') read_edge(g);
        else wrong(g, "the line is neither a node nor an edge");
    }
    if (s->cut) wrong(g, "the file is cut off here");
    if (found->layers > 0 && g->edges == 0 && found->layers > 1)
        tool_note("file-cut", "%s: the graph has no edges: the file may be cut off", s->name);
}

const import_format import_pipedream = {"pipedream", "a graph of PipeDream's profiler",
                                        recognises, read_graph};
