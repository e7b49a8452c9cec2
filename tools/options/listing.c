/* listing.c - what a program takes, for shells and manual pages */
#include "options/listing.h"

#include "base/columns.h"

#include <stdio.h>
#include <string.h>

void listing_each(const program *p, listing_visit visit, void *ctx)
{
    enum { TITLE_BYTES = 64 };
    char title[TITLE_BYTES];
    size_t i, k;
    for (i = 0; i < p->count; i++) {
        const args_command *command = p->commands[i];
        visit(ctx, command->name, command);
        for (k = 0; k < command->part_count; k++) {
            snprintf(title, sizeof title, "%s %s", command->name, command->parts[k]->name);
            visit(ctx, title, command->parts[k]);
        }
    }
}

/* The options of a command; where a part must be named there is nothing but help. */
static size_t known_to(const args_command *command, const option_use *known[OPTION_COUNT])
{
    const size_t count = args_known(command, known);
    size_t i = 0;
    while (!command->run && known[i]->id != OPTION_HELP) i++;
    known[0] = known[i];
    return command->run ? count : 1;
}

static void add_options(void *ctx, const char *title, const args_command *command)
{
    const option_use *known[OPTION_COUNT];
    const size_t count = known_to(command, known);
    columns *t = (columns *)ctx;
    size_t i;
    for (i = 0; i < count; i++) {
        const option_row o = option_of(known[i]);
        columns_row(t);
        column_text(t, ALL, "command", title);
        column_text(t, ALL, "option", o.name);
        column_text(t, ALL, "kind", o.kind == KIND_FLAG ? "flag"
                                    : o.kind == KIND_REPEATED ? "repeated" : "value");
    }
}

void listing_options(output *out, const program *p)
{
    columns t;
    out->form = CSV;
    columns_open(&t, out, ALL, NULL);
    listing_each(p, add_options, &t);
    columns_close(&t);
}

/* ---- Shells ------------------------------------------------------------------ */

static const char *taken(const option_row *o)
{
    switch (o->kind) {
    case KIND_FLAG:   return "";
    case KIND_PATH:   return o->words ? "both" : "files";
    case KIND_CHOICE: return "words";
    case KIND_LIST:   return o->words ? "list" : "none";
    default:          return "none";
    }
}

/* Bytes of a text up to the last word that ends by a column of a shell's list. */
static int first_line(const char *text)
{
    enum { COLUMNS = 64 };
    const size_t length = strcspn(text, "\n");
    size_t end = length < COLUMNS ? length : COLUMNS;
    while (end > 0 && end < length && text[end] != ' ') end--;
    return (int)end;
}

static void add_completion(void *ctx, const char *title, const args_command *command)
{
    const option_use *known[OPTION_COUNT];
    const size_t count = known_to(command, known);
    const char *first = "";
    output *out = (output *)ctx;
    size_t i;
    for (i = 0; i < command->use_count; i++)
        if (command->uses[i].id == OPTION_COUNT && command->uses[i].words)
            first = command->uses[i].words;
    output_print(out, "command\t%s\t%d\t%s\t%s\n", title, command->files_max > 0, first,
                 command->summary ? command->summary : "");
    for (i = 0; i < count; i++) {
        const option_row o = option_of(known[i]);
        const char *takes = taken(&o);
        const int words = *takes == 'w' || *takes == 'l' || *takes == 'b';
        output_print(out, "option\t%s\t%s\t%d\t%s\t%.*s\n", o.name, takes,
                     o.kind == KIND_REPEATED, words ? o.words : "", first_line(o.help), o.help);
    }
}

void listing_shells(output *out, const program *p) { listing_each(p, add_completion, out); }
