/* golden.h - files of golden results, JSON as in tests/golden, as a tree of values
 *
 *     golden_value *file = golden_open("tests/golden/mva.json");
 *     const golden_value *one = golden_first(golden_get(file, "cases"));
 *     for (; one; one = one->next)
 *         ... golden_text(one, "name") ... golden_number(golden_get(one, "expect.ps.X_total"))
 *     golden_close(file);
 *
 * What is not there is NULL, of which all else is NULL, NaN, 0 or "": a check of the
 * number then fails. */
#ifndef TESTS_GOLDEN_H
#define TESTS_GOLDEN_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct golden_value {
    char                 kind;   /* '{' '[' '"', 't' 'f' 'n' as true, false and null   */
                                 /*   begin, '0' of a number                           */
    const char          *key;    /* in an object: its name, up to the closing quote    */
    const char          *text;   /* a string up to its closing quote; a number         */
    struct golden_value *first;  /* of an object or array                              */
    struct golden_value *next;   /* in the same object or array                        */
    size_t               count;  /* values of an object or array                       */
} golden_value;

typedef struct golden_reader {
    const char   *at;            /* NULL: something is wrong                           */
    golden_value *value;
    size_t        used;
    int           depth;
} golden_reader;

static inline char golden_peek(golden_reader *r)
{
    while (r->at && *r->at != '\0' && strchr(" \t\r\n", *r->at)) r->at++;
    return r->at ? *r->at : '\0';
}

/* Passes over `want`, which must come next. */
static inline void golden_expect(golden_reader *r, const char *want)
{
    const size_t length = strlen(want);
    (void)golden_peek(r);
    if (!r->at) return;
    r->at = strncmp(r->at, want, length) == 0 ? r->at + length : NULL;
}

/* A string's text, which has no escapes in these files. */
static inline const char *golden_string(golden_reader *r)
{
    golden_expect(r, "\"");
    const char *text = r->at;
    const char *end = text ? strpbrk(text, "\"\\") : NULL;
    r->at = end && *end == '"' ? end + 1 : NULL;
    return r->at ? text : NULL;
}

static inline golden_value *golden_parse(golden_reader *r);

/* The values of an object or array, its opening bracket being next. */
static inline void golden_values(golden_reader *r, golden_value *parent)
{
    const char *close = parent->kind == '{' ? "}" : "]";
    golden_value **link = &parent->first;
    if (++r->depth > 32) r->at = NULL;
    golden_expect(r, parent->kind == '{' ? "{" : "[");
    while (golden_peek(r) != '\0' && *r->at != *close) {
        const char *key = NULL;
        if (parent->count++ > 0) golden_expect(r, ",");
        if (parent->kind == '{') {
            key = golden_string(r);
            golden_expect(r, ":");
        }
        *link = golden_parse(r);
        if (!r->at) return;
        (*link)->key = key;
        link = &(*link)->next;
    }
    golden_expect(r, close);
    r->depth--;
}

static inline golden_value *golden_parse(golden_reader *r)
{
    golden_value *v = r->value + r->used++;
    char *end = NULL;
    v->kind = golden_peek(r);
    v->text = r->at;
    switch (v->kind) {
    case '{':
    case '[': golden_values(r, v); break;
    case '"': v->text = golden_string(r); break;
    case 't': golden_expect(r, "true"); break;
    case 'f': golden_expect(r, "false"); break;
    case 'n': golden_expect(r, "null"); break;
    default:
        v->kind = '0';
        if (r->at) (void)strtod(r->at, &end);
        r->at = end && end > r->at ? end : NULL;
    }
    return v;
}

/* A whole file in memory behind `before` bytes of zeros; NULL if it cannot be read. */
static inline char *golden_load(const char *path, size_t room, size_t *before)
{
    FILE *file = fopen(path, "rb");
    char *block = NULL;
    size_t length, values = 1;
    if (!file) return NULL;
    block = (char *)malloc(room + 1);
    length = block ? fread(block, 1, room, file) : 0;
    if (!feof(file) || ferror(file)) length = 0;
    fclose(file);
    for (size_t i = 0; i < length; i++) values += strchr("{[,", block[i]) != NULL;
    *before = values * sizeof(golden_value);
    if (length > 0) {
        char *larger = (char *)realloc(block, *before + length + 1);
        if (larger) {
            memmove(larger + *before, larger, length);
            memset(larger, 0, *before);
            larger[*before + length] = '\0';
            return larger;
        }
    }
    free(block);
    return NULL;
}

/* The values stand at the head of one block, the root first, the text behind them. */
static inline golden_value *golden_open(const char *path)
{
    golden_reader r = { NULL, NULL, 0, 0 };
    size_t before = 0;
    char *block = golden_load(path, (size_t)1 << 20, &before);
    if (block) {
        r.at = block + before;
        r.value = (golden_value *)(void *)block;
        (void)golden_parse(&r);
        if (golden_peek(&r) == '\0' && r.at) return r.value;
    }
    fprintf(stderr, "    %s: %s\n", path, block ? "not what golden.h reads" : "not read");
    free(block);
    return NULL;
}

static inline void golden_close(golden_value *file) { free(file); }

static inline const golden_value *golden_first(const golden_value *of)
{
    return of ? of->first : NULL;
}

static inline size_t golden_count(const golden_value *of) { return of ? of->count : 0; }

/* Value i of an object or array. */
static inline const golden_value *golden_item(const golden_value *of, size_t i)
{
    const golden_value *v = golden_first(of);
    while (v && i-- > 0) v = v->next;
    return v;
}

/* The value at a path of names, as "expect.ps"; the first one of a name. */
static inline const golden_value *golden_get(const golden_value *of, const char *path)
{
    const size_t length = strcspn(path, ".");
    const golden_value *v = golden_first(of);
    while (v && !(v->key && strncmp(v->key, path, length) == 0 && v->key[length] == '"'))
        v = v->next;
    return v && path[length] == '.' ? golden_get(v, path + length + 1) : v;
}

/* NaN for what is not a number. */
static inline double golden_number(const golden_value *v)
{
    return v && v->kind == '0' ? strtod(v->text, NULL) : (double)NAN;
}

/* Of what may be left out. */
static inline double golden_or(const golden_value *v, double otherwise)
{
    return v ? golden_number(v) : otherwise;
}

/* A whole number of at most 1e9; 0 for what is not one. */
static inline size_t golden_whole(const golden_value *v)
{
    const double value = golden_number(v);
    return value >= 0.0 && value <= 1e9 ? (size_t)value : 0;
}

static inline int golden_true(const golden_value *v) { return v && v->kind == 't'; }

static inline int golden_is(const golden_value *v, const char *text)
{
    return v && v->kind == '"' && strncmp(v->text, text, strlen(text)) == 0
        && v->text[strlen(text)] == '"';
}

/* The numbers of an array, at most `room`, to number[]; returns how many there are. */
static inline size_t golden_numbers(const golden_value *of, double *number, size_t room)
{
    const golden_value *v = golden_first(of);
    for (size_t i = 0; v && i < room; i++, v = v->next) number[i] = golden_number(v);
    return golden_count(of);
}

/* A string with its length, for printf's %.*s. */
#define GOLDEN_TEXT(v) (int)((v) ? strcspn((v)->text, "\"") : 0), (v) ? (v)->text : ""

#endif
