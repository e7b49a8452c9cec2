/* process.h - other programs, started without a shell, and where this one stands */
#ifndef TOOLS_JOBS_PROCESS_H
#define TOOLS_JOBS_PROCESS_H

#include <stddef.h>

enum { PROCESS_NONE = 127, PROCESS_SIGNAL = 128 };

typedef struct process_answer {
    char  *text;              /* [length] what the program wrote to its stdout      */
    size_t length;
    char   said[160];         /* the last line that it wrote to its stderr, or ""   */
} process_answer;

/* Runs words[0], looked for in PATH unless it has a slash, with the words behind it up to
 * NULL for arguments and input[length] for its stdin. Returns its exit status; PROCESS_NONE
 * where there is no such program or none can be started; PROCESS_SIGNAL + n where signal n
 * ended it. */
int process_run(const char *const *words, const char *input, size_t length,
                process_answer *answer);

/* The path of a file named relative to the folder of this program, as "../share/a.txt": NULL
 * if it cannot be read, or somebody else could have put it there (it is owned neither by
 * root nor by the user nor by the owner of the program, or all may write it). */
const char *process_file(const char *relative);

#endif /* TOOLS_JOBS_PROCESS_H */
