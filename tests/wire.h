/* wire.h - messages of Protocol Buffers from words, by a writer of its own:
 *
 *     FIELD:NUMBER  FIELD~NUMBER (a double)  FIELD=TEXT  FIELD{ WORD... }  #HEX (bytes)
 *     FIELD*COUNT   a text of so many "x"
 *     { WORD... }   a message behind its length alone */
#ifndef SGDPERF_WIRE_H
#define SGDPERF_WIRE_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { WIRE_DEPTH = 40, WIRE_BYTES = 1 << 19 };

typedef struct wire_message {
    unsigned      field;      /* that it is of, in the one around it; 0: none           */
    size_t        length;
    unsigned char bytes[WIRE_BYTES];
} wire_message;

static wire_message wire[WIRE_DEPTH];
static int          wire_open;         /* wire[0 .. wire_open] are begun                */

static void wire_bytes(const void *bytes, size_t count)
{
    wire_message *m = &wire[wire_open];
    if (count > WIRE_BYTES - m->length) abort();
    memcpy(m->bytes + m->length, bytes, count);
    m->length += count;
}

static void wire_varint(uint64_t value)
{
    unsigned char c;
    for (; value > 127; value >>= 7) {
        c = (unsigned char)(value | 128);
        wire_bytes(&c, 1);
    }
    c = (unsigned char)value;
    wire_bytes(&c, 1);
}

static void wire_field(unsigned field, unsigned kind) { wire_varint((uint64_t)field << 3 | kind); }

static void wire_begin(unsigned field)
{
    if (++wire_open == WIRE_DEPTH) abort();
    wire[wire_open].field = field;
    wire[wire_open].length = 0;
}

static void wire_end(void)
{
    const wire_message *m = &wire[wire_open];
    if (--wire_open < 0) abort();
    if (m->field > 0) wire_field(m->field, 2);
    wire_varint(m->length);
    wire_bytes(m->bytes, m->length);
}

static void wire_hex(const char *text)
{
    for (; *text != '\0'; text += 2) {
        const char pair[3] = {text[0], text[1], '\0'};
        const unsigned char byte = (unsigned char)strtoul(pair, NULL, 16);
        wire_bytes(&byte, 1);
    }
}

static void wire_double(double value)
{
    uint64_t bits;
    unsigned char byte;
    memcpy(&bits, &value, sizeof bits);
    for (unsigned i = 0; i < 8; i++, bits >>= 8) {
        byte = (unsigned char)bits;
        wire_bytes(&byte, 1);
    }
}

static void wire_word(const char *word)
{
    char *value;
    const unsigned field = (unsigned)strtoul(word, &value, 10);
    unsigned long i;
    switch (*value++) {
    case '#': wire_hex(value); break;
    case '{': wire_begin(field); break;
    case '}': wire_end(); break;
    case ':':
        wire_field(field, 0);
        wire_varint(*value == '-' ? (uint64_t)strtoll(value, NULL, 10) : strtoull(value, NULL, 10));
        break;
    case '~': wire_field(field, 1); wire_double(strtod(value, NULL)); break;
    case '=':
        wire_field(field, 2);
        wire_varint(strlen(value));
        wire_bytes(value, strlen(value));
        break;
    case '*':
        wire_field(field, 2);
        wire_varint(strtoull(value, NULL, 10));
        for (i = 0; i < strtoull(value, NULL, 10); i++) wire_bytes("x", 1);
        break;
    default: abort();
    }
}

#endif /* SGDPERF_WIRE_H */
