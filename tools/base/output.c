/* output.c - results: text, and JSON */
#include "base/output.h"

#include "base/csv.h"
#include "base/digits.h"
#include "base/file.h"
#include "base/paint.h"
#include "base/words.h"


#include <float.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static int is_finite(double x) { return x >= -DBL_MAX && x <= DBL_MAX; }

/* ---- Text ------------------------------------------------------------------ */

void output_grow(output *out, size_t bytes)
{
    size_t room = out->capacity < 4096 ? 4096 : out->capacity;
    if (bytes > (size_t)-1 / 4 - out->length) tool_fail("out of memory");
    while (room < out->length + bytes) room *= 2;
    out->text = (char *)tool_resize(out->text, room, 1);
    out->capacity = room;
}

static void output_text(output *out, const char *text)
{
    output_bytes(out, text, strlen(text));
}

static void output_char(output *out, char c) { output_bytes(out, &c, 1); }

void output_print(output *out, const char *format, ...)
{
    char brief[256];
    va_list arguments;
    if (out->form != 0 && out->form != SCREEN) return;
    va_start(arguments, format);
    int length = vsnprintf(brief, sizeof brief, format, arguments);
    va_end(arguments);
    if (length < 0) tool_fail("cannot format the results");
    if ((size_t)length < sizeof brief) {
        output_bytes(out, brief, (size_t)length);
        return;
    }
    va_start(arguments, format);
    vsnprintf(output_room(out, (size_t)length + 1), (size_t)length + 1, format, arguments);
    va_end(arguments);
    out->length--;                     /* vsnprintf's terminator */
}

static char json_schema[64];  /* "schema":"...", or empty                           */

void output_schema(const char *command)
{
    json_schema[0] = '\0';
    if (command)
        snprintf(json_schema, sizeof json_schema, "\"schema\":\"sgdperf.%s/1\"", command);
    for (char *p = json_schema; *p != '\0'; p++)
        if (*p == ' ') *p = '.';
}

void (*output_check)(void);

void output_send(output *out)
{
    const char *text = out->text ? out->text : "";
    size_t length = out->length;
    if (output_check) output_check();
    if (out->is_object == 1 && json_schema[0] != '\0') {
        text++;                        /* the opening bracket */
        length--;
        printf("{%s%s", json_schema, *text == '}' ? "" : ",");
    }
    if (fwrite(text, 1, length, stdout) != length || fflush(stdout) != 0 || ferror(stdout))
        tool_fail("cannot write the results to standard output");
    out->length = 0;
    if (out->is_object) out->is_object = 2;
}

/* The notes, as the last member of a JSON object that is complete. */
static void add_notes(output *out)
{
    const char *key, *text;
    if (!out->is_object || out->depth > 0 || out->length < 2 || !tool_note_at(0, &key)) return;
    out->length -= 2;                  /* its bracket, and the end of the line */
    out->comma = out->length == 0 || out->text[out->length - 1] != '{';
    out->closing[out->depth++] = '}';
    json_array(out, "notes");
    for (size_t i = 0; (text = tool_note_at(i, &key)) != NULL; i++) {
        json_object(out, NULL);
        json_string(out, "key", key);
        json_string(out, "text", text);
        json_end(out);
    }
    json_end(out);
    json_end(out);
}

int output_flush(output *out, int exit_status)
{
    csv_note_columns();
    add_notes(out);
    output_send(out);
    out_rename_all();
    tool_print_notes();
    return exit_status;
}

/* ---- Help ------------------------------------------------------------------ */

/* The end of the line that begins at `line`. */
static const char *line_end(const char *line)
{
    const char *const end = strchr(line, '\n');
    return end ? end : line + strlen(line);
}

/* Is it one line at the margin, behind none there, over others further in? */
static int is_heading(const char *line, int behind_text)
{
    const char *const end = line_end(line);
    return !behind_text && *line != ' ' && end > line && end[0] == '\n' && end[1] == ' ';
}

void output_help(output *out, const char *help)
{
    static const char usage[] = "usage:";
    int behind_text = 0;
    if (strncmp(help, usage, sizeof usage - 1) == 0) {
        output_print(out, "%s%s%s", paint(PAINT_HEADING), usage, paint_end(PAINT_HEADING));
        help += sizeof usage - 1;
        behind_text = 1;
    }
    while (*help != '\0') {
        const char *const end = line_end(help);
        const int heading = is_heading(help, behind_text), length = (int)(end - help);
        output_print(out, "%s%.*s%s%s", heading ? paint(PAINT_HEADING) : "", length, help,
                     heading ? paint_end(PAINT_HEADING) : "", *end == '\n' ? "\n" : "");
        behind_text = *help != ' ' && length > 0;
        help = *end == '\n' ? end + 1 : end;
    }
}

/* ---- JSON ------------------------------------------------------------------ */

/* Characters of ASCII that are themselves inside quotes. */
static const unsigned char plain_characters[256] = {
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1,
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0
};

/* How much of the text is. */
static size_t plain_length(const char *text)
{
    const char *p = text;
    while (plain_characters[(unsigned char)*p]) p++;
    return (size_t)(p - text);
}

/* Bytes that are not UTF-8 become U+FFFD: a file's name may hold any. */
void json_quote(output *out, const char *text)
{
    const size_t plain = plain_length(text);
    output_char(out, '"');
    output_bytes(out, text, plain);
    text += plain;
    while (*text != '\0') {
        const unsigned char c = (unsigned char)*text;
        const size_t length = utf8_length(text);
        char code[8];
        if (length == 0) {
            output_text(out, "\\ufffd");
        } else if (c == '"' || c == '\\' || c < 0x20 || c == 0x7F) {
            snprintf(code, sizeof code, c > 0x20 && c < 0x7F ? "\\%c" : "\\u%04x", (unsigned)c);
            output_text(out, code);
        } else output_bytes(out, text, length);
        text += length > 0 ? length : 1;
    }
    output_char(out, '"');
}

/* The comma and the key before any value; 0: the output is no JSON. */
int json_begin(output *out, const char *key)
{
    const size_t plain = key ? plain_length(key) : 0;
    char *room, *at;
    if (out->form != 0 && out->form != JSON) return 0;
    room = at = output_room(out, plain + 4);
    if (out->comma) *at++ = ',';
    out->comma = 1;
    if (key && key[plain] == '\0') {
        *at++ = '"';
        memcpy(at, key, plain);
        at += plain;
        *at++ = '"';
        *at++ = ':';
    }
    out->length -= plain + 4 - (size_t)(at - room);
    if (!key || key[plain] == '\0') return 1;
    json_quote(out, key);
    output_char(out, ':');
    return 1;
}

static void json_open(output *out, const char *key, const char *brackets)
{
    const int outermost = out->length == 0 && out->depth == 0;
    if (!json_begin(out, key)) return;
    if (outermost && brackets[0] == '{') out->is_object = 1;
    if (out->depth == OUTPUT_DEPTH) tool_fail("JSON nested too deeply");
    out->closing[out->depth++] = brackets[1];
    output_char(out, brackets[0]);
    out->comma = 0;
}

void json_object(output *out, const char *key) { json_open(out, key, "{}"); }

void json_array(output *out, const char *key) { json_open(out, key, "[]"); }

void json_end(output *out)
{
    if (out->form != 0 && out->form != JSON) return;
    output_char(out, out->closing[--out->depth]);
    out->comma = 1;
    if (out->depth == 0) { output_char(out, '\n'); out->comma = 0; }
}

void json_number(output *out, const char *key, double value)
{
    if (!is_finite(value)) { json_null(out, key); return; }
    if (!json_begin(out, key)) return;
    size_t at = out->length;
    out->length = at + number_shortest(value, output_room(out, NUMBER_BYTES));
}

void json_integer(output *out, const char *key, uint64_t value)
{
    if (!json_begin(out, key)) return;
    size_t at = out->length;
    out->length = at + number_integer(value, output_room(out, NUMBER_BYTES));
}

void json_bool(output *out, const char *key, int value)
{
    if (json_begin(out, key)) output_text(out, value ? "true" : "false");
}

void json_null(output *out, const char *key)
{
    if (json_begin(out, key)) output_text(out, "null");
}

void json_string(output *out, const char *key, const char *text)
{
    if (!text) { json_null(out, key); return; }
    if (json_begin(out, key)) json_quote(out, text);
}

void json_numbers(output *out, const char *key, const double *value, size_t count)
{
    json_array(out, key);
    for (size_t i = 0; i < count; i++) json_number(out, NULL, value[i]);
    json_end(out);
}

/* ---- CSV ------------------------------------------------------------------- */

/* Bytes that are not UTF-8 become U+FFFD, control characters but a tab and a line's end
 * blanks: a name that was typed, or a file's, may hold any. */
void csv_quote(output *out, const char *text)
{
    const int quoted = strpbrk(text, ",\"\r\n#") != NULL;
    if (quoted) output_bytes(out, "\"", 1);
    while (*text != '\0') {
        const unsigned char c = (unsigned char)*text;
        const size_t length = utf8_length(text);
        if (c == '"') output_bytes(out, "\"", 1);
        if (length == 0) output_bytes(out, "\xEF\xBF\xBD", 3);
        else if ((c < 0x20 && c != '\t' && c != '\n') || c == 0x7F) output_bytes(out, " ", 1);
        else output_bytes(out, text, length);
        text += length > 0 ? length : 1;
    }
    if (quoted) output_bytes(out, "\"", 1);
}
