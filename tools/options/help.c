/* help.c - --help of a command, from what it says of its options */
#include "options/help.h"

#include <stdio.h>
#include <string.h>

enum { HELP_WIDTH = 90, HELP_HEAD = 22, HELP_CHOICE = 6 }; /* columns; of a line, a head, a word */

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

static void add_head(help_line *line, const option_row *o)
{
    output_print(line->out, "  %s%s%s", o->name, o->value ? " " : "", o->value ? o->value : "");
    line->at = 2 + help_head(o);
}

size_t help_head(const option_row *o)
{
    return strlen(o->name) + (o->value ? 1 + strlen(o->value) : 0);
}

static void add_option(output *out, const option_row *o, size_t column)
{
    help_line line = {NULL, 0, 0, 0};
    const char *text = o->help;
    int first = 1;
    line.out = out;
    add_head(&line, o);
    for (;; first = 0) {
        const size_t length = strcspn(text, "\n");
        const char *tab = (const char *)memchr(text, '\t', length);
        if (!first) end_line(&line);
        if (tab) {
            go_to(&line, HELP_CHOICE);
            output_print(out, "%.*s", (int)(tab - text), text);
            line.at += (size_t)(tab - text);
        }
        line.indent = column;
        if (first || tab) go_to(&line, column);
        else {
            go_to(&line, column + 2);
            line.indent += 4;
        }
        if (tab) add_text(&line, tab + 1, length - (size_t)(tab + 1 - text));
        else add_text(&line, text, length);
        if (text[length] == '\0') break;
        text += length + 1;
    }
    if (o->preset) {
        char *shown = (char *)tool_alloc(strlen(o->preset) + 3, 1);
        sprintf(shown, "[%s]", o->preset);
        add_text(&line, shown, strlen(shown));
    }
    end_line(&line);
}

/* Where texts begin: behind the longest head that is not too long for that. */
static size_t text_column(const option_use *uses, size_t count)
{
    size_t most = 0, i;
    for (i = 0; i < count; i++) {
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
    size_t i;
    for (i = 0; i < count; i++) {
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
