/* options.c - THE table of options */
#include "options/options.h"

const option_row options_all[OPTION_COUNT] = {
#define OPTION(id, name, kind, unit, rule, value, words, help, preset) \
    {name, KIND_##kind, UNIT_##unit, NUMBER_##rule, value, words, help, preset},
#include "options/options.def"
#undef OPTION
};

const char *option_name(option_id id) { return options_all[id].name; }

option_row option_of(const option_use *use)
{
    option_row o = options_all[use->id];
    if (use->kind != KIND_AS_TABLE) o.kind = use->kind;
    if (use->words) o.words = use->words;
    if (use->value) o.value = use->value;
    if (use->help || use->preset) o.preset = use->preset;
    if (use->help) o.help = use->help;
    return o;
}
