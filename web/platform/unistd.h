/* unistd.h - that of WASI, and what it lacks: other processes, of which there are none, and
 * names of the only folder there is */
#ifndef WEB_UNISTD_H
#define WEB_UNISTD_H

#include_next <unistd.h>

#include <sys/types.h>

/* Fail with ENOSYS. */
pid_t fork(void);
int execv(const char *path, char *const arguments[]);
int pipe(int ends[2]);
int dup(int descriptor);
int dup2(int from, int to);

int fchmod(int descriptor, mode_t mode);

/* "/" for ".", "/name" for a name. */
char *realpath(const char *path, char *resolved);

#endif /* WEB_UNISTD_H */
