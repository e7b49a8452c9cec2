/* signal.h - a page gets no signals: there is nothing to watch for and nothing to block */
#ifndef WEB_SIGNAL_H
#define WEB_SIGNAL_H

#include <sys/types.h>

typedef int sigset_t;
struct sigaction { void (*sa_handler)(int); sigset_t sa_mask; int sa_flags; };

enum { SIGHUP = 1, SIGINT, SIGQUIT, SIGABRT, SIGKILL, SIGPIPE, SIGTERM, SIGXCPU, SIGXFSZ };
enum { SIG_BLOCK, SIG_SETMASK, SA_RESETHAND };
#define SIG_DFL ((void (*)(int))0)

int sigemptyset(sigset_t *set);
int sigfillset(sigset_t *set);
int sigaddset(sigset_t *set, int number);
int sigprocmask(int how, const sigset_t *set, sigset_t *before);
int sigaction(int number, const struct sigaction *action, struct sigaction *before);
int raise(int number);

/* Fail with ENOSYS. */
void (*signal(int number, void (*handler)(int)))(int);
int kill(pid_t process, int number);

#endif /* WEB_SIGNAL_H */
