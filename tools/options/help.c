/* help.c - --help and -h of a command, from what it says of its options */
#include "options/help.h"

#include <stdio.h>
#include <string.h>

enum { HELP_WIDTH = 80, HELP_HEAD = 22, HELP_CHOICE = 6 }; /* columns; of a line, a head, a word */

/* ---- Lines ------------------------------------------------------------------- */

/* at: column, 0: no line has begun; fresh: a word goes there without a blank before it. */
typedef struct help_line { output *out; size_t at, indent; int fresh; } help_line;

static void end_line(help_line *line)
{
    if (line->at > 0) output_print(line->out, "\n");
    line->at = 0;
}

/* Goes to the column, in a new line where it is past that. */
static void go_to(help_line *line, size_t column)
{
    if (line->at >= column) end_line(line);
    output_print(line->out, "%*s", (int)(column - line->at), "");
    line->at = column;
    line->fresh = 1;
}

/* In a new line, at the indent, where it is too long for this one. */
static void add_word(help_line *line, const char *word, size_t length)
{
    if (!line->fresh && line->at + 1 + length > HELP_WIDTH) end_line(line);
    if (line->at == 0) go_to(line, line->indent);
    output_print(line->out, "%s%.*s", line->fresh ? "" : " ", (int)length, word);
    line->at += length + !line->fresh;
    line->fresh = 0;
}

/* Of the first word, to which a "%" behind a blank belongs. */
static size_t word_length(const char *text, size_t length)
{
    size_t n = 0;
    while (n < length && (text[n] != ' ' || (n + 1 < length && text[n + 1] == '%'))) n++;
    return n;
}

static void add_text(help_line *line, const char *text, size_t length)
{
    size_t i = 0, n;
    for (; i < length; i += n) {
        while (i < length && text[i] == ' ') i++;
        n = word_length(text + i, length - i);
        if (n > 0) add_word(line, text + i, n);
    }
}

/* ---- Options ----------------------------------------------------------------- */

/* Bytes of the name of an option and of its value. */
static size_t help_head(const option_row *o)
{
    return strlen(o->name) + (o->value ? 1 + strlen(o->value) : 0);
}

static void add_head(help_line *line, const option_row *o)
{
    output_print(line->out, "  %s%s%s", o->name, o->value ? " " : "", o->value ? o->value : "");
    line->at = 2 + help_head(o);
}

/* "[preset]", in one line where there is room. */
static void add_preset(help_line *line, const char *preset)
{
    const size_t length = strlen(preset) + 2;
    char *shown = (char *)tool_alloc(length + 1, 1);
    sprintf(shown, "[%s]", preset);
    if (line->at + 1 + length > HELP_WIDTH && line->indent + length <= HELP_WIDTH) end_line(line);
    add_text(line, shown, length);
}

/* A line "WORD\tTEXT" of a choice, or a text that goes on below the first line. */
static void add_line(help_line *line, const char *text, size_t length, size_t column)
{
    const char *tab = (const char *)memchr(text, '\t', length);
    end_line(line);
    if (tab) {
        go_to(line, HELP_CHOICE);
        output_print(line->out, "%.*s", (int)(tab - text), text);
        line->at += (size_t)(tab - text);
        length -= (size_t)(tab + 1 - text);
        text = tab + 1;
    }
    line->indent = column;
    go_to(line, column);
    add_text(line, text, length);
}

/* The default stands behind the meaning, in front of the choices. */
static void add_option(output *out, const option_row *o, size_t column)
{
    help_line line = {NULL, 0, 0, 0};
    const char *text = o->help;
    size_t length = strcspn(text, "\n");
    line.out = out;
    line.indent = column;
    add_head(&line, o);
    go_to(&line, column);
    add_text(&line, text, length);
    if (o->preset) add_preset(&line, o->preset);
    for (text += length; *text != '\0'; text += length) {
        length = strcspn(++text, "\n");
        add_line(&line, text, length, column);
    }
    end_line(&line);
}

/* Where texts begin: behind the longest head that is not too long for that. */
static size_t text_column(const option_use *uses, size_t count)
{
    size_t most = 0;
    for (size_t i = 0; i < count; i++) {
        const option_use *use = &uses[i];
        const option_row o = use->id == OPTION_COUNT ? options_all[0] : option_of(use);
        if (use->id == OPTION_COUNT || help_head(&o) > HELP_HEAD) continue;
        if (help_head(&o) > most) most = help_head(&o);
    }
    return most + 4;
}

void help_print(output *out, const option_use *uses, size_t count)
{
    output text = {0};
    const size_t column = text_column(uses, count);
    for (size_t i = 0; i < count; i++) {
        const option_use *use = &uses[i];
        if (use->id == OPTION_COUNT) output_print(&text, "%s", use->help);
        else {
            const option_row o = option_of(use);
            add_option(&text, &o, column);
            if (use->id == OPTION_FORMAT) add_option(&text, &options_all[OPTION_NOTES], column);
        }
    }
    output_print(&text, "%c", '\0');
    output_help(out, text.text);
}

/* ---- The first of it --------------------------------------------------------- */

/* Bytes of a paragraph, with the end of its last line. */
static size_t paragraph_length(const char *text)
{
    const char *blank = strstr(text, "\n\n");
    return blank ? (size_t)(blank - text) + 1 : strlen(text);
}

/* The text that begins with the usage. */
static const char *first_text(const option_use *uses, size_t count)
{
    size_t i = 0;
    while (i < count && (uses[i].id != OPTION_COUNT || *uses[i].help == '\0')) i++;
    return i < count ? uses[i].help : "";
}

static const option_use *use_of(const option_use *uses, size_t count, option_id id)
{
    size_t i = 0;
    while (i + 1 < count && uses[i].id != id) i++;
    return &uses[i];
}

void help_brief(output *out, const char *title, const option_use *uses, size_t count,
                const option_set *first)
{
    option_use of[OPTION_COUNT];
    output text = {0};
    const char *usage = first_text(uses, count);
    const char *answer = usage + paragraph_length(usage);
    answer += *answer == '\n';
    output_print(&text, "%.*s%.*s", (int)paragraph_length(usage), usage,
                 (int)paragraph_length(answer), answer);
    for (size_t i = 0; i < first->count; i++) of[i] = *use_of(uses, count, first->ids[i]);
    size_t column = text_column(of, first->count);
    for (size_t i = 0; i < first->count; i++) {
        option_row o = option_of(&of[i]);
        o.help = tool_text("%.*s", (int)strcspn(o.help, "\n"), o.help); /* choices: --help  */
        add_option(&text, &o, column);
    }
    output_print(&text, "sgdperf %s %s has all: options, units, defaults, an example.\n%c", title,
                 NAME_OF(HELP), '\0');
    output_help(out, text.text);
}
