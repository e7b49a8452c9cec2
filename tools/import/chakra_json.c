/* chakra_json.c - Chakra execution traces as JSON: {"workload_graph":[{"Id":...},...]} */
#include "import/chakra.h"

#include <string.h>

int chakra_is_json(const char *head, size_t length)
{
    size_t i = 0;
    while (i < length && strchr(" \t\r\n", head[i]) && head[i] != '\0') i++;
    return i < length && head[i] == '{' && import_has(head, length, "\"workload_graph\"");
}

/* ---- Values ---------------------------------------------------------------- */

TOOL_NORETURN static void fail_node(const json_reader *r, const chakra_file *f,
                                    const char *what)
{
    tool_fail("%s:%lu: node number %lu: %s", f->name, (unsigned long)r->line,
              (unsigned long)f->nodes, what);
}

/* A whole number, also between quotes, as MessageToJson writes those of 64 bits. */
static uint64_t whole(json_reader *r, const chakra_file *f, json_token token)
{
    char text[32];
    uint64_t value = 0;
    if (token == JSON_WRONG) import_fail_json(r, "no JSON");
    if ((token != JSON_NUMBER && token != JSON_STRING) || r->length >= sizeof text)
        fail_node(r, f, "a whole number is missing");
    memcpy(text, r->text, r->length);
    text[r->length] = '\0';
    if (number_whole(text, 0, UINT64_MAX, &value))
        fail_node(r, f, "a number that is negative, or not whole");
    return value;
}

/* true and false are 1 and 0. */
static double number(json_reader *r, const chakra_file *f, json_token token)
{
    double value = 0.0;
    if (token == JSON_WRONG) import_fail_json(r, "no JSON");
    if (token == JSON_TRUE || token == JSON_FALSE) return token == JSON_TRUE ? 1.0 : 0.0;
    if (token == JSON_STRING) return (double)whole(r, f, token);
    if (token != JSON_NUMBER) fail_node(r, f, "a number is missing");
    if (!json_value(r, &value)) fail_node(r, f, "a number that is too large");
    return value;
}

/* A number, or one of the words that stand for them. */
static double coded(json_reader *r, const chakra_file *f, const char *const *words,
                    size_t count)
{
    const json_token token = json_next(r);
    size_t i;
    if (token == JSON_STRING)
        for (i = 0; i < count; i++)
            if (json_is(r, words[i])) return (double)i;
    return number(r, f, token);
}

static void ids(json_reader *r, chakra_file *f, void (*add)(chakra_file *f, uint64_t id))
{
    json_token token = json_next(r);
    if (token == JSON_NULL) return;
    if (token != JSON_ARRAY) {
        add(f, whole(r, f, token));
        return;
    }
    while ((token = json_next(r)) != JSON_CLOSE) add(f, whole(r, f, token));
}

/* Without the escapes of quotes and the like; those of control characters are blanks, others
 * stay as they stand. */
static void name(json_reader *r, chakra_file *f)
{
    static char text[CHAKRA_NAME];
    const json_token token = json_next(r);
    size_t n = 0, i;
    if (token == JSON_WRONG) import_fail_json(r, "no JSON");
    if (token != JSON_STRING) fail_node(r, f, "a name that is no text");
    for (i = 0; i < r->length && n + 1 < sizeof text; i++) {
        char c = r->text[i];
        if (c == '\\' && i + 1 < r->length && r->text[i + 1] != 'u') {
            c = r->text[++i];
            if (c != '"' && c != '\\' && c != '/') c = ' ';
        }
        text[n++] = c;
    }
    chakra_name(f, text, n);
}

static void resource(json_reader *r, chakra_file *f)
{
    const json_token token = json_next(r);
    char text[32] = "";
    if (token == JSON_STRING && r->length < sizeof text) {
        memcpy(text, r->text, r->length);
        text[r->length] = '\0';
    }
    if (token == JSON_WRONG) import_fail_json(r, "no JSON");
    chakra_attribute(f, CHAKRA_RESOURCE, 0.0, text);
}

/* ---- Nodes ----------------------------------------------------------------- */

static int is_any(const json_reader *r, const char *a, const char *b)
{
    return json_is(r, a) || json_is(r, b);
}

/* Attributes stand beside the fields. */
static void read_attribute(json_reader *r, chakra_file *f)
{
    static const char *const numbers[] = {
        "is_cpu_op", "num_ops", "tensor_size", "comm_size", CHAKRA_DURATION, CHAKRA_BYTES,
        CHAKRA_SERVER, CHAKRA_STEP
    };
    size_t i;
    if (json_is(r, "comm_type")) {
        chakra_attribute(f, "comm_type", coded(r, f, chakra_collective_words,
                                               CHAKRA_COLLECTIVES), NULL);
        return;
    }
    if (json_is(r, CHAKRA_RESOURCE)) { resource(r, f); return; }
    for (i = 0; i < COUNT_OF(numbers); i++)
        if (json_is(r, numbers[i])) {
            chakra_attribute(f, numbers[i], number(r, f, json_next(r)), NULL);
            return;
        }
    if (!json_skip(r, json_next(r))) import_fail_json(r, "no JSON");
}

static uint64_t type(json_reader *r, const chakra_file *f)
{
    const double value = coded(r, f, chakra_type_words, CHAKRA_TYPES);
    if (!(value >= 0.0 && value < CHAKRA_TYPES))
        fail_node(r, f, "a type of node that there is not");
    return (uint64_t)value;
}

static void read_node(json_reader *r, chakra_file *f)
{
    chakra_node *node = chakra_add_node(f);
    json_token token;
    chakra_name(f, "", 0);
    while ((token = json_next(r)) == JSON_KEY) {
        if (is_any(r, "Id", "id")) node->id = whole(r, f, json_next(r));
        else if (is_any(r, "Name", "name")) name(r, f);
        else if (is_any(r, "NodeType", "type"))
            node->type = type(r, f);
        else if (is_any(r, "data_deps", "dataDeps")) ids(r, f, chakra_add_data);
        else if (is_any(r, "ctrl_deps", "ctrlDeps")) ids(r, f, chakra_add_control);
        else if (is_any(r, "runtime", "duration_micros"))
            node->duration_us = whole(r, f, json_next(r));
        else if (json_is(r, "start_time_micros")) node->start_us = whole(r, f, json_next(r));
        else read_attribute(r, f);
    }
    if (token != JSON_CLOSE) import_fail_json(r, "no JSON");
}

static void read_graph(json_reader *r, chakra_file *f)
{
    json_token token = json_next(r);
    if (token != JSON_ARRAY) import_fail_json(r, "workload_graph is no list of nodes");
    while ((token = json_next(r)) == JSON_OBJECT) read_node(r, f);
    if (token != JSON_CLOSE) import_fail_json(r, "workload_graph is no list of nodes");
}

void chakra_read_json(stream *s, chakra_file *f)
{
    json_reader r;
    json_token token;
    json_read_stream(&r, s, 0);
    (void)json_next(&r);               /* the object that chakra_is_json has seen */
    while ((token = json_next(&r)) == JSON_KEY) {
        if (json_is(&r, "workload_graph")) read_graph(&r, f);
        else if (!json_skip(&r, json_next(&r))) import_fail_json(&r, "no JSON");
    }
    if (token != JSON_CLOSE || json_next(&r) != JSON_END) import_fail_json(&r, "no JSON");
    if (f->nodes == 0) tool_fail("%s: a trace of no nodes", s->name);
}
