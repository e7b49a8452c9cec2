/* rules.c - what options need beside them, and what they exclude */
#include "options/rules.h"

#include <stdio.h>
#include <string.h>

enum { RULE_TEXT = 512 };

/* ---- Values ---------------------------------------------------------------- */

/* What was given, or the first word of what the table has in brackets; NULL: neither. */
static const char *value_of(const args *a, const option_use *use)
{
    const char *preset = option_of(use).preset;
    if (args_given(a, use->id)) return args_at(a, use->id, 0);
    if (!preset) return NULL;
    size_t length = strcspn(preset, " ,;:");
    char *word = (char *)tool_alloc(length + 1, 1);
    return (const char *)memcpy(word, preset, length);
}

/* The word of `words` that text[length] is. */
static const char *find_word(const char *words, const char *text, size_t length)
{
    size_t n;
    for (; *words != '\0'; words += n + (words[n] == ' ')) {
        n = strcspn(words, " ");
        if (n == length && memcmp(words, text, n) == 0) return words;
    }
    return NULL;
}

/* The first of `words` that the value is, or that is in the list which it is. */
static const char *find_any(option_kind kind, const char *words, const char *value)
{
    for (;; value++) {
        const size_t length = kind == KIND_LIST ? strcspn(value, ",") : strlen(value);
        const char *word = find_word(words, value, length);
        value += length;
        if (word || *value == '\0') return word;
    }
}

/* Does ids[i] of the set hold? `text` says how: "--timeline", "--link average". */
static int holds(const args *a, const option_set *set, size_t i, char text[RULE_TEXT])
{
    const char *name = option_name(set->ids[i]), *value, *word;
    const option_use *use = args_use(a->command, set->ids[i]);
    snprintf(text, RULE_TEXT, "%s", name);
    if (!use) return 0;
    if (!set->words || option_of(use).kind == KIND_FLAG) return args_given(a, use->id);
    value = value_of(a, use);
    word = value ? find_any(option_of(use).kind, set->words, value) : NULL;
    if (!word) return 0;
    snprintf(text, RULE_TEXT, "%s %.*s", name, (int)strcspn(word, " "), word);
    return 1;
}

/* The first of the set that holds; set->count: none. */
static size_t first_of(const args *a, const option_set *set, char text[RULE_TEXT])
{
    size_t i = 0;
    while (i < set->count && !holds(a, set, i, text)) i++;
    return i;
}

/* ---- Rules ----------------------------------------------------------------- */

/* Appends "A", "A or B", "A, B or C" of items separated by blanks. */
static void append_items(char text[RULE_TEXT], const char *items)
{
    const char *before = "";
    while (*items != '\0') {
        const size_t used = strlen(text), n = strcspn(items, " ");
        snprintf(text + used, RULE_TEXT - used, "%s%.*s", before, (int)n, items);
        items += n;
        items += strspn(items, " ");
        before = items[strcspn(items, " ")] == '\0' ? " or " : ", ";
    }
}

/* All of the set: "--price or --offer", "--link ps or average". */
static void append_set(char text[RULE_TEXT], const option_set *set)
{
    char names[RULE_TEXT] = "";
    for (size_t i = 0; i < set->count; i++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i > 0 ? " " : "",
                 option_name(set->ids[i]));
    append_items(text, names);
    if (!set->words) return;
    strcat(text, set->count > 1 && strchr(set->words, ' ') ? " with one of " : " ");
    append_items(text, set->words);
}

/* None of the others holds where one must. */
TOOL_NORETURN static void fail_missing(const args *a, const option_set *others)
{
    const option_row o = option_of(args_use(a->command, others->ids[0]));
    char text[RULE_TEXT] = "", words[RULE_TEXT] = "";
    append_set(text, others);
    if (others->count == 1 && o.words && (o.kind == KIND_CHOICE || o.kind == KIND_LIST))
        append_items(words, o.words);
    tool_fail("%s is missing%s%s", text, *words ? ": " : "", words);
}

static void check(const args *a, const option_rule *r)
{
    char text[RULE_TEXT], other[RULE_TEXT] = "";
    const size_t found = first_of(a, &r->others, other);
    if ((r->verb == RULE_NEEDS) == (found < r->others.count)) return;
    if (r->these.count == 0) fail_missing(a, &r->others);
    for (size_t i = 0; i < r->these.count; i++) {
        if (!args_given(a, r->these.ids[i]) || !holds(a, &r->these, i, text)) continue;
        if (r->verb == RULE_EXCLUDES) tool_fail("%s: cannot be combined with %s", text, other);
        other[0] = '\0';
        append_set(other, &r->others);
        tool_fail("%s: needs %s", text, other);
    }
}

void args_check(const args *a, const option_rule *rules, size_t count)
{
    char text[RULE_TEXT];
    for (size_t i = 0; i < count; i++) {
        const option_rule *r = &rules[i];
        if (first_of(a, &r->unless, text) == r->unless.count) check(a, r);
    }
}
