/* kineto_event.c - an event of a Chrome trace, as Kineto writes it: one JSON object */
#include "import/kineto.h"

#include <ctype.h>
#include <string.h>

static int is_text(const json_reader *r, const char *text, size_t length)
{
    return r->length == length && memcmp(r->text, text, length) == 0;
}

#define IS(r, literal) is_text(r, literal, sizeof(literal) - 1)

/* ---- Words ----------------------------------------------------------------- */

static int ends_in(const json_reader *r, const char *end, size_t length)
{
    return r->length >= length && memcmp(r->text + r->length - length, end, length) == 0;
}

static kineto_category category(const json_reader *r)
{
    if (IS(r, "cpu_op") || IS(r, "Operator")) return KINETO_HOST;
    if (IS(r, "kernel") || IS(r, "gpu_memcpy") || IS(r, "gpu_memset") || IS(r, "Kernel") ||
        IS(r, "Memcpy") || IS(r, "Memset") || IS(r, "mtia_ccp_events"))
        return KINETO_DEVICE;
    if (ends_in(r, "_runtime", 8) || ends_in(r, "_driver", 7) || IS(r, "Runtime"))
        return KINETO_LAUNCH;
    return IS(r, "user_annotation") ? KINETO_ANNOTATION : KINETO_OTHER;
}

/* Bytes of an element of a tensor; -1: not known. */
static double element_bytes(const json_reader *r)
{
    static const struct { const char *word; double bytes; } words[] = {
        {"float", 4}, {"half", 2}, {"c10::half", 2}, {"bfloat16", 2}, {"c10::bfloat16", 2},
        {"double", 8}, {"long", 8}, {"long int", 8}, {"int", 4}, {"short", 2}, {"char", 1},
        {"byte", 1}, {"bool", 1}, {"unsigned char", 1}, {"signed char", 1}, {"short int", 2},
        {"float8_e4m3fn", 1}, {"float8_e5m2", 1}, {"uint8", 1}, {"int8", 1}, {"int32", 4},
        {"int64", 8}, {"float16", 2}, {"float32", 4}, {"float64", 8}
    };
    char word[24];
    size_t i;
    if (r->length >= sizeof word) return -1.0;
    for (i = 0; i < r->length; i++) word[i] = (char)tolower((unsigned char)r->text[i]);
    word[r->length] = '\0';
    for (i = 0; i < COUNT_OF(words); i++)
        if (strcmp(words[i].word, word) == 0) return words[i].bytes;
    return -1.0;
}

/* ---- Values ---------------------------------------------------------------- */

/* A number, or one between quotes; -1 for anything else. */
static int read_number(json_reader *r, double *value)
{
    const json_token token = json_next(r);
    char text[64];
    *value = -1.0;
    if (token == JSON_NUMBER) return (void)json_value(r, value), 1;
    if (token != JSON_STRING) return json_skip(r, token);
    if (r->length >= sizeof text) return 1;
    memcpy(text, r->text, r->length);
    text[r->length] = '\0';
    (void)number_parse(text, NUMBER_ANY, value);
    return 1;
}

static int read_text(json_reader *r, char text[KINETO_NAME + 1])
{
    const json_token token = json_next(r);
    size_t length = 0;
    if (token == JSON_STRING) {
        length = r->length < KINETO_NAME ? r->length : KINETO_NAME;
        memcpy(text, r->text, length);
    } else if (!json_skip(r, token)) {
        return 0;
    }
    text[length] = '\0';
    return 1;
}

/* "Input Dims": the elements of the first tensor, [[3, 4], ...] or [[[3, 4], ...], ...]. */
static int read_dims(json_reader *r, double *elements)
{
    double product = 1.0, value;
    int state = 0;            /* 1: in the first list of numbers, 2: behind it      */
    json_token token = json_next(r);
    const size_t outside = r->depth - 1;
    *elements = -1.0;
    if (token != JSON_ARRAY) return json_skip(r, token);
    while (r->depth > outside) {
        token = json_next(r);
        if (token == JSON_WRONG) return 0;
        if (token == JSON_NUMBER && state < 2 && json_value(r, &value)) {
            product *= value;
            state = 1;
        }
        if (token == JSON_CLOSE && state == 1) state = 2;
    }
    if (state == 2 && product >= 0.0) *elements = product;
    return 1;
}

/* "Input type": the bytes of the first one's elements. */
static int read_types(json_reader *r, double *bytes)
{
    json_token token = json_next(r);
    const size_t outside = r->depth - 1;
    int first = 1;
    if (token != JSON_ARRAY) return json_skip(r, token);
    while (r->depth > outside) {
        token = json_next(r);
        if (token == JSON_WRONG) return 0;
        if (token == JSON_STRING && first) {
            if (*bytes < 0.0) *bytes = element_bytes(r);
            first = 0;
        }
    }
    return 1;
}

/* ---- Events ---------------------------------------------------------------- */

static int read_argument(json_reader *r, kineto_event *e)
{
    json_token token;
    if (IS(r, "correlation")) return read_number(r, &e->correlation);
    if (IS(r, "In msg nelems") || IS(r, "In msg size")) return read_number(r, &e->elements);
    if (IS(r, "Out msg nelems") || IS(r, "Out msg size"))
        return read_number(r, &e->out_elements);
    if (IS(r, "device")) return read_number(r, &e->device);
    if (IS(r, "Group size")) return read_number(r, &e->group);
    if (IS(r, "Collective name")) return read_text(r, e->collective);
    if (IS(r, "dtype")) {
        token = json_next(r);
        if (token == JSON_STRING) e->element_bytes = element_bytes(r);
        return json_skip(r, token);
    }
    if (e->category != KINETO_DEVICE && e->category != KINETO_LAUNCH) {
        if (IS(r, "Input Dims")) return read_dims(r, &e->dims_elements);
        if (IS(r, "Input type")) return read_types(r, &e->element_bytes);
    }
    return json_skip(r, json_next(r));
}

static int read_arguments(json_reader *r, kineto_event *e)
{
    json_token token = json_next(r);
    if (token != JSON_OBJECT) return json_skip(r, token);
    while ((token = json_next(r)) == JSON_KEY)
        if (!read_argument(r, e)) return 0;
    return token == JSON_CLOSE;
}

/* Two threads of one process may have names in place of numbers. */
static int read_thread(json_reader *r, double *thread)
{
    const json_token token = json_next(r);
    size_t i;
    *thread = 0.0;
    if (token == JSON_NUMBER) return (void)json_value(r, thread), 1;
    if (token != JSON_STRING) return json_skip(r, token);
    for (i = 0; i < r->length && i < 24; i++)
        *thread = *thread * 31.0 + (double)(unsigned char)r->text[i];
    return 1;
}

static int read_member(json_reader *r, kineto_event *e)
{
    json_token token;
    if (IS(r, "ts")) return read_number(r, &e->ts);
    if (IS(r, "dur")) return read_number(r, &e->dur);
    if (IS(r, "tid")) return read_thread(r, &e->thread);
    if (IS(r, "name")) return read_text(r, e->name);
    if (IS(r, "args")) return read_arguments(r, e);
    if (IS(r, "cat") || IS(r, "ph")) {
        const int is_category = r->length == 3;
        token = json_next(r);
        if (token != JSON_STRING) return json_skip(r, token);
        if (is_category) e->category = category(r);
        else e->phase = r->length == 1 ? *r->text : '\0';
        return 1;
    }
    return json_skip(r, json_next(r));
}

int kineto_read_event(json_reader *r, kineto_event *e)
{
    json_token token;
    e->phase = '\0';
    e->category = KINETO_OTHER;
    e->name[0] = e->collective[0] = '\0';
    e->ts = e->dur = e->correlation = e->device = e->elements = e->out_elements = -1.0;
    e->element_bytes = e->group = e->dims_elements = -1.0;
    e->thread = 0.0;
    while ((token = json_next(r)) == JSON_KEY)
        if (!read_member(r, e)) return 0;
    return token == JSON_CLOSE;
}
