/* slots.h - a row of fields as it is written: what fields.c and fields_rows.c know of each other
 *
 * A row is what stands before each value, and the values. Room for some rows is asked for at
 * once, so that pieces of text are copied whole, also beyond their ends. */
#ifndef TOOLS_BASE_SLOTS_H
#define TOOLS_BASE_SLOTS_H

#include "base/digits.h"
#include "base/fields.h"
#include "base/output.h"

#include <float.h>
#include <string.h>

/* Rows that room is asked for; bytes that are copied at once. */
enum { ROOM_ROWS = 64, WHOLE = 32 };

/* A word as it is written: with quotes, where it needs them. */
typedef struct spelling { char *text; size_t bytes, width; } spelling;

/* A field in a row, and what it had last. */
typedef struct slot {
    field       is;
    size_t      begin, before;         /* what stands before it: of the text, bytes   */
    spelling   *words;                 /* [is.count]                                  */
    uint64_t    bits;
    const char *above;                 /* where it is written; NULL: nowhere yet      */
    size_t      length;
    const struct slot *twin;           /* another one of this row, or NULL            */
    size_t      width;                 /* of the column on the screen                 */
    double      from, to;              /* numbers in there are not wider              */
    char        number[NUMBER_BYTES];
} slot;

typedef enum row_kind { ROW_CSV = 0, ROW_SCREEN, ROW_OBJECT } row_kind;

struct field_rows {
    row_kind    kind;
    output      text;                  /* before values and behind the last           */
    slot       *slot;                  /* [slots]                                     */
    size_t      slots, capacity;
    size_t      end, after;            /* what stands behind the last                 */
    size_t      most;                  /* bytes of a row                              */
    const char *missing;
};

static inline const char *value_of(const field *f, size_t row)
{
    return (const char *)f->first + row * f->stride;
}

static inline unsigned index_at(const void *at)
{
    unsigned index;
    memcpy(&index, at, sizeof index);
    return index;
}

static inline int is_finite(double x) { return x >= -DBL_MAX && x <= DBL_MAX; }

static inline int digits_of(const slot *s) { return s->is.digits > 0 ? s->is.digits : 5; }

/* Characters on the screen. */
static inline size_t width_of(const char *text)
{
    size_t width = 0;
    for (; *text != '\0'; text++) width += ((unsigned char)*text & 0xC0) != 0x80;
    return width;
}

#endif /* TOOLS_BASE_SLOTS_H */
