/* wait.h - a page has no other processes: waitpid fails with ENOSYS */
#ifndef WEB_SYS_WAIT_H
#define WEB_SYS_WAIT_H

#include <sys/types.h>

#define WIFEXITED(status) ((status) == 0)
#define WEXITSTATUS(status) (status)

pid_t waitpid(pid_t child, int *status, int options);

#endif /* WEB_SYS_WAIT_H */
