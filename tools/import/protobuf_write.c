/* protobuf_write.c - the wire format of Protocol Buffers: messages to be written */
#include "import/protobuf.h"

#include "base/tool.h"

#include <string.h>

static void put(protobuf_writer *w, const void *bytes, size_t count)
{
    if (count > w->room - w->length)
        w->bytes = (unsigned char *)tool_grow(w->bytes, w->length, &w->room, w->length + count, 1);
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
    size_t i;
    memcpy(&bits, &value, sizeof bits);
    for (i = 0; i < sizeof bytes; i++) bytes[i] = (unsigned char)(bits >> (8 * i));
    put_key(w, field, PROTOBUF_FIXED64);
    put(w, bytes, sizeof bytes);
}

void protobuf_put_text(protobuf_writer *w, unsigned field, const char *text)
{
    put_key(w, field, PROTOBUF_LENGTH);
    protobuf_put_varint(w, strlen(text));
    put(w, text, strlen(text));
}

void protobuf_put_message(protobuf_writer *w, unsigned field, const protobuf_writer *message)
{
    put_key(w, field, PROTOBUF_LENGTH);
    protobuf_put_varint(w, message->length);
    put(w, message->bytes, message->length);
}

/* Bytes of a number without a field. */
static size_t varint_bytes(uint64_t value)
{
    size_t bytes = 1;
    while (value >>= 7) bytes++;
    return bytes;
}

void protobuf_put_packed(protobuf_writer *w, unsigned field, const uint64_t *value,
                         size_t count)
{
    uint64_t bytes = 0;
    size_t i;
    for (i = 0; i < count; i++) bytes += varint_bytes(value[i]);
    put_key(w, field, PROTOBUF_LENGTH);
    protobuf_put_varint(w, bytes);
    for (i = 0; i < count; i++) protobuf_put_varint(w, value[i]);
}
