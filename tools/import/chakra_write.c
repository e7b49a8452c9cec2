/* chakra_write.c - a trace to replay, as a Chakra execution trace of one worker */
#include "base/digits.h"
#include "import/chakra.h"

#include "files/trace.h"
#include "import/protobuf.h"

#include <stdio.h>
#include <string.h>

/* What of an op the schema has no place for. */
typedef struct chakra_extra { int duration, bytes, resource, server, step; } chakra_extra;

struct chakra_out {
    FILE     *to;
    int       json, rings;
    uint64_t  first;          /* number of the step's first node                    */
    size_t    step, nodes;
    protobuf_writer node, attribute, length;
};

typedef struct chakra_out chakra_out;

static int is_sent(const sgdsim_op *op)
{
    return op->resource == SGDSIM_UPLINK || op->resource == SGDSIM_DOWNLINK;
}

/* A whole number of so many units; 0 where it is too large for any. */
static uint64_t rounded(double amount) { return amount < 9e18 ? (uint64_t)(amount + 0.5) : 0; }

static int differs(double a, double b) { return a < b || b < a; }

/* With rings there are no downloads. */
static chakra_type type_of(const chakra_out *out, const sgdsim_op *op)
{
    if (!is_sent(op)) return CHAKRA_COMPUTE;
    if (out->rings) return CHAKRA_COLLECTIVE;
    return op->resource == SGDSIM_UPLINK ? CHAKRA_SEND : CHAKRA_RECEIVE;
}

static chakra_extra extra_of(const chakra_out *out, const sgdsim_op *op, chakra_type type)
{
    chakra_extra x;
    const int sent = is_sent(op);
    x.duration = !sent && differs((double)rounded(op->duration_s * 1e6) * 1e-6, op->duration_s);
    x.bytes = sent && differs((double)rounded(op->bytes), op->bytes);
    x.resource = type == CHAKRA_COMPUTE && op->resource != SGDSIM_WORKER;
    x.server = op->server > 0;
    x.step = out->step > 0;
    return x;
}

/* ---- Protocol Buffers ------------------------------------------------------ */

enum { KIND_DOUBLE = 3, KIND_INT32 = 7, KIND_INT64 = 9, KIND_BOOL = 27, KIND_TEXT = 29 };

static void begin_attribute(chakra_out *out, const char *name)
{
    out->attribute.length = 0;
    protobuf_put_text(&out->attribute, 1, name);
}

static void end_attribute(chakra_out *out)
{
    protobuf_put_message(&out->node, 10, &out->attribute);
}

static void whole_attribute(chakra_out *out, const char *name, unsigned kind, uint64_t value)
{
    begin_attribute(out, name);
    protobuf_put_integer(&out->attribute, kind, value);
    end_attribute(out);
}

static void double_attribute(chakra_out *out, const char *name, double value)
{
    begin_attribute(out, name);
    protobuf_put_double(&out->attribute, KIND_DOUBLE, value);
    end_attribute(out);
}

static void write_frame(chakra_out *out)
{
    out->length.length = 0;
    protobuf_put_varint(&out->length, out->node.length);
    fwrite(out->length.bytes, 1, out->length.length, out->to);
    fwrite(out->node.bytes, 1, out->node.length, out->to);
}

/* Rank 0 is the worker, 1 + m server m. */
static void put_attributes(chakra_out *out, const sgdsim_op *op, chakra_type type)
{
    const chakra_extra x = extra_of(out, op, type);
    whole_attribute(out, "is_cpu_op", KIND_BOOL, op->resource == SGDSIM_SERVER);
    if (type == CHAKRA_COLLECTIVE) whole_attribute(out, "comm_type", KIND_INT64, 0);
    if (type >= CHAKRA_SEND) whole_attribute(out, "comm_size", KIND_INT64, rounded(op->bytes));
    if (type == CHAKRA_SEND || type == CHAKRA_RECEIVE) {
        whole_attribute(out, type == CHAKRA_SEND ? "comm_src" : "comm_dst", KIND_INT32, 0);
        whole_attribute(out, type == CHAKRA_SEND ? "comm_dst" : "comm_src", KIND_INT32,
                        (uint64_t)op->server + 1);
        whole_attribute(out, "comm_tag", KIND_INT32, 0);
    }
    if (x.resource) {
        begin_attribute(out, CHAKRA_RESOURCE);
        protobuf_put_text(&out->attribute, KIND_TEXT, trace_resource_text(op->resource));
        end_attribute(out);
    }
    if (x.duration) double_attribute(out, CHAKRA_DURATION, op->duration_s);
    if (x.bytes) double_attribute(out, CHAKRA_BYTES, op->bytes);
    if (x.server) whole_attribute(out, CHAKRA_SERVER, KIND_INT64, op->server);
    if (x.step) whole_attribute(out, CHAKRA_STEP, KIND_INT64, out->step);
}

static void write_node(chakra_out *out, const sgdsim_op *op, const char *name, size_t i)
{
    uint64_t *waits = (uint64_t *)tool_alloc(op->waits, sizeof *waits);
    const chakra_type type = type_of(out, op);
    size_t k;
    for (k = 0; k < op->waits; k++) waits[k] = out->first + op->waits_for[k];
    out->node.length = 0;
    protobuf_put_integer(&out->node, 1, out->first + i);
    protobuf_put_text(&out->node, 2, name);
    protobuf_put_integer(&out->node, 3, (uint64_t)type);
    if (op->waits > 0) protobuf_put_packed(&out->node, 5, waits, op->waits);
    if (!is_sent(op)) protobuf_put_integer(&out->node, 7, rounded(op->duration_s * 1e6));
    put_attributes(out, op, type);
    write_frame(out);
}

/* ---- JSON ------------------------------------------------------------------ */

static void json_text(FILE *to, const char *text)
{
    putc('"', to);
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\') putc('\\', to);
        putc((unsigned char)*text < 0x20 ? ' ' : *text, to);
    }
    putc('"', to);
}

static void json_real(FILE *to, const char *key, double value)
{
    char text[NUMBER_BYTES];
    fprintf(to, ",\"%s\":%s", key, number_write(value, text));
}

static void json_node(chakra_out *out, const sgdsim_op *op, const char *name, size_t i)
{
    const chakra_type type = type_of(out, op);
    const chakra_extra x = extra_of(out, op, type);
    FILE *to = out->to;
    size_t k;
    fprintf(to, "%s\n{\"Id\":%.0f,\"Name\":", out->nodes > 0 ? "," : "",
            (double)(out->first + i));
    json_text(to, name);
    fprintf(to, ",\"NodeType\":%d,\"data_deps\":[", (int)type);
    for (k = 0; k < op->waits; k++)
        fprintf(to, "%s%.0f", k > 0 ? "," : "", (double)(out->first + op->waits_for[k]));
    fprintf(to, "],\"runtime\":%.0f,\"is_cpu_op\":%s",
            is_sent(op) ? 0.0 : (double)rounded(op->duration_s * 1e6),
            op->resource == SGDSIM_SERVER ? "true" : "false");
    if (type == CHAKRA_COLLECTIVE) fputs(",\"comm_type\":0", to);
    if (type >= CHAKRA_SEND) fprintf(to, ",\"comm_size\":%.0f", (double)rounded(op->bytes));
    if (type == CHAKRA_SEND || type == CHAKRA_RECEIVE)
        fprintf(to, ",\"%s\":0,\"%s\":%lu,\"comm_tag\":0",
                type == CHAKRA_SEND ? "comm_src" : "comm_dst",
                type == CHAKRA_SEND ? "comm_dst" : "comm_src", (unsigned long)op->server + 1);
    if (x.resource)
        fprintf(to, ",\"" CHAKRA_RESOURCE "\":\"%s\"", trace_resource_text(op->resource));
    if (x.duration) json_real(to, CHAKRA_DURATION, op->duration_s);
    if (x.bytes) json_real(to, CHAKRA_BYTES, op->bytes);
    if (x.server) fprintf(to, ",\"" CHAKRA_SERVER "\":%lu", (unsigned long)op->server);
    if (x.step) fprintf(to, ",\"" CHAKRA_STEP "\":%lu", (unsigned long)out->step);
    putc('}', to);
}

/* ---- Files ----------------------------------------------------------------- */

void chakra_begin(chakra_writer *w, FILE *to, int json, int rings)
{
    chakra_out *out = (chakra_out *)tool_alloc(1, sizeof *out);
    out->to = to;
    out->json = json;
    out->rings = rings;
    *w = out;
    if (json) {
        fputs("{\"workload_name\":\"sgdperf\",\"workload_graph\":[", to);
        return;
    }
    protobuf_put_text(&out->node, 1, "0.0.4");
    write_frame(out);
}

void chakra_step(chakra_writer w, const sgdsim_op *op, const char *const *name, size_t ops)
{
    size_t i;
    for (i = 0; i < ops; i++) {
        if (w->json) json_node(w, &op[i], name[i], i);
        else write_node(w, &op[i], name[i], i);
        w->nodes++;
    }
    w->first += ops;
    w->step++;
}

void chakra_end(chakra_writer w)
{
    if (w->json) fputs("\n]}\n", w->to);
}
