/* listing.h - what a program takes, for shells and manual pages: sgdperf --options ... */
#ifndef TOOLS_OPTIONS_LISTING_H
#define TOOLS_OPTIONS_LISTING_H

#include "base/output.h"
#include "options/args.h"

typedef struct program {
    const args_command *const *commands; /* [count]                                     */
    size_t      count;
    const char *version;
    const char *purpose;      /* a sentence                                         */
} program;

/* title: "predict", "balance gpu" */
typedef void (*listing_visit)(void *ctx, const char *title, const args_command *command);

/* Each command and part of a command, in order. */
void listing_each(const program *p, listing_visit visit, void *ctx);

/* The CSV of --options: rows command,option,kind. */
void listing_options(output *out, const program *p);

/* What manual pages are made of, cells between tabs: a row "command", title, summary; behind it
 * in the order of --help rows "text", a line, and "option", its name, value, meaning, where \n
 * and \t are two characters, and default. */
void listing_all(output *out, const program *p);

#endif /* TOOLS_OPTIONS_LISTING_H */
