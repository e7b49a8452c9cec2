/* platform.c - what the program asks of a system and a page has not, each as far as it goes */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- Signals --------------------------------------------------------------- */

int sigemptyset(sigset_t *set) { *set = 0; return 0; }
int sigfillset(sigset_t *set) { *set = -1; return 0; }
int sigaddset(sigset_t *set, int number) { *set |= 1 << number; return 0; }

int sigprocmask(int how, const sigset_t *set, sigset_t *before)
{
    (void)how;
    (void)set;
    if (before) *before = 0;
    return 0;
}

int sigaction(int number, const struct sigaction *action, struct sigaction *before)
{
    (void)number;
    (void)action;
    if (before) memset(before, 0, sizeof *before);
    return 0;
}

int raise(int number) { (void)number; return 0; }

/* ---- Other processes ------------------------------------------------------- */

static int missing(void) { errno = ENOSYS; return -1; }

void (*signal(int number, void (*handler)(int)))(int)
{
    (void)number;
    (void)handler;
    errno = ENOSYS;
    return SIG_DFL;
}

int kill(pid_t process, int number) { (void)process; (void)number; return missing(); }
pid_t fork(void) { return missing(); }
int pipe(int ends[2]) { (void)ends; return missing(); }
int dup(int descriptor) { (void)descriptor; return missing(); }
int dup2(int from, int to) { (void)from; (void)to; return missing(); }

int execv(const char *path, char *const arguments[])
{
    (void)path;
    (void)arguments;
    return missing();
}

pid_t waitpid(pid_t child, int *status, int options)
{
    (void)child;
    (void)status;
    (void)options;
    return missing();
}

/* ---- Files: one folder, without owners and links --------------------------- */

int fchmod(int descriptor, mode_t mode) { (void)descriptor; (void)mode; return 0; }

char *realpath(const char *path, char *resolved)
{
    char *name;
    (void)resolved;
    while (*path == '/') path++;
    if (strcmp(path, ".") == 0) path++;
    name = (char *)malloc(strlen(path) + 2);
    if (!name) return NULL;
    name[0] = '/';
    strcpy(name + 1, path);
    return name;
}
