/* fields_rows.c - rows of fields, written: see fields.h */
#include "base/digits.h"
#include "base/fields.h"
#include "base/output.h"
#include "base/paint.h"
#include "base/slots.h"
#include "base/table.h"
#include "base/tool.h"

#include <assert.h>

/* ---- Rows ---------------------------------------------------------------------- */

/* So many bytes, whole pieces of them; returns where the next ones go. */
static inline char *put(char *to, const char *from, size_t bytes)
{
    char piece[WHOLE];
    memcpy(piece, from, WHOLE);        /* without a call                              */
    memcpy(to, piece, WHOLE);
    if (bytes > WHOLE) memcpy(to, from, bytes);
    return to + bytes;
}

/* Does the slot have this value already? If not, from now on. */
static inline int is_above(slot *s, const char *at)
{
    uint64_t bits = 0;
    if (s->is.kind == FIELD_NUMBER) memcpy(&bits, at, sizeof bits);
    else memcpy(&bits, at, sizeof(uint32_t));
    if (s->above && bits == s->bits) return 1;
    s->bits = bits;
    return 0;
}

static size_t write_value(const field_rows *r, const slot *s, const char *at, char *to)
{
    double value;
    if (s->is.kind == FIELD_WHOLE) {
        uint32_t whole;
        memcpy(&whole, at, sizeof whole);
        return number_integer(whole, to);
    }
    memcpy(&value, at, sizeof value);
    if (is_finite(value))
        return r->kind == ROW_SCREEN ? number_round(value, digits_of(s), to)
                                     : number_shortest(value, to);
    memcpy(to, r->missing, strlen(r->missing));
    return strlen(r->missing);
}

/* A number as it stands above, or in the same row, or anew. */
static inline char *put_value(const field_rows *r, slot *s, const char *at, char *to)
{
    if (is_above(s, at)) {
        (void)put(to, s->above, s->length);
    } else if (s->twin && s->twin->bits == s->bits && s->twin->above) {
        s->length = s->twin->length;
        (void)put(to, s->twin->above, s->length);
    } else {
        s->length = write_value(r, s, at, to);
    }
    s->above = to;
    return to + s->length;
}

/* A row of CSV or JSON. */
static char *put_row(const field_rows *r, size_t row, char *to)
{
    slot *s = r->slot, *const end = s + r->slots;
    for (; s < end; s++) {
        const char *at = value_of(&s->is, row);
        if (s->is.when && index_at((const char *)s->is.when + row * s->is.stride) == s->is.never)
            continue;
        to = put(to, r->text.text + s->begin, s->before);
        if (s->is.kind == FIELD_WORD) {
            const spelling *word = &s->words[index_at(at)];
            assert(index_at(at) < s->is.count);
            to = put(to, word->text, word->bytes);
        } else if (s->is.kind != FIELD_EMPTY) {
            to = put_value(r, s, at, to);
        }
    }
    return put(to, r->text.text + r->end, r->after);
}

/* A cell and two blanks, or if it is the last the line's end. */
static char *put_padded(const slot *s, const char *text, size_t bytes, size_t have, int last,
                        char *to)
{
    const size_t pad = have < s->width ? s->width - have : 0;
    const int left = s->is.kind == FIELD_WORD;
    if (!left) { memset(to, ' ', pad); to += pad; }
    memcpy(to, text, bytes);
    to += bytes;
    if (left && !last) { memset(to, ' ', pad); to += pad; }
    memcpy(to, last ? "\n " : "  ", 2);
    return to + (last ? 1 : 2);
}

/* A row on the screen. */
static char *put_line(const field_rows *r, size_t row, char *to)
{
    size_t k;
    for (k = 0; k < r->slots; k++) {
        slot *s = &r->slot[k];
        const char *at = value_of(&s->is, row);
        const int last = k + 1 == r->slots;
        if (s->is.kind == FIELD_WORD) {
            const spelling *word = &s->words[index_at(at)];
            to = put_padded(s, word->text, word->bytes, word->width, last, to);
        } else if (s->is.kind == FIELD_EMPTY) {
            to = put_padded(s, r->missing, 1, 1, last, to);
        } else {
            size_t pad;
            if (!is_above(s, at)) s->length = write_value(r, s, at, s->number);
            s->above = s->number;
            pad = s->width - s->length;
            assert(s->length <= s->width);
            memset(to, ' ', WHOLE);
            if (pad > WHOLE) memset(to, ' ', pad);
            (void)put(to + pad, s->number, s->length);
            memcpy(to + s->width, last ? "\n " : "  ", 2);
            to += s->width + (last ? 1 : 2);
        }
    }
    return to;
}

/* A twin has had the same number in this row, and may have it again: the links of servers are
 * often alike. Nothing stands above. */
static void find_twins(field_rows *r, size_t row)
{
    size_t i, k;
    for (i = 0; i < r->slots; i++) {
        slot *s = &r->slot[i];
        s->above = NULL;
        s->twin = NULL;
        for (k = 0; k < i && !s->twin && s->is.kind == FIELD_NUMBER; k++)
            if (r->slot[k].is.kind == FIELD_NUMBER &&
                memcmp(value_of(&s->is, row), value_of(&r->slot[k].is, row), 8) == 0)
                s->twin = &r->slot[k];
    }
}

/* Where what stands above lies is known within a piece alone. */
static void write_piece(field_rows *r, size_t from, size_t to, output *out)
{
    const size_t before = out->length, room = (to - from) * r->most;
    char *at = output_room(out, room);
    size_t i;
    if (from < to) find_twins(r, from);
    for (i = from; i < to; i++) {
        if (r->kind == ROW_OBJECT && i > 0) *at++ = ',';
        at = r->kind == ROW_SCREEN ? put_line(r, i, at) : put_row(r, i, at);
    }
    out->length = (size_t)(at - out->text);
    assert(out->length - before <= room);
    (void)before;
}

void fields_write(field_rows *r, size_t from, size_t to, output *out)
{
    for (; to - from > ROOM_ROWS; from += ROOM_ROWS) write_piece(r, from, from + ROOM_ROWS, out);
    write_piece(r, from, to, out);
}

void fields_free(field_rows *r)
{
    size_t i, k;
    for (i = 0; i < r->slots; i++) {
        for (k = 0; k < r->slot[i].is.count; k++) tool_free(r->slot[i].words[k].text);
        tool_free(r->slot[i].words);
    }
    tool_free(r->slot);
    tool_free(r->text.text);
    tool_free(r);
}

static void csv_head(const field_rows *r, output *out)
{
    size_t k;
    for (k = 0; k < r->slots; k++) {
        if (k > 0) output_bytes(out, ",", 1);
        csv_quote(out, r->slot[k].is.name);
    }
}

static void screen_head(const field_rows *r, output *out)
{
    const char *const begin = paint(PAINT_HEADING), *const end = paint_end(PAINT_HEADING);
    size_t k;
    output_bytes(out, begin, strlen(begin));
    for (k = 0; k < r->slots; k++) {
        const slot *s = &r->slot[k];
        const char *const name = s->is.name;
        char *const at = output_room(out, strlen(name) + s->width + 2);
        char *const to = put_padded(s, name, strlen(name), width_of(name), k + 1 == r->slots, at);
        out->length = (size_t)(to - out->text);
    }
    out->length--;
    output_bytes(out, end, strlen(end));
}

void fields_head(const field_rows *r, output *out)
{
    if (r->kind == ROW_CSV) csv_head(r, out);
    else screen_head(r, out);
    output_bytes(out, "\n", 1);
}
