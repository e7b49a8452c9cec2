/* args.c - command line arguments */
#include "options/args.h"

#include "base/words.h"
#include "options/help.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ARGS_MOST_WORKERS = 1000000 }; /* entries of one list */

/* ---- Failing --------------------------------------------------------------- */

void args_fail(option_id id, const char *value, const char *reason, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, reason);
    vsnprintf(text, sizeof text, reason, arguments);
    va_end(arguments);
    if (value) tool_fail("%s: '%s' %s", option_name(id), value, text);
    tool_fail("%s: %s", option_name(id), text);
}

size_t args_known(const args_command *command, const option_use *known[OPTION_COUNT])
{
    static const option_use common[] = {USE(HELP), USE(FORMAT), USE(NOTES)};
    const option_use *format = &common[1];
    char seen[OPTION_COUNT + 1] = {0};
    size_t count = 0;
    for (size_t i = 0; i < command->use_count; i++) {
        const option_use *use = &command->uses[i];
        if (use->id == OPTION_FORMAT) format = use;
        else if (use->id != OPTION_COUNT && !seen[use->id]++) known[count++] = use;
    }
    known[count++] = &common[0];
    known[count++] = format;
    known[count++] = &common[2];
    return count;
}

const option_use *args_use(const args_command *command, option_id id)
{
    const option_use *known[OPTION_COUNT];
    const size_t count = args_known(command, known);
    size_t i = 0;
    while (i < count && known[i]->id != id) i++;
    return i < count ? known[i] : NULL;
}

size_t (*args_takers)(const char *option, char *list, size_t bytes);

/* Over an option that `command`, called `title`, does not know: names the commands that
 * do, and the nearest of its own; beside such commands only one that is very near. */
TOOL_NORETURN static void args_fail_unknown(const args_command *command, const char *title,
                                            const char *name)
{
    const option_use *known[OPTION_COUNT];
    const size_t count = args_known(command, known);
    words_guess guess = {NULL, NULL, 0};
    char elsewhere[256];
    guess.text = name;
    for (size_t i = 0; i < count; i++) words_consider(&guess, option_name(known[i]->id));
    if (args_takers && args_takers(name, elsewhere, sizeof elsewhere) > 0) {
        const int near = guess.nearest && guess.distance <= 1;
        tool_fail("%s: unknown option of %s; these take it: %s%s%s%s", name, title, elsewhere,
                  near ? "; did you mean " : "", near ? guess.nearest : "", near ? "?" : "");
    }
    if (guess.nearest) tool_fail("%s: unknown option, did you mean %s?", name, guess.nearest);
    tool_fail("%s: unknown option, see sgdperf %s %s", name, title, NAME_OF(HELP));
}

/* ---- Parsing --------------------------------------------------------------- */

const option_use *args_find(const args_command *command, const char *name, size_t length)
{
    const option_use *known[OPTION_COUNT];
    size_t i = args_known(command, known);
    while (i-- > 0) {
        const char *own = option_name(known[i]->id);
        if (strlen(own) == length && memcmp(own, name, length) == 0) return known[i];
    }
    return NULL;
}

/* Takes the option at argv[i]; returns the index of the last argument used. */
static int args_take_option(args *a, int argc, char **argv, int i)
{
    const char *equals = strchr(argv[i], '=');
    const size_t length = equals ? (size_t)(equals - argv[i]) : strlen(argv[i]);
    const option_use *use = args_find(a->command, argv[i], length);
    const char *value = equals ? equals + 1 : "";
    if (!use) {
        char *unknown = (char *)tool_alloc(length + 1, 1);
        args_fail_unknown(a->command, argv[0], (char *)memcpy(unknown, argv[i], length));
    }
    option_kind kind = option_of(use).kind;
    if (kind == KIND_FLAG) {
        if (equals) args_fail(use->id, NULL, "takes no value");
    } else if (!equals) {
        if (i + 1 >= argc || strncmp(argv[i + 1], "--", 2) == 0)
            args_fail(use->id, NULL, "a value is missing");
        value = argv[++i];
    }
    if (kind != KIND_FLAG && kind != KIND_REPEATED && args_given(a, use->id))
        args_fail(use->id, NULL, "is given twice");
    a->id[a->count] = use->id;
    a->value[a->count++] = value;
    return i;
}

static void print_help(const args_command *command, int argc, char **argv)
{
    output out = {0};
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], NAME_OF(HELP)) == 0 || strcmp(argv[i], "-h") == 0) {
            if (argv[i][1] == 'h')
                help_brief(&out, argv[0], command->uses, command->use_count, &command->first);
            else help_print(&out, command->uses, command->use_count);
            exit(output_flush(&out, EXIT_DONE));
        }
}

/* A word behind a flag, which takes none, may stand for "on" or "off". */
static void refuse_switch(const args *a, const char *option, const char *word)
{
    static const char *const on[] = {"0", "1", "true", "false", "yes", "no", "on", "off"};
    const option_use *use = args_find(a->command, option, strlen(option));
    if (use && option_of(use).kind == KIND_FLAG &&
        words_find(on, COUNT_OF(on), word) < COUNT_OF(on))
        args_fail(use->id, NULL, "takes no value, but '%s' follows", word);
}

void args_parse(args *a, const args_command *command, int argc, char **argv)
{
    int options = 1;
    output_schema(argv[0]);
    print_help(command, argc, argv);
    memset(a, 0, sizeof *a);
    a->command = command;
    a->files = (char **)tool_alloc((size_t)argc, sizeof *a->files);
    a->id = (option_id *)tool_alloc((size_t)argc, sizeof *a->id);
    a->value = (const char **)tool_alloc((size_t)argc, sizeof *a->value);
    for (int i = 1; i < argc; i++) {
        const int dashed = options && argv[i][0] == '-' && argv[i][1] != '\0';
        if (dashed && strcmp(argv[i], "--") == 0) options = 0;
        else if (dashed) i = args_take_option(a, argc, argv, i);
        else {
            if (options && i > 1) refuse_switch(a, argv[i - 1], argv[i]);
            a->files[a->file_count++] = argv[i];
        }
    }
    if (a->file_count < command->files_min)
        tool_fail("%s: a file is missing, see %s", argv[0], NAME_OF(HELP));
    if (a->file_count > command->files_max)
        tool_fail("%s: '%s' is one argument too many, see %s", argv[0],
                  a->files[command->files_max], NAME_OF(HELP));
    (void)args_form(a);                /* refuses an unknown one before any work */
    if (args_given(a, OPTION_NOTES)) tool_all_notes = 1; /* merge hands it on     */
}

/* ---- Values ---------------------------------------------------------------- */

size_t args_count(const args *a, option_id id)
{
    size_t count = 0;
    for (size_t i = 0; i < a->count; i++) count += a->id[i] == id;
    return count;
}

int args_given(const args *a, option_id id) { return args_count(a, id) > 0; }

args *args_with(const args *a, option_id id, const char *value)
{
    args *out = (args *)tool_alloc(1, sizeof *out);
    *out = *a;
    out->id = (option_id *)tool_alloc(a->count + 1, sizeof *out->id);
    out->value = (const char **)tool_alloc(a->count + 1, sizeof *out->value);
    for (size_t i = 0; i < a->count; i++) {
        out->id[i] = a->id[i];
        out->value[i] = a->value[i];
    }
    out->id[out->count] = id;
    out->value[out->count++] = value;
    return out;
}

const char *args_at(const args *a, option_id id, size_t i)
{
    for (size_t j = 0; j < a->count; j++)
        if (a->id[j] == id && i-- == 0) return a->value[j];
    return NULL;
}

void args_refuse(const args *a, const option_id *ids, size_t count, const char *reason)
{
    for (size_t i = 0; i < count; i++)
        if (args_given(a, ids[i])) args_fail(ids[i], NULL, "%s", reason);
}

const char *args_text(const args *a, option_id id, const char *fallback)
{
    const char *text = args_at(a, id, 0);
    return text ? text : fallback;
}

/* Ten bytes a second, a model of ninety-eight bytes or a pass of thirty seconds is what
 * comes of a lost unit. */
void args_note_unit(option_id id, const char *text, number_unit unit, double value)
{
    const double usual = unit == UNIT_SIZE ? 1e3 : 1e6; /* from there on nothing is said  */
    const char *taken = "seconds", *meant = "ms", *own = "s";
    if (unit < UNIT_TIME || number_has_unit(text) || !(value > 0.0)) return;
    if (unit == UNIT_TIME ? value < 1.0 : value >= usual) return;
    if (unit == UNIT_SIZE) { taken = "bytes"; meant = "MB"; own = "B"; }
    if (unit == UNIT_BANDWIDTH) { taken = "bytes per second"; meant = "Gbps"; own = "B/s"; }
    tool_note("missing-unit", "%s: '%s' has no unit and is taken for %s: write %s%s or %s%s",
              option_name(id), text, taken, text, meant, text, own);
}

double args_quantity(const args *a, option_id id, number_unit unit, number_rule rule,
                     double fallback)
{
    const char *text = args_at(a, id, 0), *wrong;
    double value = fallback;
    if (!text) return fallback;
    wrong = number_quantity(text, unit, rule, &value);
    if (wrong) args_fail(id, text, "%s", wrong);
    args_note_unit(id, text, unit, value);
    return value;
}

double args_number(const args *a, option_id id, double fallback)
{
    return args_quantity(a, id, options_all[id].unit, options_all[id].rule, fallback);
}

uint64_t args_integer(const args *a, option_id id, uint64_t min, uint64_t max,
                      uint64_t fallback)
{
    const char *text = args_at(a, id, 0), *wrong;
    uint64_t value = fallback;
    if (!text) return fallback;
    wrong = number_whole(text, min, max, &value);
    if (wrong) args_fail(id, text, "%s", wrong);
    return value;
}

size_t args_choice(const args *a, option_id id, const char *const *words,
                   size_t count, size_t fallback)
{
    const char *text = args_at(a, id, 0);
    const size_t i = text ? words_find(words, count, text) : fallback;
    char list[400];
    if (!text || i < count) return i;
    args_fail(id, text, "is not one of %s", words_join(words, count, list, sizeof list));
}

void args_check_words(const args *a)
{
    for (size_t i = 0; i < a->count; i++) {
        const option_row o = option_of(args_use(a->command, a->id[i]));
        words_guess guess = {NULL, NULL, 0};
        char **word;
        size_t count, k = 0;
        char list[400];
        if (o.kind != KIND_CHOICE) continue;
        count = args_split(o.words, ' ', &word);
        guess.text = a->value[i];
        for (; k < count && strcmp(word[k], guess.text) != 0; k++) words_consider(&guess, word[k]);
        if (k < count) continue;
        args_fail(a->id[i], guess.text, "is not one of %s%s%s%s",
                  words_join((const char *const *)word, count, list, sizeof list),
                  guess.nearest ? "; did you mean " : "", guess.nearest ? guess.nearest : "",
                  guess.nearest ? "?" : "");
    }
}

unsigned args_form(const args *a)
{
    const option_use *use = args_use(a->command, OPTION_FORMAT);
    const char *all = use ? option_of(use).words : options_all[OPTION_FORMAT].words;
    char **words;
    const size_t count = args_split(all, ' ', &words);
    const size_t i = args_choice(a, OPTION_FORMAT, (const char *const *)words, count, 0);
    if (strcmp(words[i], "csv") == 0) return CSV;
    return strcmp(words[i], "json") == 0 ? JSON : SCREEN;
}

size_t args_word(const args *a, option_id id, size_t fallback)
{
    const char *text = args_at(a, id, 0), *words, *word;
    size_t i;
    if (!text) return fallback;
    words = option_of(args_use(a->command, id)).words;
    for (i = 0, word = words;; i++) {
        const size_t length = strcspn(word, " ");
        if (strlen(text) == length && memcmp(word, text, length) == 0) return i;
        word += length + 1;
    }
}

/* ---- Lists ----------------------------------------------------------------- */

size_t args_split(const char *text, char separator, char ***list)
{
    char *copy = tool_text("%s", text), *p;
    size_t count = 1, i = 0;
    for (p = copy; *p != '\0'; p++) count += *p == separator;
    *list = (char **)tool_alloc(count, sizeof **list);
    (*list)[i++] = copy;
    for (p = copy; *p != '\0'; p++)
        if (*p == separator) { *p = '\0'; (*list)[i++] = p + 1; }
    return count;
}

size_t args_words(const args *a, option_id id, char ***list)
{
    const char *text = args_at(a, id, 0);
    return text ? args_split(text, ',', list) : 0;
}

size_t args_quantities(const args *a, option_id id, number_unit unit, number_rule rule,
                       double **list)
{
    char **words;
    const size_t count = args_words(a, id, &words);
    if (count == 0) return 0;
    *list = (double *)tool_alloc(count, sizeof **list);
    for (size_t i = 0; i < count; i++) {
        const char *wrong = number_quantity(words[i], unit, rule, &(*list)[i]);
        if (wrong) args_fail(id, words[i], "%s", wrong);
        args_note_unit(id, words[i], unit, (*list)[i]);
    }
    return count;
}

size_t args_numbers(const args *a, option_id id, double **list)
{
    return args_quantities(a, id, options_all[id].unit, options_all[id].rule, list);
}

typedef struct worker_range { uint64_t first, last, step; } worker_range;

static uint64_t worker_count(option_id id, const char *text)
{
    uint64_t value = 0;
    const char *wrong = number_whole(text, 1, UINT32_MAX, &value);
    if (wrong) args_fail(id, text, "%s", wrong);
    return value;
}

/* "8", "1-16" or "1-64:4" */
static worker_range parse_range(option_id id, char *text)
{
    worker_range range;
    char *colon = strchr(text, ':'), *dash;
    range.step = 1;
    if (colon) { *colon = '\0'; range.step = worker_count(id, colon + 1); }
    dash = *text == '\0' ? NULL : strchr(text + 1, '-'); /* a first one is a sign   */
    if (!dash && colon) args_fail(id, text, "has a step but no range: write FIRST-LAST:STEP");
    if (dash) *dash = '\0';
    range.first = worker_count(id, text);
    range.last = dash ? worker_count(id, dash + 1) : range.first;
    if (range.last < range.first)
        args_fail(id, NULL, "the range %s-%s runs backwards: write the smaller number first",
                  text, dash + 1);
    return range;
}

size_t args_workers(const args *a, option_id id, uint32_t **list)
{
    char **words;
    const size_t parts = args_words(a, id, &words);
    size_t count = 0, room = 0;
    *list = NULL;
    for (size_t i = 0; i < parts; i++) {
        const worker_range range = parse_range(id, words[i]);
        if ((range.last - range.first) / range.step >= ARGS_MOST_WORKERS - count)
            args_fail(id, NULL, "has more than %d values", (int)ARGS_MOST_WORKERS);
        for (uint64_t n = range.first; n <= range.last; n += range.step) {
            *list = tool_one_more(*list, count, &room, sizeof **list);
            (*list)[count++] = (uint32_t)n;
        }
    }
    return count;
}
