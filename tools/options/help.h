/* help.h - --help and -h of a command, from what it says of its options */
#ifndef TOOLS_OPTIONS_HELP_H
#define TOOLS_OPTIONS_HELP_H

#include "base/output.h"
#include "options/options.h"

/* Appends all of it, with headings painted. */
void help_print(output *out, const option_use *uses, size_t count);

/* -h: the first two paragraphs, the options of `first`, and where the others are told. */
void help_brief(output *out, const char *title, const option_use *uses, size_t count,
                const option_set *first);

#endif /* TOOLS_OPTIONS_HELP_H */
