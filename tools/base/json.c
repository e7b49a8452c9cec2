/* json.c - a JSON tokenizer that knows the grammar */
#include "base/json.h"

#include "base/tool.h"

#include <string.h>

enum json_state {
    EXPECT_VALUE = 0,
    EXPECT_FIRST_VALUE,       /* or the end of an array                             */
    EXPECT_KEY,
    EXPECT_FIRST_KEY,         /* or the end of an object                            */
    EXPECT_SEPARATOR          /* a comma, an end, or at depth 0 nothing             */
};

void json_read(json_reader *r, const char *data, size_t length)
{
    memset(r, 0, sizeof *r);
    if (length >= 3 && memcmp(data, "\xEF\xBB\xBF", 3) == 0) { data += 3; length -= 3; }
    r->at = data;
    r->end = data + length;
    r->line = 1;
}

static json_token fail(json_reader *r, const char *wrong)
{
    if (!r->wrong) r->wrong = wrong;
    r->at = r->end;
    return JSON_WRONG;
}

static void skip_blanks(json_reader *r)
{
    for (; r->at < r->end; r->at++) {
        if (*r->at == '\n') r->line++;
        else if (*r->at != ' ' && *r->at != '\t' && *r->at != '\r') break;
    }
}

static int is_next(const json_reader *r, char c) { return r->at < r->end && *r->at == c; }

static int is_digit(const json_reader *r)
{
    return r->at < r->end && *r->at >= '0' && *r->at <= '9';
}

static int is_hexadecimal(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* Bytes of the character at r->at, of which the data may end; 0: it is none. */
static size_t character(const json_reader *r)
{
    const size_t left = (size_t)(r->end - r->at);
    char four[5] = {0};
    memcpy(four, r->at, left < 4 ? left : 4);
    return utf8_length(four);
}

/* Steps over what follows a backslash. */
static int escape(json_reader *r)
{
    int i;
    if (r->at == r->end || !strchr("\"\\/bfnrtu", *r->at) || *r->at == '\0') return 0;
    if (*r->at++ != 'u') return 1;
    for (i = 0; i < 4; i++, r->at++)
        if (r->at == r->end || !is_hexadecimal(*r->at)) return 0;
    return 1;
}

static json_token string(json_reader *r, json_token token)
{
    r->text = ++r->at;
    while (r->at < r->end && *r->at != '"') {
        const unsigned char c = (unsigned char)*r->at;
        const size_t length = c < 0x80 ? 1 : character(r);
        if (c < 0x20) return fail(r, "a control character in a string");
        if (length == 0) return fail(r, "a byte that is not UTF-8 text");
        r->at += length;
        if (c == '\\' && !escape(r)) return fail(r, "an unknown escape in a string");
    }
    if (r->at == r->end) return fail(r, "a string is not closed");
    r->length = (size_t)(r->at++ - r->text);
    return token;
}

static json_token number(json_reader *r)
{
    r->text = r->at;
    if (is_next(r, '-')) r->at++;
    if (is_next(r, '0')) r->at++;
    else if (!is_digit(r)) return fail(r, "a value is missing, or of no kind that JSON has");
    else while (is_digit(r)) r->at++;
    if (is_next(r, '.')) {
        r->at++;
        if (!is_digit(r)) return fail(r, "a number without digits behind its point");
        while (is_digit(r)) r->at++;
    }
    if (is_next(r, 'e') || is_next(r, 'E')) {
        r->at++;
        if (is_next(r, '+') || is_next(r, '-')) r->at++;
        if (!is_digit(r)) return fail(r, "a number without digits in its exponent");
        while (is_digit(r)) r->at++;
    }
    r->length = (size_t)(r->at - r->text);
    return JSON_NUMBER;
}

static json_token word(json_reader *r, const char *text, json_token token)
{
    const size_t length = strlen(text);
    if ((size_t)(r->end - r->at) < length || memcmp(r->at, text, length) != 0)
        return fail(r, "a word that is none of true, false and null");
    r->at += length;
    return token;
}

static json_token begin(json_reader *r, char closing, enum json_state state,
                        json_token token)
{
    if (r->depth == JSON_DEPTH) return fail(r, "nested too deeply");
    r->closing[r->depth++] = closing;
    r->at++;
    r->state = (int)state;
    return token;
}

static json_token value(json_reader *r)
{
    r->state = EXPECT_SEPARATOR;
    if (r->at == r->end) return fail(r, "the text ends early");
    switch (*r->at) {
    case '{': return begin(r, '}', EXPECT_FIRST_KEY, JSON_OBJECT);
    case '[': return begin(r, ']', EXPECT_FIRST_VALUE, JSON_ARRAY);
    case '"': return string(r, JSON_STRING);
    case 't': return word(r, "true", JSON_TRUE);
    case 'f': return word(r, "false", JSON_FALSE);
    case 'n': return word(r, "null", JSON_NULL);
    default:  return number(r);
    }
}

static json_token key(json_reader *r)
{
    if (!is_next(r, '"')) return fail(r, "a key is missing");
    if (string(r, JSON_KEY) == JSON_WRONG) return JSON_WRONG;
    skip_blanks(r);
    if (!is_next(r, ':')) return fail(r, "a colon is missing behind a key");
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
    skip_blanks(r);
    if (r->state == EXPECT_SEPARATOR && r->depth == 0)
        return r->at == r->end ? JSON_END : fail(r, "text behind the end");
    if (r->state != EXPECT_VALUE && r->state != EXPECT_KEY &&
        is_next(r, r->closing[r->depth - 1]))
        return close(r);
    if (r->state == EXPECT_SEPARATOR) {
        if (!is_next(r, ',')) return fail(r, "a comma or a closing bracket is missing");
        r->at++;
        skip_blanks(r);
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
