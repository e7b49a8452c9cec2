/* fields.c - rows of numbers and words that lie in memory at equal distances: see fields.h */
#include "base/fields.h"

#include "base/digits.h"
#include "base/slots.h"
#include "base/table.h"

#include <assert.h>

/* ---- Fields ------------------------------------------------------------------ */

static const unsigned no_index = 0;

static field field_of(const char *name, field_kind kind, const void *first, size_t stride)
{
    field f = {0};
    f.name = name;
    f.kind = kind;
    f.first = first;
    f.stride = stride;
    return f;
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

field field_text(const char *name, const char *const *word)
{
    return field_word(name, &no_index, 0, word, 1);
}

/* ---- What is written once ------------------------------------------------------ */

static spelling spell(const field_rows *r, const char *word)
{
    output out = {0};
    spelling s;
    if (r->kind == ROW_CSV) csv_quote(&out, word);
    else if (r->kind == ROW_OBJECT) json_quote(&out, word);
    else output_bytes(&out, word, strlen(word));
    s.bytes = out.length;
    s.width = width_of(word);
    memset(output_room(&out, WHOLE), 0, WHOLE);
    s.text = out.text;
    return s;
}

/* A value, behind what has been added to the text since the last one. */
static slot *add_slot(field_rows *r, const field *f)
{
    slot *s;
    size_t i;
    if (r->slots == r->capacity) {
        const size_t room = 2 * r->capacity + 16;
        r->slot = (slot *)tool_resize(r->slot, room, sizeof *r->slot);
        r->capacity = room;
    }
    s = &r->slot[r->slots++];
    memset(s, 0, sizeof *s);
    s->is = *f;
    s->begin = r->end;
    s->before = r->text.length - r->end;
    r->end = r->text.length;
    s->words = (spelling *)tool_alloc(f->count, sizeof *s->words);
    r->most += s->before + NUMBER_BYTES + 2 * WHOLE;
    for (i = 0; i < f->count; i++) {
        s->words[i] = spell(r, f->words[i]);
        r->most += s->words[i].bytes;
    }
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
    r->kind = ROW_OBJECT;
    r->missing = "null";
    r->text.depth = 1;                 /* in the array                                */
    json_object(&r->text, NULL);
    return r;
}

output *fields_output(field_rows *r) { return &r->text; }

void fields_end(field_rows *r)
{
    json_end(&r->text);
    assert(r->kind == ROW_OBJECT && r->text.depth == 1);
    end_row(r);
}

void fields_member(field_rows *r, const field *f)
{
    assert(r->kind == ROW_OBJECT);
    if (f->kind == FIELD_EMPTY) {
        json_null(&r->text, f->name);
    } else {
        json_begin(&r->text, f->name);
        (void)add_slot(r, f);
    }
}

/* ---- Widths on the screen ------------------------------------------------------ */

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

static void see_value(slot *s, const char *at)
{
    char text[NUMBER_BYTES];
    uint32_t whole;
    if (s->is.kind == FIELD_WORD) {
        widen(s, s->words[index_at(at)].width);
    } else if (s->is.kind == FIELD_EMPTY) {
        widen(s, 1);
    } else if (s->is.kind == FIELD_WHOLE) {
        memcpy(&whole, at, sizeof whole);
        if (whole >= s->bits) {        /* of more digits than all before              */
            widen(s, number_integer(whole, text));
            for (s->bits = 10; s->bits <= whole;) s->bits *= 10;
        }
    }
}

static void measure(field_rows *r, size_t rows)
{
    size_t i, k;
    for (i = 0; i < rows; i++) {
        for (k = 0; k < r->slots; k++) {
            slot *s = &r->slot[k];
            const char *at = value_of(&s->is, i);
            double value;
            if (s->is.kind != FIELD_NUMBER) {
                see_value(s, at);
                continue;
            }
            memcpy(&value, at, sizeof value);
            if (value >= s->from && value < s->to) continue;
            if (memcmp(&s->bits, at, sizeof s->bits) == 0 && i > 0) continue;
            memcpy(&s->bits, at, sizeof s->bits);
            see_number(s, value);
        }
    }
    for (k = 0; k < r->slots; k++) r->most += 2 * r->slot[k].width;
}

field_rows *fields_table(const field *fields, size_t width, size_t rows, output_format format)
{
    field_rows *r = (field_rows *)tool_alloc(1, sizeof *r);
    size_t i;
    r->kind = format == FORMAT_CSV ? ROW_CSV : ROW_SCREEN;
    r->missing = format == FORMAT_CSV ? "" : "-";
    for (i = 0; i < width; i++) {
        if (i > 0 && r->kind == ROW_CSV) output_bytes(&r->text, ",", 1);
        add_slot(r, &fields[i])->width = width_of(fields[i].name);
    }
    output_bytes(&r->text, "\n", 1);
    end_row(r);
    if (r->kind == ROW_SCREEN) measure(r, rows);
    return r;
}
