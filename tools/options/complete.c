/* complete.c - what may stand next in a command line: see complete.h */
#include "options/complete.h"

#include <string.h>

/* What is offered in place of a word: `start` of it stays, `value` is completed. */
typedef struct offers {
    output      words;
    const char *start, *value, *list; /* list: where one begins that value ends    */
    int         files, open;
} offers;

static void offer(offers *o, const char *word, size_t length, const char *meaning)
{
    enum { MEANING = 64 };
    const size_t begun = strlen(o->value);
    size_t most = strcspn(meaning, "\n");
    if (length < begun || memcmp(word, o->value, begun) != 0) return;
    if (most > MEANING)                /* whole words of it */
        for (most = MEANING; most > 0 && meaning[most] != ' ';) most--;
    output_print(&o->words, "%.*s%.*s\t%.*s\n", (int)(o->value - o->start), o->start, (int)length,
                 word, (int)most, meaning);
}

/* ---- Values ---------------------------------------------------------------- */

/* Is it one of the list that has begun? */
static int is_listed(const offers *o, const char *word, size_t length)
{
    const char *at = o->list;
    for (; at < o->value; at += strcspn(at, ",") + 1)
        if (strcspn(at, ",") == length && memcmp(at, word, length) == 0) return 1;
    return 0;
}

/* Behind a word that ends in ':' more is typed. */
static void offer_words(offers *o, const char *words)
{
    size_t n;
    for (; *words != '\0'; words += n + (words[n] == ' ')) {
        n = strcspn(words, " ");
        if (is_listed(o, words, n)) continue;
        if (words[n - 1] == ':' && strlen(o->value) == n) continue;
        o->open |= words[n - 1] == ':' && strncmp(words, o->value, strlen(o->value)) == 0;
        offer(o, words, n, "");
    }
}

static void offer_value(offers *o, const option_row *row)
{
    const char *comma = row->kind == KIND_LIST ? strrchr(o->value, ',') : NULL;
    o->list = o->value;
    if (comma) o->value = comma + 1;
    o->open = row->kind == KIND_LIST && row->words;
    o->files = row->kind == KIND_PATH;
    if (row->words && (o->files || row->kind == KIND_CHOICE || row->kind == KIND_LIST))
        offer_words(o, row->words);
}

/* ---- A command --------------------------------------------------------------- */

/* The option text[length] of the command, if a value is behind it. */
static int find_valued(const args_command *command, const char *text, size_t length,
                       option_row *row)
{
    const option_use *use = args_find(command, text, length);
    if (!use) return 0;
    *row = option_of(use);
    return row->kind != KIND_FLAG;
}

static void offer_options(offers *o, const args_command *command)
{
    const option_use *known[OPTION_COUNT];
    const size_t count = args_known(command, known);
    for (size_t i = 0; i < count; i++) {
        const option_row row = option_of(known[i]);
        if (command->run || known[i]->id == OPTION_HELP)
            offer(o, row.name, strlen(row.name), row.help);
    }
}

/* The first word behind a command: a part of it, or what may stand for a file. */
static void offer_first(offers *o, const args_command *command)
{
    for (size_t i = 0; i < command->part_count; i++)
        offer(o, command->parts[i]->name, strlen(command->parts[i]->name), "");
    for (size_t i = 0; i < command->use_count; i++)
        if (command->uses[i].id == OPTION_COUNT && command->uses[i].words)
            offer_words(o, command->uses[i].words);
}

/* before: the word in front; first: there is none. */
static void offer_next(offers *o, const args_command *command, const char *before, int first)
{
    const char *const equals = strncmp(o->start, "--", 2) == 0 ? strchr(o->start, '=') : NULL;
    option_row row;
    if (equals && find_valued(command, o->start, (size_t)(equals - o->start), &row)) {
        o->value = equals + 1;
        offer_value(o, &row);
    } else if (find_valued(command, before, strlen(before), &row)) {
        offer_value(o, &row);
    } else if (*o->start == '-') {
        offer_options(o, command);
    } else {
        o->files = command->files_max > 0;
        if (first) offer_first(o, command);
    }
}

/* ---- A command line ---------------------------------------------------------- */

static const args_command *find_command(const args_command *const *list, size_t count,
                                        const char *name)
{
    size_t i = 0;
    while (i < count && strcmp(list[i]->name, name) != 0) i++;
    return i < count ? list[i] : NULL;
}

static void offer_commands(offers *o, const program *p)
{
    const char *const more[][2] = {
        {"help", "options, units, defaults and an example of a command"},
        {NAME_OF(HELP), "commands"}, {"--version", ""}, {"--options", "every option, as CSV"}
    };
    size_t i;
    for (i = 0; i < p->count; i++)
        offer(o, p->commands[i]->name, strlen(p->commands[i]->name), p->commands[i]->summary);
    for (i = 0; i < COUNT_OF(more); i++) offer(o, more[i][0], strlen(more[i][0]), more[i][1]);
}

void complete(output *out, const program *p, char *const *word, size_t count)
{
    const args_command *command, *part;
    offers o = {{0}, "", "", "", 0, 0};
    if (count > 0) o.start = o.value = o.list = word[count - 1];
    if (count < 2 || (count == 2 && strcmp(word[0], "help") == 0)) {
        offer_commands(&o, p);
    } else if ((command = find_command(p->commands, p->count, word[0])) != NULL) {
        part = count > 2 ? find_command(command->parts, command->part_count, word[1]) : NULL;
        offer_next(&o, part ? part : command, word[count - 2], count == 2);
    }
    output_print(out, "%s%s\n", o.files ? "files " : "", o.open ? "open" : "");
    output_bytes(out, o.words.text, o.words.length);
}
