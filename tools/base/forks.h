/* forks.h - children of this process */
#ifndef TOOLS_BASE_FORKS_H
#define TOOLS_BASE_FORKS_H

#include <stddef.h>

enum { FORKS_MOST = 4096 };

/* fork, of the child i below FORKS_MOST, which ends with this process: 1 in this process, 0
 * in the child, -1 where there is none. */
int forks_start(size_t i);

void forks_kill(size_t i);

/* Waits for its end: its status, as waitpid has it. */
int forks_wait(size_t i);

/* All bytes through a socket: 1, or 0 where the other end is closed. */
int forks_send(int to, const void *data, size_t length);
int forks_receive(int from, void *data, size_t length);

#endif /* TOOLS_BASE_FORKS_H */
