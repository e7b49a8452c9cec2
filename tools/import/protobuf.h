/* protobuf.h - the wire format of Protocol Buffers: messages read field by field from a
 * stream, and written
 *
 *     protobuf_read(&r, s);
 *     while (protobuf_next(&r)) {
 *         if (r.field == 1) id = r.value;
 *         else if (r.field == 2) protobuf_text(&r, name, sizeof name);
 *         else if (r.field == 4) while (protobuf_repeated(&r, &value)) ...
 *         else if (r.field == 10 && protobuf_enter(&r))
 *             while (protobuf_next(&r)) ...
 *     }
 *     protobuf_end(&r);
 *
 * Fields that nobody asks for are skipped. The memory is constant, whatever lengths the
 * file claims: each is checked against the message that it stands in. */
#ifndef TOOLS_IMPORT_PROTOBUF_H
#define TOOLS_IMPORT_PROTOBUF_H

#include "base/stream.h"

#include <stddef.h>
#include <stdint.h>

/* ---- Reading --------------------------------------------------------------- */

typedef enum protobuf_wire {
    PROTOBUF_VARINT = 0,      /* its value                                          */
    PROTOBUF_FIXED64 = 1,     /* its value, the 8 bytes as an unsigned number       */
    PROTOBUF_LENGTH = 2,      /* its length: text, a message, or numbers            */
    PROTOBUF_FIXED32 = 5      /* its value, of 4 bytes                              */
} protobuf_wire;

enum { PROTOBUF_DEPTH = 16 };

typedef struct protobuf_reader {
    uint64_t      field;      /* its number, from 1                                 */
    protobuf_wire wire;
    uint64_t      value;      /* or the length                                      */
    const char   *wrong;      /* NULL: nothing                                      */
    uint64_t      at;         /* bytes behind us                                    */

    stream       *source;     /* below: the reader's own                            */
    uint64_t      end[PROTOBUF_DEPTH]; /* where the messages around us end          */
    size_t        depth;
    uint64_t      rest;       /* `at` where the current field ends                  */
} protobuf_reader;

/* A message that ends where the stream does, whose reader it is. */
void protobuf_read(protobuf_reader *r, stream *s);

/* The next field of the innermost message: 1; 0 at its end, which leaves it, or if
 * something is wrong. What is left of the last field is skipped. */
int protobuf_next(protobuf_reader *r);

/* Goes into the last field: 0 if it has no length, or is nested too deeply. */
int protobuf_enter(protobuf_reader *r);

/* A message behind its length, as files of many messages have them: 1 and it is entered;
 * 0 at the end of the stream, or if something is wrong. */
int protobuf_frame(protobuf_reader *r);

/* The text of the last field, terminated, in at most `room` bytes: a longer one is cut.
 * Control characters and bytes that are not UTF-8 become '?'. "" for a number. */
void protobuf_text(protobuf_reader *r, char *to, size_t room);

/* One after the other the numbers of a repeated field of varints, packed or not; 0 behind
 * the last, or if something is wrong. */
int protobuf_repeated(protobuf_reader *r, uint64_t *value);

/* Fails where something is wrong, or the file is cut off. */
void protobuf_end(const protobuf_reader *r);

/* The value of the last field as what the message's definition says that it is. */
double protobuf_double(const protobuf_reader *r); /* of FIXED64                     */
double protobuf_float(const protobuf_reader *r);  /* of FIXED32                     */
int64_t protobuf_signed(const protobuf_reader *r);
int64_t protobuf_zigzag(const protobuf_reader *r);

/* ---- Writing --------------------------------------------------------------- */

/* A message that grows in memory of tool_alloc; {0} to begin. */
typedef struct protobuf_writer {
    unsigned char *bytes;
    size_t         length, room;
} protobuf_writer;

void protobuf_put_varint(protobuf_writer *w, uint64_t value); /* without a field       */
void protobuf_put_integer(protobuf_writer *w, unsigned field, uint64_t value);
void protobuf_put_double(protobuf_writer *w, unsigned field, double value);
void protobuf_put_text(protobuf_writer *w, unsigned field, const char *text);
void protobuf_put_message(protobuf_writer *w, unsigned field, const protobuf_writer *message);
void protobuf_put_packed(protobuf_writer *w, unsigned field, const uint64_t *value,
                         size_t count);

#endif /* TOOLS_IMPORT_PROTOBUF_H */
