/* json.h - JSON [RFC 8259], read token by token from bytes in memory or from a stream
 *
 *     json_reader r;
 *     json_read(&r, data, length);
 *     if (json_next(&r) == JSON_OBJECT)
 *         while (json_next(&r) == JSON_KEY)
 *             if (json_is(&r, "name")) ... json_next(&r) ...
 *             else json_skip(&r, json_next(&r));
 *
 * Nothing is allocated, but by the stream for its longest token; depth is bounded. */
#ifndef TOOLS_BASE_JSON_H
#define TOOLS_BASE_JSON_H

#include "base/stream.h"

#include <stddef.h>

typedef enum json_token {
    JSON_WRONG = 0,           /* and from then on; `wrong` says why                 */
    JSON_OBJECT,              /* its keys, each with a value, up to JSON_CLOSE      */
    JSON_ARRAY,               /* its values up to JSON_CLOSE                        */
    JSON_CLOSE,               /* of the innermost object or array                   */
    JSON_KEY,
    JSON_STRING, JSON_NUMBER, JSON_TRUE, JSON_FALSE, JSON_NULL,
    JSON_END                  /* one value has been read, and nothing follows       */
} json_token;

enum { JSON_DEPTH = 64 };     /* of nested objects and arrays                       */

typedef struct json_reader {
    const char *at, *end;
    size_t      line;         /* of the last token, from 1                          */
    const char *text;         /* [length] of a key or string without its quotes,    */
    size_t      length;       /*   escapes as they stand; of a number; until the    */
                              /*   next token                                       */
    const char *wrong;        /* NULL: nothing                                      */
    int         cut;          /* what is wrong is that the text ends early          */
    size_t      mended;       /* places that a tolerant reader has read over        */
    int         tolerant;
    stream     *source;       /* NULL: all is in memory                             */
    const char *keep;         /* begin of the token that is being read; NULL: none  */
    int         state;
    size_t      depth;
    char        closing[JSON_DEPTH];
} json_reader;

/* data[length] must outlive the reader. A byte order mark is skipped. */
void json_read(json_reader *r, const char *data, size_t length);

/* From s->at on; the stream is the reader's until it is done with. A tolerant reader takes
 * what profilers write that is not JSON: a value that is missing behind its key, NaN and
 * infinities (each a JSON_NULL), a comma before a closing bracket (all of these it counts),
 * and strings of any bytes and escapes. Lines within strings are not counted. */
void json_read_stream(json_reader *r, stream *s, int tolerant);

/* The number that was read last, exact to the last bit as strtod's; 0 if it is beyond a
 * double. */
int json_value(const json_reader *r, double *value);

json_token json_next(json_reader *r);

/* Reads to the end of the value that began with `token`: 0 if something is wrong. */
int json_skip(json_reader *r, json_token token);

/* Is the last key or string this text? One with escapes is none. */
int json_is(const json_reader *r, const char *text);

#endif /* TOOLS_BASE_JSON_H */
