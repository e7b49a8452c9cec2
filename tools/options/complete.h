/* complete.h - what may stand next in a command line: sgdperf --complete WORD... */
#ifndef TOOLS_OPTIONS_COMPLETE_H
#define TOOLS_OPTIONS_COMPLETE_H

#include "base/output.h"
#include "options/listing.h"

/* word[count]: those behind the program's name, up to the one that is completed, "" where none
 * has begun. First a line of what else the shell does: "files" offers these as well, "open" puts
 * no blank behind a word that is chosen. Then a line for each word: the word, a tab, and what
 * it is, if that is known. completion.bash, .zsh and .fish show them. */
void complete(output *out, const program *p, char *const *word, size_t count);

#endif /* TOOLS_OPTIONS_COMPLETE_H */
