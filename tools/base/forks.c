/* forks.c - children of fork, which end with their parent */
#define _DEFAULT_SOURCE        /* MSG_NOSIGNAL beside POSIX                           */
#define _DARWIN_C_SOURCE

#include "base/forks.h"

#include "base/file.h"
#include "base/progress.h"
#include "base/tool.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0
#endif

/* ---- Ends ------------------------------------------------------------------ */

/* The children, for a signal handler, which may come at any time. */
static volatile pid_t child_of[FORKS_MOST];
static volatile pid_t parent;

/* Calls only what a signal handler may call. A child has none. */
static void kill_children(void)
{
    if (getpid() != parent) return;
    for (size_t i = 0; i < FORKS_MOST; i++)
        if (child_of[i] > 0) kill(child_of[i], SIGKILL);
}

static void watch_children(void)
{
    static int watched;
    parent = getpid();
    file_watch_the_end(kill_children);
    if (watched++ == 0 && atexit(kill_children) != 0) tool_fail("out of memory");
}

/* ---- In a child ------------------------------------------------------------ */

int forks_send(int to, const void *data, size_t length)
{
    const char *at = (const char *)data;
    while (length > 0) {
        const ssize_t n = send(to, at, length, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return 0;
        at += n;
        length -= (size_t)n;
    }
    return 1;
}

int forks_receive(int from, void *data, size_t length)
{
    char *at = (char *)data;
    while (length > 0) {
        const ssize_t n = recv(from, at, length, 0);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return 0;
        at += n;
        length -= (size_t)n;
    }
    return 1;
}

/* The keyboard's signals go to all; it is for the parent to end its children. */
static void take_no_signals(pid_t from)
{
    static const int ours[] = {SIGHUP, SIGINT, SIGQUIT};
    static const int others[] = {SIGTERM, SIGPIPE, SIGABRT, SIGXCPU, SIGXFSZ};
    for (size_t i = 0; i < COUNT_OF(ours); i++) signal(ours[i], SIG_IGN);
    for (size_t i = 0; i < COUNT_OF(others); i++) signal(others[i], SIG_DFL);
#ifdef __linux__
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != from) _exit(EXIT_LOST);
#endif
    (void)from;
}

/* ---- In the parent --------------------------------------------------------- */

int forks_start(size_t i)
{
    const pid_t self = getpid();
    assert(i < FORKS_MOST && child_of[i] == 0);
    watch_children();
    fflush(NULL);                      /* or a child that fails would write it again */
    pid_t pid = fork();
    if (pid == 0) {
        take_no_signals(self);
        tool_is_quiet = 1;
    }
    if (pid > 0) child_of[i] = pid;
    return pid > 0 ? 1 : (int)pid;
}

void forks_kill(size_t i) { kill(child_of[i], SIGKILL); }

int forks_wait(size_t i)
{
    int status = 0;
    while (waitpid(child_of[i], &status, 0) < 0)
        if (errno != EINTR) break;
    child_of[i] = 0;
    return status;
}
