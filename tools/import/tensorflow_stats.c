/* tensorflow_stats.c - StepStats of TensorFlow, as protocol buffers and as text */
#include "import/protobuf.h"
#include "import/tensorflow_graph.h"

#include <stdlib.h>
#include <string.h>

/* ---- What is read of both ----------------------------------------------------- */

typedef enum tf_message {     /* and what its fields mean                           */
    OTHER = 0, METADATA, STATS, DEVICE, NODE, OUTPUT, TENSOR, ALLOCATION
} tf_message;

typedef enum tf_value {
    NOTHING = 0, DEVICE_NAME, NODE_NAME, NODE_LABEL, /* texts, and from here on numbers  */
    NODE_START, NODE_OP_END, NODE_END, NODE_THREAD, ALLOCATION_BYTES
} tf_value;

/* Of step_stats.proto and what it includes: a field's number, its name, and which message or
 * value it is. As text StepStats may stand without RunMetadata around it. */
typedef struct tf_field {
    tf_message  of;
    uint64_t    number;
    const char *name;
    tf_message  is;
    tf_value    value;
} tf_field;

static const tf_field schema[] = {
    {METADATA, 1, "step_stats", STATS, NOTHING},
    {METADATA, 0, "dev_stats", DEVICE, NOTHING},
    {STATS, 1, "dev_stats", DEVICE, NOTHING},
    {DEVICE, 1, "device", OTHER, DEVICE_NAME},
    {DEVICE, 2, "node_stats", NODE, NOTHING},
    {NODE, 1, "node_name", OTHER, NODE_NAME},
    {NODE, 2, "all_start_micros", OTHER, NODE_START},
    {NODE, 4, "op_end_rel_micros", OTHER, NODE_OP_END},
    {NODE, 5, "all_end_rel_micros", OTHER, NODE_END},
    {NODE, 7, "output", OUTPUT, NOTHING},
    {NODE, 8, "timeline_label", OTHER, NODE_LABEL},
    {NODE, 10, "thread_id", OTHER, NODE_THREAD},
    {OUTPUT, 3, "tensor_description", TENSOR, NOTHING},
    {TENSOR, 4, "allocation_description", ALLOCATION, NOTHING},
    {ALLOCATION, 1, "requested_bytes", OTHER, ALLOCATION_BYTES}
};

/* The field of a message of that number, or with a name of that name. */
static tf_field field_of(tf_message of, uint64_t number, const char *name)
{
    static const tf_field unknown = {OTHER, 0, "", OTHER, NOTHING};
    for (size_t i = 0; i < COUNT_OF(schema); i++)
        if (schema[i].of == of &&
            (name ? strcmp(schema[i].name, name) == 0 : schema[i].number == number))
            return schema[i];
    return unknown;
}

enum { TEXT = 1 << 16 };      /* bytes of a name or label with its zero; longer: cut */

typedef struct stats_reader {
    tf_profile *p;
    uint64_t    device;       /* that is read                                       */
    char        name[TEXT], label[TEXT]; /* of the node that is read                */
    double      end_us, op_end_us;
} stats_reader;

static tf_event *last_event(const stats_reader *r) { return &r->p->event[r->p->events - 1]; }

static void begin_message(stats_reader *r, tf_message of)
{
    if (of == DEVICE) r->device = tf_device(r->p, "", 0);
    if (of != NODE) return;
    tf_add_event(r->p)->device = r->device;
    r->name[0] = r->label[0] = '\0';
    r->end_us = r->op_end_us = 0.0;
}

static void end_message(stats_reader *r, tf_message of)
{
    const double end_us = r->end_us < r->op_end_us ? r->op_end_us : r->end_us;
    if (of != NODE) return;
    tf_event *e = last_event(r);
    if (end_us < 0.0)
        tool_fail("%s: '%.200s' ends %.0f us before it starts", r->p->name, r->name, -end_us);
    e->end_us = e->start_us + end_us;
    e->node = tf_name(r->p, r->name, strlen(r->name));
    if (strcmp(r->name, "RecvTensor") == 0) e->op = e->node;
    tf_label(r->p, r->label);
}

static void take_text(stats_reader *r, tf_value value, const char *text)
{
    if (value == DEVICE_NAME) r->device = tf_device(r->p, text, strlen(text));
    if (value == NODE_NAME) strcpy(r->name, text);
    if (value == NODE_LABEL) strcpy(r->label, text);
}

static void take_number(stats_reader *r, tf_value value, double number)
{
    if (value == NODE_START) last_event(r)->start_us = number;
    if (value == NODE_OP_END) r->op_end_us = number;
    if (value == NODE_END) r->end_us = number;
    if (value == ALLOCATION_BYTES && number >= 0.0) {
        tf_event *e = last_event(r);
        e->bytes = (e->bytes > 0.0 ? e->bytes : 0.0) + number;
    }
}

/* ---- Protocol buffers --------------------------------------------------------- */

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

/* What is left of a message that has been entered. */
static void read_message(protobuf_reader *r, stats_reader *to, tf_message of)
{
    static char text[TEXT];
    begin_message(to, of);
    while (protobuf_next(r)) {
        const tf_field f = field_of(of, r->field, NULL);
        if (f.is != OTHER) {
            if (protobuf_enter(r)) read_message(r, to, f.is);
        } else if (f.value >= NODE_START) {
            if (r->wire == PROTOBUF_VARINT) take_number(to, f.value, (double)protobuf_signed(r));
        } else if (f.value != NOTHING) {
            protobuf_text(r, text, sizeof text);
            take_text(to, f.value, text);
        }
    }
    end_message(to, of);
}

void tf_read_stats(stream *s, tf_profile *p)
{
    const int depth = depth_of(s->at, stream_peek(s, IMPORT_HEAD));
    static stats_reader to;
    protobuf_reader r;
    to.p = p;
    protobuf_read(&r, s);
    read_message(&r, &to, depth == 2 ? METADATA : STATS);
    protobuf_end(&r);
    if (p->events == 0) tool_fail("%s: the file has no operation that ran on a device", s->name);
}

/* ---- Text --------------------------------------------------------------------- */

/* StepStats and RunMetadata as text of Protocol Buffers, as str() gives it
 * and many programs save it: fields "name: value" and messages "name { ... }". */

enum { DEPTH = 64, WORD = 64 };

typedef struct text_reader {
    stream       *s;
    stats_reader  to;
    unsigned long line;
    char          key[WORD];
    tf_message    within[DEPTH];
    size_t        depth;
} text_reader;

TOOL_NORETURN static void wrong(const text_reader *r, const char *what)
{
    tool_fail("%s:%lu: %s", r->s->name, r->line, what);
}

/* ---- Text: characters --------------------------------------------------------- */

enum { NONE = -1 };

static const char *early_end(const text_reader *r)
{
    return r->s->cut ? r->s->cut : "the file ends within a message: it is cut off";
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
        if (n + 1 == WORD)
            wrong(r, "is not a timeline of TensorFlow: a name has more than 63 characters");
        word[n++] = c;
    }
    word[n] = '\0';
    if (n == 0) wrong(r, peek(r) == NONE ? early_end(r) : what);
}

/* Behind its quote, to the next one; what does not fit into `room` bytes is left out. */
static void read_quoted(text_reader *r, int quote, char *to, size_t room)
{
    size_t n = 0;
    for (;;) {
        if (peek(r) == '\n') wrong(r, "a quoted text does not end on its line");
        int c = take(r);
        if (c == quote) break;
        if (c == '\\') c = take(r);
        if (n + 1 < room) to[n++] = c < 0x20 || c == 0x7F ? '?' : (char)c;
    }
    to[n] = '\0';
}

/* ---- Text: fields ------------------------------------------------------------- */

static void number_field(text_reader *r, tf_value value, const char *word)
{
    char *end;
    const double number = strtod(word, &end);
    if (value < NODE_START) return;
    if (*end != '\0' || !(number >= -1e18 && number <= 1e18))
        tool_fail("%s:%lu: '%s': '%s' is not a number", r->s->name, r->line, r->key, word);
    take_number(&r->to, value, number);
}

static void open_message(text_reader *r, tf_message of)
{
    if (r->depth + 1 == DEPTH) wrong(r, "messages are nested too deeply");
    r->within[++r->depth] = of;
    begin_message(&r->to, of);
}

static void close_message(text_reader *r)
{
    if (r->depth == 0) wrong(r, "a closing bracket has no opening bracket");
    end_message(&r->to, r->within[r->depth--]);
}

static void read_field(text_reader *r)
{
    static char text[TEXT];
    char word[WORD];
    read_word(r, r->key, "the name of a field is missing");
    tf_field f = field_of(r->within[r->depth], 0, r->key);
    int c = skip_blanks(r);
    if (c == ':') { take(r); c = skip_blanks(r); }
    else if (c != '{' && c != '<') wrong(r, "a colon is missing after the name of a field");
    if (c == '{' || c == '<') {
        take(r);
        open_message(r, f.is);
    } else if (c == '"' || c == '\'') {
        take(r);
        read_quoted(r, c, text, sizeof text);
        take_text(&r->to, f.value, text);
    } else {
        read_word(r, word, "a value is missing");
        number_field(r, f.value, word);
    }
}

/* ---- Text: the file ----------------------------------------------------------- */

int tf_is_text(const char *head, size_t length)
{
    static const char *const words[] = {"step_stats", "dev_stats"};
    while (length > 0 && *head != '\0' && strchr(" \t\r\n", *head)) { head++; length--; }
    for (size_t i = 0; i < COUNT_OF(words); i++) {
        size_t n = strlen(words[i]);
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
    r.to.p = p;
    r.line = 1;
    r.within[0] = METADATA;
    while ((c = skip_blanks(&r)) != NONE) {
        if (c != '}' && c != '>') { read_field(&r); continue; }
        take(&r);
        close_message(&r);
    }
    if (r.depth > 0 || s->cut) wrong(&r, early_end(&r));
    if (p->events == 0) tool_fail("%s: the file has no operation that ran on a device", s->name);
}
