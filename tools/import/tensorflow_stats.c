/* tensorflow_stats.c - StepStats of TensorFlow, as protocol buffers and as text */
#include "import/protobuf.h"
#include "import/tensorflow_graph.h"

#include <stdlib.h>
#include <string.h>

/* ---- Protocol buffers --------------------------------------------------------- */

/* Numbers of fields, of step_stats.proto and what it includes. */
enum {
    METADATA_STEP_STATS = 1, STATS_DEVICE = 1,
    DEVICE_NAME = 1, DEVICE_NODE = 2,
    NODE_NAME = 1, NODE_START = 2, NODE_OP_END = 4, NODE_END = 5, NODE_MEMORY = 6,
    NODE_OUTPUT = 7, NODE_LABEL = 8, NODE_SCHEDULED = 9, NODE_THREAD = 10,
    OUTPUT_TENSOR = 3, TENSOR_ALLOCATION = 4, ALLOCATION_REQUESTED = 1
};

/* ---- Protocol buffers: nodes -------------------------------------------------- */

/* The bytes of an output: a message in a message in a message. */
static void read_output(protobuf_reader *r, tf_event *e)
{
    if (!protobuf_enter(r)) return;
    while (protobuf_next(r)) {
        if (r->field != OUTPUT_TENSOR || !protobuf_enter(r)) continue;
        while (protobuf_next(r)) {
            if (r->field != TENSOR_ALLOCATION || !protobuf_enter(r)) continue;
            while (protobuf_next(r))
                if (r->field == ALLOCATION_REQUESTED && r->wire == PROTOBUF_VARINT &&
                    protobuf_signed(r) >= 0)
                    e->bytes = (e->bytes > 0.0 ? e->bytes : 0.0) + (double)protobuf_signed(r);
        }
    }
}

static void tf_begin_node(tf_profile *p, tf_node *node, uint64_t device)
{
    tf_add_event(p)->device = device;
    node->name[0] = node->label[0] = '\0';
    node->end_us = node->op_end_us = 0.0;
}

static void tf_end_node(tf_profile *p, const tf_node *node)
{
    tf_event *e = &p->event[p->events - 1];
    const double end_us = node->end_us < node->op_end_us ? node->op_end_us : node->end_us;
    if (end_us < 0.0)
        tool_fail("%s: '%.200s' ends %.0f us before it starts", p->name, node->name, -end_us);
    e->end_us = e->start_us + end_us;
    e->node = tf_name(p, node->name, strlen(node->name));
    if (strcmp(node->name, "RecvTensor") == 0) e->op = e->node;
    tf_label(p, node->label);
}

static void read_node(protobuf_reader *r, tf_profile *p, uint64_t device)
{
    static tf_node node;
    tf_event *e;
    if (!protobuf_enter(r)) return;
    tf_begin_node(p, &node, device);
    e = &p->event[p->events - 1];
    while (protobuf_next(r)) {
        const int number = r->wire == PROTOBUF_VARINT;
        if (r->field == NODE_NAME) protobuf_text(r, node.name, sizeof node.name);
        else if (r->field == NODE_LABEL) protobuf_text(r, node.label, sizeof node.label);
        else if (r->field == NODE_OUTPUT) read_output(r, e);
        else if (r->field == NODE_START && number) e->start_us = (double)protobuf_signed(r);
        else if (r->field == NODE_OP_END && number) node.op_end_us = (double)protobuf_signed(r);
        else if (r->field == NODE_END && number) node.end_us = (double)protobuf_signed(r);
        else if (r->field == NODE_THREAD && number) e->lane = r->value;
    }
    tf_end_node(p, &node);
}

static void read_device(protobuf_reader *r, tf_profile *p)
{
    static char name[1024];
    uint64_t device = tf_device(p, "", 0);
    if (!protobuf_enter(r)) return;
    while (protobuf_next(r)) {
        if (r->field == DEVICE_NAME) {
            protobuf_text(r, name, sizeof name);
            device = tf_device(p, name, strlen(name));
        } else if (r->field == DEVICE_NODE) read_node(r, p, device);
    }
}

/* ---- Protocol buffers: the file ----------------------------------------------- */

/* Does a device's message begin here, and what is around it? 2: RunMetadata, 1: StepStats,
 * 0: neither. The first field of each but the innermost is a message. */
static int depth_of(const char *head, size_t length)
{
    protobuf_reader r;
    char text[8];
    stream s;
    int depth;
    stream_of(&s, "", head, length);
    protobuf_read(&r, &s);
    for (depth = 0; depth < 3; depth++) {
        if (!protobuf_next(&r) || r.field != 1 || r.wire != PROTOBUF_LENGTH) return 0;
        if (length > r.at && s.at[0] == '/') break;
        (void)protobuf_enter(&r);
    }
    if (depth == 0 || depth == 3) return 0;
    protobuf_text(&r, text, sizeof text);
    return strncmp(text, "/job:", 5) == 0 || strncmp(text, "/gpu:", 5) == 0 ||
           strncmp(text, "/cpu:", 5) == 0 || strncmp(text, "/devic", 6) == 0 ? depth : 0;
}

int tf_is_stats(const char *head, size_t length) { return depth_of(head, length) > 0; }

void tf_read_stats(stream *s, tf_profile *p)
{
    const int depth = depth_of(s->at, stream_peek(s, IMPORT_HEAD));
    protobuf_reader r;
    protobuf_read(&r, s);
    while (protobuf_next(&r)) {
        if (depth == 2) {
            if (r.field == METADATA_STEP_STATS && protobuf_enter(&r))
                while (protobuf_next(&r))
                    if (r.field == STATS_DEVICE) read_device(&r, p);
        } else if (r.field == STATS_DEVICE) read_device(&r, p);
    }
    if (r.wrong)
        tool_fail("%s: byte %.0f: %s%s%s", s->name, (double)r.at, r.wrong, s->cut ? "; " : "",
                  s->cut ? s->cut : "");
    if (s->cut) tool_fail("%s: %s", s->name, s->cut);
    if (p->events == 0) tool_fail("%s: no device has run anything", s->name);
}

/* ---- Text --------------------------------------------------------------------- */

/* StepStats and RunMetadata as text of Protocol Buffers, as str() gives it
 * and many programs save it: fields "name: value" and messages "name { ... }". */

enum { DEPTH = 64, WORD = 64 };

typedef enum text_role {      /* of a message: what its fields mean                  */
    OTHER = 0, FILE_ITSELF, STATS, DEVICE, NODE, OUTPUT, TENSOR, ALLOCATION
} text_role;

typedef struct text_reader {
    stream       *s;
    tf_profile   *p;
    unsigned long line;
    char          key[WORD];
    tf_node       node;
    uint64_t      device;
    text_role     role[DEPTH];
    size_t        depth;
} text_reader;

static void wrong(const text_reader *r, const char *what)
{
    tool_fail("%s:%lu: %s", r->p->name, r->line, what);
}

/* ---- Text: characters --------------------------------------------------------- */

enum { NONE = -1 };

static const char *early_end(const text_reader *r)
{
    return r->s->cut ? r->s->cut : "the file ends within a message";
}

static int peek(text_reader *r)
{
    if (r->s->at == r->s->end && stream_more(r->s, r->s->at) == 0) return NONE;
    return (unsigned char)*r->s->at;
}

static int take(text_reader *r)
{
    const int c = peek(r);
    if (c == NONE) wrong(r, early_end(r));
    r->s->at++;
    r->line += c == '\n';
    return c;
}

/* Blanks, separators, comments. */
static int skip_blanks(text_reader *r)
{
    int c;
    while ((c = peek(r)) != NONE && strchr(" \t\r\n,;#", c) && c != 0) {
        if (c == '#') while ((c = peek(r)) != NONE && c != '\n') r->s->at++;
        else take(r);
    }
    return c;
}

static int is_word(int c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c == '_' || c == '.' || c == '-' || c == '+' || c == '[' || c == ']' || c == '/';
}

static void read_word(text_reader *r, char *word, const char *what)
{
    size_t n = 0;
    while (is_word(peek(r))) {
        const char c = (char)take(r);
        if (n + 1 == WORD) wrong(r, "a word that is too long");
        word[n++] = c;
    }
    word[n] = '\0';
    if (n == 0) wrong(r, peek(r) == NONE ? early_end(r) : what);
}

/* Behind its quote, to the next one; what does not fit into `room` bytes is left out. */
static void read_quoted(text_reader *r, int quote, char *to, size_t room)
{
    size_t n = 0;
    int c;
    for (;;) {
        if (peek(r) == '\n') wrong(r, "a text that goes on behind the end of its line");
        c = take(r);
        if (c == quote) break;
        if (c == '\\') c = take(r);
        if (n + 1 < room) to[n++] = c < 0x20 || c == 0x7F ? '?' : (char)c;
    }
    to[n] = '\0';
}

/* ---- Text: fields ------------------------------------------------------------- */

static text_role role_of(text_role outside, const char *key)
{
    static const struct { text_role outside; const char *key; text_role is; } roles[] = {
        {FILE_ITSELF, "step_stats", STATS}, {FILE_ITSELF, "dev_stats", DEVICE},
        {STATS, "dev_stats", DEVICE}, {DEVICE, "node_stats", NODE}, {NODE, "output", OUTPUT},
        {OUTPUT, "tensor_description", TENSOR}, {TENSOR, "allocation_description", ALLOCATION}
    };
    size_t i;
    for (i = 0; i < COUNT_OF(roles); i++)
        if (roles[i].outside == outside && strcmp(roles[i].key, key) == 0) return roles[i].is;
    return OTHER;
}

static void text_field(text_reader *r, const char *value)
{
    const text_role role = r->role[r->depth];
    if (role == DEVICE && strcmp(r->key, "device") == 0)
        r->device = tf_device(r->p, value, strlen(value));
    else if (role == NODE && strcmp(r->key, "node_name") == 0) strcpy(r->node.name, value);
    else if (role == NODE && strcmp(r->key, "timeline_label") == 0) strcpy(r->node.label, value);
}

/* Where the number of that name goes; NULL: nowhere. */
static double *place_of(text_reader *r, double *bytes, double *lane)
{
    tf_event *e = r->p->events > 0 ? &r->p->event[r->p->events - 1] : NULL;
    const text_role role = r->role[r->depth];
    if (role == ALLOCATION && strcmp(r->key, "requested_bytes") == 0) return bytes;
    if (role != NODE) return NULL;
    if (strcmp(r->key, "all_start_micros") == 0) return &e->start_us;
    if (strcmp(r->key, "op_end_rel_micros") == 0) return &r->node.op_end_us;
    if (strcmp(r->key, "all_end_rel_micros") == 0) return &r->node.end_us;
    return strcmp(r->key, "thread_id") == 0 ? lane : NULL;
}

static void number_field(text_reader *r, const char *word)
{
    double value, bytes = -1.0, lane = -1.0, *to = place_of(r, &bytes, &lane);
    char *end;
    if (!to) return;
    value = strtod(word, &end);
    if (*end != '\0' || !(value >= -1e18 && value <= 1e18))
        tool_fail("%s:%lu: '%s': '%s' is no number", r->p->name, r->line, r->key, word);
    *to = value;
    if (bytes >= 0.0) {
        tf_event *e = &r->p->event[r->p->events - 1];
        e->bytes = (e->bytes > 0.0 ? e->bytes : 0.0) + bytes;
    }
    if (lane >= 0.0) r->p->event[r->p->events - 1].lane = (uint64_t)lane;
}

static void open_message(text_reader *r)
{
    const text_role role = role_of(r->role[r->depth], r->key);
    if (r->depth + 1 == DEPTH) wrong(r, "nested too deeply");
    r->role[++r->depth] = role;
    if (role == DEVICE) r->device = tf_device(r->p, "", 0);
    if (role == NODE) tf_begin_node(r->p, &r->node, r->device);
}

static void close_message(text_reader *r)
{
    if (r->depth == 0) wrong(r, "a bracket closes what was not opened");
    if (r->role[r->depth--] == NODE) tf_end_node(r->p, &r->node);
}

static void read_field(text_reader *r)
{
    static char value[TF_TEXT];
    char word[WORD];
    int c;
    read_word(r, r->key, "no name of a field");
    c = skip_blanks(r);
    if (c == ':') { take(r); c = skip_blanks(r); }
    else if (c != '{' && c != '<') wrong(r, "a colon is missing behind a field's name");
    if (c == '{' || c == '<') {
        take(r);
        open_message(r);
    } else if (c == '"' || c == '\'') {
        take(r);
        read_quoted(r, c, value, sizeof value);
        text_field(r, value);
    } else {
        read_word(r, word, "no value");
        number_field(r, word);
    }
}

/* ---- Text: the file ----------------------------------------------------------- */

int tf_is_text(const char *head, size_t length)
{
    static const char *const words[] = {"step_stats", "dev_stats"};
    size_t i, n;
    while (length > 0 && *head != '\0' && strchr(" \t\r\n", *head)) { head++; length--; }
    for (i = 0; i < COUNT_OF(words); i++) {
        n = strlen(words[i]);
        if (length <= n || memcmp(head, words[i], n) != 0) continue;
        while (n < length && head[n] == ' ') n++;
        if (n < length && (head[n] == '{' || head[n] == ':')) return 1;
    }
    return 0;
}

void tf_read_text(stream *s, tf_profile *p)
{
    static text_reader r;
    int c;
    memset(&r, 0, sizeof r);
    r.s = s;
    r.p = p;
    r.line = 1;
    r.role[0] = FILE_ITSELF;
    while ((c = skip_blanks(&r)) != NONE) {
        if (c != '}' && c != '>') { read_field(&r); continue; }
        take(&r);
        close_message(&r);
    }
    if (r.depth > 0 || s->cut) wrong(&r, early_end(&r));
    if (p->events == 0) tool_fail("%s: no device has run anything", s->name);
}
