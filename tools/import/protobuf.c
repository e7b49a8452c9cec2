/* protobuf.c - the wire format of Protocol Buffers: fields of a stream */
#include "import/protobuf.h"

#include "base/tool.h"
#include "base/words.h"

#include <string.h>

enum { NO_BYTE = -1 };

static int fail(protobuf_reader *r, const char *wrong)
{
    r->wrong = wrong;                  /* nobody goes on behind it */
    return 0;
}

/* ---- Bytes ----------------------------------------------------------------- */

void protobuf_read(protobuf_reader *r, stream *s)
{
    memset(r, 0, sizeof *r);
    r->source = s;
    r->end[0] = UINT64_MAX;
}

static int more(const protobuf_reader *r)
{
    stream *s = r->source;
    return s->at < s->end || stream_more(s, s->at) > 0;
}

/* The next byte before `end`; NO_BYTE: the message or the stream ends. */
static int byte(protobuf_reader *r, uint64_t end)
{
    if (r->at >= end || !more(r)) return NO_BYTE;
    r->at++;
    return (unsigned char)*r->source->at++;
}

/* Steps over what is left of the last field. */
static int skip_rest(protobuf_reader *r)
{
    while (r->at < r->rest) {
        const uint64_t left = r->rest - r->at;
        if (!more(r)) return fail(r, "the file ends within a field");
        size_t step = (size_t)(r->source->end - r->source->at);
        if (step > left) step = (size_t)left;
        r->source->at += step;
        r->at += step;
    }
    return 1;
}

/* ---- Numbers --------------------------------------------------------------- */

static int fail_number(protobuf_reader *r, uint64_t end)
{
    return fail(r, r->at >= end ? "a number reaches beyond the end of its message"
                                : "the file ends within a number");
}

/* 7 bits a byte, the lowest first; the tenth byte has the 64th bit alone. */
static int varint(protobuf_reader *r, uint64_t end, uint64_t *value)
{
    uint64_t v = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
        const int c = byte(r, end);
        if (c == NO_BYTE) return fail_number(r, end);
        if (shift == 63 && (c & 0x7E) != 0) break;
        v |= (uint64_t)(c & 0x7F) << shift;
        if (c < 0x80) { *value = v; return 1; }
    }
    return fail(r, "a number has more than 64 bits");
}

static int fixed(protobuf_reader *r, uint64_t end, unsigned bytes)
{
    r->value = 0;
    for (unsigned i = 0; i < bytes; i++) {
        const int c = byte(r, end);
        if (c == NO_BYTE) return fail_number(r, end);
        r->value |= (uint64_t)c << (8 * i);
    }
    return 1;
}

double protobuf_double(const protobuf_reader *r)
{
    double value;
    memcpy(&value, &r->value, sizeof value);
    return value;
}

double protobuf_float(const protobuf_reader *r)
{
    const uint32_t bits = (uint32_t)r->value;
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

/* Of two's complement. */
int64_t protobuf_signed(const protobuf_reader *r)
{
    const uint64_t v = r->value;
    return v <= INT64_MAX ? (int64_t)v : -(int64_t)(UINT64_MAX - v) - 1;
}

int64_t protobuf_zigzag(const protobuf_reader *r)
{
    const int64_t half = (int64_t)(r->value >> 1);
    return (r->value & 1) != 0 ? -half - 1 : half;
}

/* ---- Fields ---------------------------------------------------------------- */

/* A length, from here on; it must end by `end`. */
static int length(protobuf_reader *r, uint64_t end)
{
    if (!varint(r, end, &r->value)) return 0;
    if (r->value > end - r->at) return fail(r, "a length reaches beyond the end of its message");
    r->rest = r->at + r->value;
    return 1;
}

int protobuf_next(protobuf_reader *r)
{
    const uint64_t end = r->end[r->depth];
    uint64_t key = 0;
    if (r->wrong || !skip_rest(r)) return 0;
    r->field = 0;
    if (r->at == end || (r->depth == 0 && !more(r))) {
        if (r->depth > 0) r->depth--;
        return 0;
    }
    if (!varint(r, end, &key)) return 0;
    if (key >> 3 == 0 || key >> 3 > UINT32_C(0x1FFFFFFF)) return fail(r, "the number of a field is "
                                                                         "missing");
    r->field = key >> 3;
    r->wire = (protobuf_wire)(key & 7);
    switch (key & 7) {
    case PROTOBUF_VARINT:  if (!varint(r, end, &r->value)) return 0; break;
    case PROTOBUF_FIXED64: if (!fixed(r, end, 8)) return 0; break;
    case PROTOBUF_FIXED32: if (!fixed(r, end, 4)) return 0; break;
    case PROTOBUF_LENGTH:  return length(r, end);
    default:               return fail(r, "a field has an unknown kind");
    }
    r->rest = r->at;
    return 1;
}

static int enter(protobuf_reader *r)
{
    if (r->depth + 1 == PROTOBUF_DEPTH) return fail(r, "messages are nested too deeply");
    r->end[++r->depth] = r->rest;
    r->rest = r->at;
    return 1;
}

int protobuf_enter(protobuf_reader *r)
{
    return !r->wrong && r->field != 0 && r->wire == PROTOBUF_LENGTH && enter(r);
}

int protobuf_frame(protobuf_reader *r)
{
    if (r->wrong || !skip_rest(r) || r->at == r->end[r->depth]) return 0;
    if (r->depth == 0 && !more(r)) return 0;
    r->field = 0;
    return length(r, r->end[r->depth]) && enter(r);
}

int protobuf_repeated(protobuf_reader *r, uint64_t *value)
{
    if (r->wrong || r->field == 0) return 0;
    if (r->wire == PROTOBUF_LENGTH) return r->at < r->rest && varint(r, r->rest, value);
    *value = r->value;
    r->field = 0;                      /* once */
    return r->wire == PROTOBUF_VARINT;
}

/* ---- Text ------------------------------------------------------------------ */

/* Replaces what is no text by '?', in place; the last character may have been cut. */
static void make_text(char *text, int cut)
{
    char *to = text;
    while (*text != '\0') {
        size_t bytes = utf8_length(text), i;
        const unsigned char first = (unsigned char)*text;
        if (bytes == 0 && cut && first >= 0xC0 && strlen(text) < 4) break;
        if (bytes == 0 || first < 0x20 || first == 0x7F) { *to++ = '?'; text++; continue; }
        for (i = 0; i < bytes; i++) *to++ = *text++;
    }
    *to = '\0';
}

void protobuf_text(protobuf_reader *r, char *to, size_t room)
{
    size_t n = 0;
    int cut = 0;
    to[0] = '\0';
    if (r->wrong || r->field == 0 || r->wire != PROTOBUF_LENGTH) return;
    while (r->at < r->rest && n + 1 < room) {
        const int c = byte(r, r->rest);
        if (c == NO_BYTE) { fail(r, "the file ends within a text"); break; }
        to[n++] = c == 0 ? '?' : (char)c;
    }
    cut = r->at < r->rest;
    to[n] = '\0';
    make_text(to, cut);
}

void protobuf_end(const protobuf_reader *r)
{
    const stream *s = r->source;
    if (r->wrong)
        tool_fail("%s: byte %.0f: %s%s%s", s->name, (double)r->at, r->wrong, s->cut ? "; " : "",
                  s->cut ? s->cut : "");
    if (s->cut) tool_fail("%s: %s", s->name, s->cut);
}

/* ---- Writing --------------------------------------------------------------- */

static void put(protobuf_writer *w, const void *bytes, size_t count)
{
    w->bytes = tool_grow(w->bytes, w->length, &w->room, w->length + count, 1);
    if (count > 0) memcpy(w->bytes + w->length, bytes, count);
    w->length += count;
}

void protobuf_put_varint(protobuf_writer *w, uint64_t value)
{
    unsigned char bytes[10];
    size_t n = 0;
    do {
        bytes[n] = (unsigned char)(value & 0x7F);
        value >>= 7;
        if (value > 0) bytes[n] |= 0x80;
        n++;
    } while (value > 0);
    put(w, bytes, n);
}

static void put_key(protobuf_writer *w, unsigned field, protobuf_wire wire)
{
    protobuf_put_varint(w, (uint64_t)field << 3 | (uint64_t)wire);
}

void protobuf_put_integer(protobuf_writer *w, unsigned field, uint64_t value)
{
    put_key(w, field, PROTOBUF_VARINT);
    protobuf_put_varint(w, value);
}

void protobuf_put_double(protobuf_writer *w, unsigned field, double value)
{
    unsigned char bytes[8];
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (unsigned char)(bits >> (8 * i));
    put_key(w, field, PROTOBUF_FIXED64);
    put(w, bytes, sizeof bytes);
}

static void put_bytes(protobuf_writer *w, unsigned field, const void *bytes, size_t count)
{
    put_key(w, field, PROTOBUF_LENGTH);
    protobuf_put_varint(w, count);
    put(w, bytes, count);
}

void protobuf_put_text(protobuf_writer *w, unsigned field, const char *text)
{
    put_bytes(w, field, text, strlen(text));
}

void protobuf_put_message(protobuf_writer *w, unsigned field, const protobuf_writer *message)
{
    put_bytes(w, field, message->bytes, message->length);
}

void protobuf_put_packed(protobuf_writer *w, unsigned field, const uint64_t *value,
                         size_t count)
{
    size_t bytes = 0;
    uint64_t rest;
    for (size_t i = 0; i < count; i++)
        for (rest = value[i], bytes++; rest > 0x7F; rest >>= 7) bytes++;
    put_key(w, field, PROTOBUF_LENGTH);
    protobuf_put_varint(w, bytes);
    for (size_t i = 0; i < count; i++) protobuf_put_varint(w, value[i]);
}
