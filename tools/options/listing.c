/* listing.c - what a program takes, for shells and manual pages */
#include "options/listing.h"

#include "base/columns.h"

#include <stdio.h>
#include <string.h>

void listing_each(const program *p, listing_visit visit, void *ctx)
{
    enum { TITLE_BYTES = 64 };
    char title[TITLE_BYTES];
    for (size_t i = 0; i < p->count; i++) {
        const args_command *command = p->commands[i];
        visit(ctx, command->name, command);
        for (size_t k = 0; k < command->part_count; k++) {
            snprintf(title, sizeof title, "%s %s", command->name, command->parts[k]->name);
            visit(ctx, title, command->parts[k]);
        }
    }
}

/* Where a part must be named there is nothing but help. */
static void add_options(void *ctx, const char *title, const args_command *command)
{
    const option_use *known[OPTION_COUNT];
    const size_t count = args_known(command, known);
    columns *t = (columns *)ctx;
    for (size_t i = 0; i < count; i++) {
        const option_row o = option_of(known[i]);
        if (!command->run && known[i]->id != OPTION_HELP) continue;
        columns_row(t);
        column_text(t, ALL, "command", title);
        column_text(t, ALL, "option", o.name);
        column_text(t, ALL, "kind", o.kind == KIND_FLAG ? "flag"
                                    : o.kind == KIND_REPEATED ? "repeated" : "value");
    }
}

void listing_options(output *out, const program *p)
{
    out->form = CSV;
    columns t = columns_open(out, ALL, NULL);
    listing_each(p, add_options, &t);
    columns_close(&t);
}

/* ---- Everything -------------------------------------------------------------- */

static void add_cell(output *out, const char *text)
{
    output_print(out, "\t");
    for (; text && *text != '\0'; text++)
        if (*text == '\n' || *text == '\t') output_print(out, *text == '\n' ? "\\n" : "\\t");
        else output_print(out, "%c", *text);
}

static void add_option(output *out, const option_use *use)
{
    static const option_use notes = USE(NOTES);
    const option_row o = option_of(use);
    output_print(out, "option\t%s", o.name);
    add_cell(out, o.value);
    add_cell(out, o.help);
    add_cell(out, o.preset);
    output_print(out, "\n");
    if (use->id == OPTION_FORMAT) add_option(out, &notes); /* which all have, behind it */
}

/* A row for each line. */
static void add_lines(output *out, const char *text)
{
    while (*text != '\0') {
        const size_t length = strcspn(text, "\n");
        output_print(out, "text\t%.*s\n", (int)length, text);
        text += length + (text[length] == '\n');
    }
}

static void add_command(void *ctx, const char *title, const args_command *command)
{
    output *out = (output *)ctx;
    output_print(out, "command\t%s\t%s\n", title, command->summary ? command->summary : "");
    for (size_t i = 0; i < command->use_count; i++)
        if (command->uses[i].id == OPTION_COUNT) add_lines(out, command->uses[i].help);
        else add_option(out, &command->uses[i]);
}

void listing_all(output *out, const program *p) { listing_each(p, add_command, out); }
