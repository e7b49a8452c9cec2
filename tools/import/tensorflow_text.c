/* tensorflow_text.c - StepStats and RunMetadata as text of Protocol Buffers, as str() gives it
 * and many programs save it: fields "name: value" and messages "name { ... }" */
#include "import/tensorflow.h"

#include <stdlib.h>
#include <string.h>

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

/* ---- Characters ------------------------------------------------------------ */

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

/* ---- Fields ---------------------------------------------------------------- */

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

/* ---- The file -------------------------------------------------------------- */

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
