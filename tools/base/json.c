/* json.c - a JSON tokenizer that knows the grammar */
#include "base/json.h"

#include "base/numbers.h"
#include "base/words.h"

#include <stdlib.h>
#include <string.h>

enum json_state {
    EXPECT_VALUE = 0,
    EXPECT_FIRST_VALUE,       /* or the end of an array                             */
    EXPECT_KEY,
    EXPECT_FIRST_KEY,         /* or the end of an object                            */
    EXPECT_SEPARATOR          /* a comma, an end, or at depth 0 nothing             */
};

/* ---- Bytes ----------------------------------------------------------------- */

/* Reads on where what is here is used up; the token that has begun stays whole. */
static int more(json_reader *r)
{
    const char *from = r->keep ? r->keep : r->at;
    const size_t done = (size_t)(r->at - from);
    const size_t text = r->keep && r->text ? (size_t)(r->text - from) : 0;
    if (!r->source || r->wrong) return 0;
    size_t n = stream_more(r->source, from);
    from = r->source->at;
    if (r->keep) {
        r->keep = from;
        if (r->text) r->text = from + text;
    }
    r->at = from + done;
    r->end = r->source->end;
    return n > 0;
}

static int here(json_reader *r) { return r->at < r->end || more(r); }

static int is_next(json_reader *r, char c) { return here(r) && *r->at == c; }

static int is_digit(json_reader *r) { return here(r) && *r->at >= '0' && *r->at <= '9'; }

static void begin_token(json_reader *r)
{
    r->keep = r->at;
    r->text = NULL;
}

static void skip_blanks(json_reader *r)
{
    for (; here(r); r->at++) {
        if (*r->at == '\n') r->line++;
        else if (*r->at != ' ' && *r->at != '\t' && *r->at != '\r') break;
    }
}

static void start(json_reader *r)
{
    while (r->end - r->at < 3 && more(r)) { }
    if (r->end - r->at >= 3 && memcmp(r->at, "\xEF\xBB\xBF", 3) == 0) r->at += 3;
    r->line = 1;
}

void json_read(json_reader *r, const char *data, size_t length)
{
    memset(r, 0, sizeof *r);
    r->at = data;
    r->end = data + length;
    start(r);
}

void json_read_stream(json_reader *r, stream *s, int tolerant)
{
    memset(r, 0, sizeof *r);
    r->at = s->at;
    r->end = s->end;
    r->source = s;
    r->tolerant = tolerant;
    start(r);
}

static json_token fail(json_reader *r, const char *wrong)
{
    if (!r->wrong) {
        r->wrong = wrong;
        r->cut = r->at == r->end;
    }
    if (!r->source) r->at = r->end;
    return JSON_WRONG;
}

/* ---- Strings --------------------------------------------------------------- */

static int is_hexadecimal(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* Bytes of the character at r->at, of which the data may end; 0: it is none. */
static size_t character(json_reader *r)
{
    char four[5] = {0};
    while (r->end - r->at < 4 && more(r)) { }
    size_t left = (size_t)(r->end - r->at);
    memcpy(four, r->at, left < 4 ? left : 4);
    return utf8_length(four);
}

/* Steps over what follows a backslash. */
static int escape(json_reader *r)
{
    if (!here(r) || !strchr("\"\\/bfnrtu", *r->at) || *r->at == '\0') return 0;
    if (*r->at++ != 'u') return 1;
    for (int i = 0; i < 4; i++, r->at++)
        if (!here(r) || !is_hexadecimal(*r->at)) return 0;
    return 1;
}

/* Steps to the next quote or backslash in what is here, eight bytes at a time. */
static void skip_plain(json_reader *r)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), tops = UINT64_C(0x8080808080808080);
    while (r->end - r->at >= 8) {
        uint64_t word, quote, slash;
        memcpy(&word, r->at, 8);
        quote = word ^ (ones * (uint64_t)'"');
        slash = word ^ (ones * (uint64_t)'\\');
        if ((((quote - ones) & ~quote) | ((slash - ones) & ~slash)) & tops) break;
        r->at += 8;
    }
    while (r->at < r->end && *r->at != '"' && *r->at != '\\') r->at++;
}

/* The rest of a string of any bytes; 0: it does not end. */
static int any_string(json_reader *r)
{
    for (;;) {
        skip_plain(r);
        if (r->at == r->end) {
            if (!more(r)) return 0;
        } else if (*r->at == '"') {
            return 1;
        } else {
            r->at++;
            if (!here(r)) return 0;
            r->at++;
        }
    }
}

static int strict_string(json_reader *r)
{
    while (here(r) && *r->at != '"') {
        const unsigned char c = (unsigned char)*r->at;
        const size_t length = c < 0x80 ? 1 : character(r);
        if (c < 0x20) return fail(r, "a string contains a control character"), 0;
        if (length == 0) return fail(r, "a byte is not UTF-8 text"), 0;
        r->at += length;
        if (c == '\\' && !escape(r)) return fail(r, "a string contains an unknown escape"), 0;
    }
    return r->at < r->end;
}

static json_token string(json_reader *r, json_token token)
{
    begin_token(r);
    r->text = ++r->at;
    if (!(r->tolerant ? any_string(r) : strict_string(r)))
        return fail(r, "a string is not closed");
    r->length = (size_t)(r->at++ - r->text);
    return token;
}

/* ---- Numbers, words -------------------------------------------------------- */

static void skip_digits(json_reader *r)
{
    do while (r->at < r->end && *r->at >= '0' && *r->at <= '9') r->at++;
    while (r->at == r->end && more(r));
}

/* Is `text` next? Steps over it then. */
static int word(json_reader *r, const char *text)
{
    const size_t length = strlen(text);
    while ((size_t)(r->end - r->at) < length && more(r)) { }
    if ((size_t)(r->end - r->at) < length || memcmp(r->at, text, length) != 0) return 0;
    r->at += length;
    return 1;
}

/* What is no value: missing, where that is tolerated, or a number that is none. */
static json_token no_value(json_reader *r)
{
    static const char wrong[] = "a JSON value is missing or invalid";
    if (!r->tolerant) return fail(r, wrong);
    r->mended++;
    if (r->at == r->text && (is_next(r, ',') || is_next(r, '}') || is_next(r, ']')))
        return JSON_NULL;
    if (word(r, "NaN") || word(r, "nan") || word(r, "Infinity") || word(r, "inf"))
        return JSON_NULL;
    r->mended--;
    return fail(r, wrong);
}

static json_token number(json_reader *r)
{
    begin_token(r);
    r->text = r->at;
    if (is_next(r, '-')) r->at++;
    if (is_next(r, '0')) r->at++;
    else if (!is_digit(r)) return no_value(r);
    else skip_digits(r);
    if (is_next(r, '.')) {
        r->at++;
        if (!is_digit(r)) return fail(r, "a number has no digits after its decimal point");
        skip_digits(r);
    }
    if (is_next(r, 'e') || is_next(r, 'E')) {
        r->at++;
        if (is_next(r, '+') || is_next(r, '-')) r->at++;
        if (!is_digit(r)) return fail(r, "a number has no digits in its exponent");
        skip_digits(r);
    }
    r->length = (size_t)(r->at - r->text);
    return JSON_NUMBER;
}

static json_token known_word(json_reader *r, const char *text, json_token token)
{
    begin_token(r);
    if (word(r, text)) return token;
    if ((size_t)(r->end - r->at) < strlen(text)) r->at = r->end;
    return fail(r, "a word is not true, false or null");
}

int json_value(const json_reader *r, double *value)
{
    char copy[64];
    if (number_decimal(r->text, r->text + r->length, value)) return 1;
    if (r->length >= sizeof copy) return 0;
    memcpy(copy, r->text, r->length);
    copy[r->length] = '\0';
    return number_parse(copy, NUMBER_ANY, value) == NULL;
}

/* ---- Grammar --------------------------------------------------------------- */

static json_token begin(json_reader *r, char closing, enum json_state state,
                        json_token token)
{
    if (r->depth == JSON_DEPTH) return fail(r, "arrays or objects are nested too deeply");
    r->closing[r->depth++] = closing;
    r->at++;
    r->state = (int)state;
    return token;
}

static json_token value(json_reader *r)
{
    r->state = EXPECT_SEPARATOR;
    if (!here(r)) return fail(r, "the text ends inside a JSON value");
    switch (*r->at) {
    case '{': return begin(r, '}', EXPECT_FIRST_KEY, JSON_OBJECT);
    case '[': return begin(r, ']', EXPECT_FIRST_VALUE, JSON_ARRAY);
    case '"': return string(r, JSON_STRING);
    case 't': return known_word(r, "true", JSON_TRUE);
    case 'f': return known_word(r, "false", JSON_FALSE);
    case 'n': if (r->tolerant) break;
              return known_word(r, "null", JSON_NULL);
    default:  break;
    }
    if (*r->at == 'n' && word(r, "null")) return JSON_NULL;
    return number(r);
}

static json_token key(json_reader *r)
{
    if (!is_next(r, '"')) return fail(r, "a key of an object is missing");
    if (string(r, JSON_KEY) == JSON_WRONG) return JSON_WRONG;
    skip_blanks(r);
    if (!is_next(r, ':')) return fail(r, "a colon is missing after a key");
    r->at++;
    r->state = EXPECT_VALUE;
    return JSON_KEY;
}

static json_token close(json_reader *r)
{
    r->at++;
    r->depth--;
    r->state = EXPECT_SEPARATOR;
    return JSON_CLOSE;
}

json_token json_next(json_reader *r)
{
    if (r->wrong) return JSON_WRONG;
    r->keep = NULL;
    skip_blanks(r);
    if (r->state == EXPECT_SEPARATOR && r->depth == 0)
        return !here(r) ? JSON_END : fail(r, "text follows the end of the JSON value");
    if (r->state != EXPECT_VALUE && r->state != EXPECT_KEY &&
        is_next(r, r->closing[r->depth - 1]))
        return close(r);
    if (r->state == EXPECT_SEPARATOR) {
        if (!is_next(r, ',')) return fail(r, "a comma or a closing bracket is missing");
        r->at++;
        skip_blanks(r);
        if (r->tolerant && is_next(r, r->closing[r->depth - 1])) {
            r->mended++;
            return close(r);
        }
        r->state = r->closing[r->depth - 1] == '}' ? EXPECT_KEY : EXPECT_VALUE;
    }
    return r->state == EXPECT_KEY || r->state == EXPECT_FIRST_KEY ? key(r) : value(r);
}

int json_skip(json_reader *r, json_token token)
{
    const size_t outside = r->depth - 1;
    if (token == JSON_WRONG || token == JSON_END || token == JSON_CLOSE) return 0;
    if (token != JSON_OBJECT && token != JSON_ARRAY) return 1;
    while (r->depth > outside)
        if (json_next(r) == JSON_WRONG) return 0;
    return 1;
}

int json_is(const json_reader *r, const char *text)
{
    return strlen(text) == r->length && memcmp(r->text, text, r->length) == 0;
}
