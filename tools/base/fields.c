/* fields.c - rows of values that lie in memory at equal distances: see fields.h */
#include "base/fields.h"

#include "base/digits.h"
#include "base/paint.h"
#include "base/words.h"

#include <assert.h>
#include <float.h>
#include <string.h>

/* Rows that room is asked for; bytes that are copied at once. */
enum { ROOM_ROWS = 64, WHOLE = 32 };

/* A field in a row, and what it had last. */
typedef struct slot {
    field       is;
    size_t      begin, before;         /* what stands before it: of the text, bytes   */
    const spelling **words;            /* [is.count]                                  */
    int         left;                  /* on the screen                               */
    field_kind  had;
    uint64_t    bits;
    const char *above;                 /* where it is written; NULL: nowhere yet      */
    size_t      length;
    const struct slot *twin;           /* another one of this row, or NULL            */
    size_t      width;                 /* of the column on the screen                 */
    double      from, to;              /* numbers in there are not wider              */
    char        number[NUMBER_BYTES];
} slot;

struct field_rows {
    unsigned    form;                  /* JSON: objects                               */
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

/* The kind of the value in a row, and where it lies. */
static inline field_kind look_at(const field *f, size_t row, const char **at)
{
    *at = value_of(f, row);
    if (f->kind == FIELD_CELL) {
        const field_cell *const cell = (const field_cell *)(const void *)*at;
        *at = (const char *)&cell->is;
        return cell->kind;
    }
    return f->kind;
}

static inline unsigned index_at(const void *at)
{
    unsigned index;
    memcpy(&index, at, sizeof index);
    return index;
}

/* The word at the index, or the text that is pointed at. */
static inline const spelling *text_at(const slot *s, field_kind kind, const char *at)
{
    const spelling *text;
    if (kind == FIELD_WORD) {
        assert(index_at(at) < s->is.count);
        return s->words[index_at(at)];
    }
    memcpy(&text, at, sizeof text);
    return text;
}

static inline int is_finite(double x) { return x >= -DBL_MAX && x <= DBL_MAX; }

static inline int digits_of(const slot *s) { return s->is.digits > 0 ? s->is.digits : 5; }

static const unsigned no_index = 0;

static field field_of(const char *name, field_kind kind, const void *first, size_t stride)
{
    return (field){.name = name, .kind = kind, .first = first, .stride = stride};
}

field field_empty(const char *name) { return field_of(name, FIELD_EMPTY, &no_index, 0); }

field field_number(const char *name, const double *first, size_t stride)
{
    return field_of(name, FIELD_NUMBER, first, stride);
}

field field_whole(const char *name, const uint32_t *first, size_t stride)
{
    return field_of(name, FIELD_WHOLE, first, stride);
}

field field_word(const char *name, const void *first, size_t stride, const char *const *words,
                 size_t count)
{
    field f = field_of(name, FIELD_WORD, first, stride);
    f.words = words;
    f.count = count;
    return f;
}

field field_cells(const char *name, const field_cell *first, size_t stride, size_t longest)
{
    field f = field_of(name, FIELD_CELL, first, stride);
    f.longest = longest;
    return f;
}

field field_text(const char *name, const char *const *word)
{
    return field_word(name, &no_index, 0, word, 1);
}

/* ---- Fields: what is written once --------------------------------------------- */

const spelling *fields_spell(output *scratch, const char *text)
{
    if (scratch->form == CSV) csv_quote(scratch, text);
    else if (scratch->form == JSON) json_quote(scratch, text);
    else output_bytes(scratch, text, strlen(text));
    spelling *made = (spelling *)tool_alloc(1, sizeof *made + scratch->length + WHOLE);
    made->bytes = scratch->length;
    made->width = utf8_width(text);
    if (made->bytes > 0) memcpy(made->text, scratch->text, made->bytes);
    scratch->length = 0;
    return made;
}

/* A value, behind what has been added to the text since the last one. */
static slot *add_slot(field_rows *r, const field *f)
{
    output scratch = {.form = r->form};
    if (r->slots == r->capacity) {
        const size_t room = 2 * r->capacity + 16;
        r->slot = (slot *)tool_resize(r->slot, room, sizeof *r->slot);
        r->capacity = room;
    }
    slot *s = &r->slot[r->slots++];
    memset(s, 0, sizeof *s);
    s->is = *f;
    s->begin = r->end;
    s->before = r->text.length - r->end;
    r->end = r->text.length;
    s->left = f->kind == FIELD_WORD;
    s->words = (const spelling **)tool_alloc(f->count, sizeof *s->words);
    r->most += s->before + NUMBER_BYTES + 2 * WHOLE + f->longest;
    for (size_t i = 0; i < f->count; i++) {
        s->words[i] = fields_spell(&scratch, f->words[i]);
        r->most += s->words[i]->bytes;
    }
    tool_free(scratch.text);
    return s;
}

/* What stands behind the last value; the text may be read beyond its end. */
static void end_row(field_rows *r)
{
    r->after = r->text.length - r->end;
    r->most += r->after + 2 * WHOLE;
    memset(output_room(&r->text, WHOLE), 0, WHOLE);
    r->text.length -= WHOLE;
}

field_rows *fields_object(void)
{
    field_rows *r = (field_rows *)tool_alloc(1, sizeof *r);
    r->form = JSON;
    r->missing = "null";
    r->text.depth = 1;                 /* in the array                                */
    json_object(&r->text, NULL);
    return r;
}

output *fields_output(field_rows *r) { return &r->text; }

void fields_end(field_rows *r)
{
    json_end(&r->text);
    assert(r->form == JSON && r->text.depth == 1);
    end_row(r);
}

void fields_member(field_rows *r, const field *f)
{
    assert(r->form == JSON);
    if (f->kind == FIELD_EMPTY) {
        json_null(&r->text, f->name);
    } else {
        json_begin(&r->text, f->name);
        (void)add_slot(r, f);
    }
}

/* ---- Fields: widths on the screen --------------------------------------------- */

static void widen(slot *s, size_t width) { if (s->width < width) s->width = width; }

/* A number that is neither known not to be wider nor the last one. */
static void see_number(slot *s, double value)
{
    char text[NUMBER_BYTES];
    const int digits = digits_of(s);
    if (!is_finite(value)) {
        widen(s, 1);
        return;
    }
    widen(s, number_round(value, digits, text));
    if (number_round_most(value, digits, &s->from, &s->to) > s->width) s->from = s->to = 0.0;
}

static void see_value(slot *s, field_kind kind, const char *at)
{
    char text[NUMBER_BYTES];
    uint64_t bits;
    uint32_t whole;
    switch (kind) {
    case FIELD_WORD:
    case FIELD_TEXT:
        widen(s, text_at(s, kind, at)->width);
        s->left = 1;
        break;
    case FIELD_LONG:
        memcpy(&bits, at, sizeof bits);
        widen(s, number_integer(bits, text));
        break;
    case FIELD_WHOLE:
        memcpy(&whole, at, sizeof whole);
        if (whole < s->bits) break;    /* of no more digits than those before         */
        widen(s, number_integer(whole, text));
        for (s->bits = 10; s->bits <= whole;) s->bits *= 10;
        break;
    default:
        widen(s, 1);
    }
}

static void measure(field_rows *r, size_t rows)
{
    for (size_t i = 0; i < rows; i++) {
        for (size_t k = 0; k < r->slots; k++) {
            slot *s = &r->slot[k];
            const char *at;
            const field_kind kind = look_at(&s->is, i, &at);
            double value;
            if (kind != FIELD_NUMBER) {
                see_value(s, kind, at);
                continue;
            }
            memcpy(&value, at, sizeof value);
            if (value >= s->from && value < s->to) continue;
            if (s->had == kind && memcmp(&s->bits, at, sizeof s->bits) == 0) continue;
            memcpy(&s->bits, at, sizeof s->bits);
            s->had = kind;
            see_number(s, value);
        }
    }
    for (size_t k = 0; k < r->slots; k++) r->most += 2 * r->slot[k].width;
}

field_rows *fields_table(const field *fields, size_t width, size_t rows, unsigned form)
{
    field_rows *r = (field_rows *)tool_alloc(1, sizeof *r);
    r->form = form;
    r->missing = form == CSV ? "" : "-";
    for (size_t i = 0; i < width; i++) {
        if (i > 0 && r->form == CSV) output_bytes(&r->text, ",", 1);
        add_slot(r, &fields[i])->width = utf8_width(fields[i].name);
    }
    output_bytes(&r->text, "\n", 1);
    end_row(r);
    if (r->form == SCREEN) measure(r, rows);
    return r;
}

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
static inline int is_above(slot *s, field_kind kind, const char *at)
{
    uint64_t bits = 0;
    if (kind == FIELD_WHOLE) memcpy(&bits, at, sizeof(uint32_t));
    else memcpy(&bits, at, sizeof bits);
    if (s->above && bits == s->bits && kind == s->had) return 1;
    s->bits = bits;
    s->had = kind;
    return 0;
}

static size_t write_value(const field_rows *r, const slot *s, char *to)
{
    double value;
    if (s->had != FIELD_NUMBER) return number_integer(s->bits, to);
    memcpy(&value, &s->bits, sizeof value);
    if (is_finite(value))
        return r->form == SCREEN ? number_round(value, digits_of(s), to)
                                 : number_shortest(value, to);
    memcpy(to, r->missing, strlen(r->missing));
    return strlen(r->missing);
}

/* A number as it stands above, or in the same row, or anew. */
static inline char *put_value(const field_rows *r, slot *s, field_kind kind, const char *at,
                              char *to)
{
    if (is_above(s, kind, at)) {
        (void)put(to, s->above, s->length);
    } else if (s->twin && s->twin->bits == s->bits && s->twin->above) {
        s->length = s->twin->length;
        (void)put(to, s->twin->above, s->length);
    } else {
        s->length = write_value(r, s, to);
    }
    s->above = to;
    return to + s->length;
}

/* A row of CSV or JSON. */
static char *put_row(const field_rows *r, size_t row, char *to)
{
    slot *s = r->slot, *const end = s + r->slots;
    for (; s < end; s++) {
        const char *at;
        const field_kind kind = look_at(&s->is, row, &at);
        if (s->is.when && index_at((const char *)s->is.when + row * s->is.stride) == s->is.never)
            continue;
        to = put(to, r->text.text + s->begin, s->before);
        if (kind == FIELD_WORD || kind == FIELD_TEXT) {
            const spelling *text = text_at(s, kind, at);
            to = put(to, text->text, text->bytes);
        } else if (kind != FIELD_EMPTY) {
            to = put_value(r, s, kind, at, to);
        }
    }
    return put(to, r->text.text + r->end, r->after);
}

/* A cell and two blanks, or if it is the last the line's end. */
static char *put_padded(const slot *s, const char *text, size_t bytes, size_t have, int last,
                        char *to)
{
    const size_t pad = have < s->width ? s->width - have : 0;
    if (!s->left) { memset(to, ' ', pad); to += pad; }
    memcpy(to, text, bytes);
    to += bytes;
    if (s->left && !last) { memset(to, ' ', pad); to += pad; }
    memcpy(to, last ? "\n " : "  ", 2);
    return to + (last ? 1 : 2);
}

/* The number that the slot has, to the right; whole, without calls of so many bytes. */
static inline char *put_number(const slot *s, int last, char *to)
{
    const size_t pad = s->width - s->length;
    assert(s->length <= s->width);
    if (s->left) return put_padded(s, s->number, s->length, s->length, last, to);
    memset(to, ' ', WHOLE);
    if (pad > WHOLE) memset(to, ' ', pad);
    (void)put(to + pad, s->number, s->length);
    memcpy(to + s->width, last ? "\n " : "  ", 2);
    return to + s->width + (last ? 1 : 2);
}

/* A row on the screen. */
static char *put_line(const field_rows *r, size_t row, char *to)
{
    for (size_t k = 0; k < r->slots; k++) {
        slot *s = &r->slot[k];
        const char *at;
        const field_kind kind = look_at(&s->is, row, &at);
        const int last = k + 1 == r->slots;
        if (kind == FIELD_WORD || kind == FIELD_TEXT) {
            const spelling *text = text_at(s, kind, at);
            to = put_padded(s, text->text, text->bytes, text->width, last, to);
        } else if (kind == FIELD_EMPTY) {
            to = put_padded(s, r->missing, 1, 1, last, to);
        } else {
            if (!is_above(s, kind, at)) s->length = write_value(r, s, s->number);
            s->above = s->number;
            to = put_number(s, last, to);
        }
    }
    return to;
}

/* A twin has had the same number in this row, and may have it again: the links of servers are
 * often alike. Nothing stands above. */
static void find_twins(field_rows *r, size_t row)
{
    for (size_t i = 0; i < r->slots; i++) {
        slot *s = &r->slot[i];
        s->above = NULL;
        s->twin = NULL;
        for (size_t k = 0; k < i && !s->twin && s->is.kind == FIELD_NUMBER; k++)
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
    if (from < to) find_twins(r, from);
    for (size_t i = from; i < to; i++) {
        if (r->form == JSON && i > 0) *at++ = ',';
        at = r->form == SCREEN ? put_line(r, i, at) : put_row(r, i, at);
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
    for (size_t i = 0; i < r->slots; i++) tool_free(r->slot[i].words);
    tool_free(r->slot);
    tool_free(r->text.text);
    tool_free(r);
}

static void csv_head(const field_rows *r, output *out)
{
    for (size_t k = 0; k < r->slots; k++) {
        if (k > 0) output_bytes(out, ",", 1);
        csv_quote(out, r->slot[k].is.name);
    }
}

static void screen_head(const field_rows *r, output *out)
{
    const char *const begin = paint(PAINT_HEADING), *const end = paint_end(PAINT_HEADING);
    output_bytes(out, begin, strlen(begin));
    for (size_t k = 0; k < r->slots; k++) {
        const slot *s = &r->slot[k];
        const char *const name = s->is.name;
        char *const at = output_room(out, strlen(name) + s->width + 2);
        char *const to = put_padded(s, name, strlen(name), utf8_width(name), k + 1 == r->slots, at);
        out->length = (size_t)(to - out->text);
    }
    out->length--;
    output_bytes(out, end, strlen(end));
}

void fields_head(const field_rows *r, output *out)
{
    if (r->form == CSV) csv_head(r, out);
    else screen_head(r, out);
    output_bytes(out, "\n", 1);
}
