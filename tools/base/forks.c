/* forks.c - children of fork that do what is dealt: see deal.h
 *
 * A child reads a range from its socket, does it, and writes the length of the batch and
 * the batch. It ends when nothing comes any more: its parent has ended, or said so. */
#define _DEFAULT_SOURCE        /* MSG_NOSIGNAL beside POSIX                           */
#define _DARWIN_C_SOURCE

#include "base/forks.h"

#include "base/deal.h"
#include "base/file.h"
#include "base/progress.h"
#include "base/tool.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

typedef struct fork_child {
    int        socket;        /* -1: has ended                                      */
    deal_range range;         /* it is at                                           */
    char      *got;           /* [length] of what it writes, [room]                 */
    size_t     length, room;
} fork_child;

/* ---- Ends ------------------------------------------------------------------ */

/* The children, for a signal handler, which may come at any time. */
static volatile pid_t child_of[FORKS_MOST];
static volatile pid_t parent;

/* Calls only what a signal handler may call. A child has none. */
static void kill_children(void)
{
    size_t i;
    if (getpid() != parent) return;
    for (i = 0; i < FORKS_MOST; i++)
        if (child_of[i] > 0) kill(child_of[i], SIGKILL);
}

static void at_signal(void)
{
    kill_children();
    journal_at_signal();
}

static void watch_children(void)
{
    static int watched;
    parent = getpid();
    file_watch_the_end(at_signal);
    if (watched++ == 0 && atexit(kill_children) != 0) tool_fail("out of memory");
}

/* ---- In a child ------------------------------------------------------------ */

static int to_parent;

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

static int send_batch(const char *batch, size_t length)
{
    return forks_send(to_parent, &length, sizeof length) && forks_send(to_parent, batch, length);
}

/* The keyboard's signals go to all; it is for the parent to end its children. */
static void take_no_signals(pid_t from)
{
    static const int ours[] = {SIGHUP, SIGINT, SIGQUIT};
    static const int others[] = {SIGTERM, SIGPIPE, SIGABRT, SIGXCPU, SIGXFSZ};
    size_t i;
    for (i = 0; i < COUNT_OF(ours); i++) signal(ours[i], SIG_IGN);
    for (i = 0; i < COUNT_OF(others); i++) signal(others[i], SIG_DFL);
#ifdef __linux__
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != from) _exit(EXIT_LOST);
#endif
    (void)from;
}

TOOL_NORETURN static void serve(int socket, deal *d)
{
    deal_range range;
    to_parent = socket;
    while (forks_receive(socket, &range, sizeof range)) {
        size_t length = 0;
        const char *batch = deal_work(d, range, &length);
        if (!send_batch(batch, length)) _exit(EXIT_LOST);
    }
    _exit(EXIT_DONE);
}

/* ---- In the parent --------------------------------------------------------- */

int forks_start(size_t i)
{
    const pid_t self = getpid();
    pid_t pid;
    assert(i < FORKS_MOST && child_of[i] == 0);
    watch_children();
    fflush(NULL);                      /* or a child that fails would write it again */
    pid = fork();
    if (pid == 0) {
        take_no_signals(self);
        tool_is_quiet = 1;
    }
    if (pid > 0) child_of[i] = pid;
    return pid > 0 ? 1 : (int)pid;
}

int forks_wait(size_t i)
{
    int status = 0;
    while (waitpid(child_of[i], &status, 0) < 0)
        if (errno != EINTR) break;
    child_of[i] = 0;
    return status;
}

/* 0 where the system has no process left. */
static int start(fork_child *child, size_t i, deal *d)
{
    int ends[2], started;
    size_t k;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return 0;
    started = forks_start(i);
    if (started == 0) {
        close(ends[0]);
        for (k = 0; k < i; k++) close(child[k].socket);
        serve(ends[1], d);
    }
    close(ends[1]);
    if (started < 0) {
        close(ends[0]);
        return 0;
    }
    child[i].socket = ends[0];
    return 1;
}

/* Waits for a child that has ended or is about to: its status. */
static int reap(fork_child *child, size_t i)
{
    int status;
    close(child[i].socket);
    child[i].socket = -1;
    status = forks_wait(i);
    free(child[i].got);
    child[i].got = NULL;
    return status;
}

static void stop(fork_child *child, size_t i)
{
    if (child[i].socket < 0) return;
    kill(child_of[i], SIGKILL);
    (void)reap(child, i);
}

/* A child that ended without a reason that it told. */
TOOL_NORETURN static void lose(const deal *d, fork_child *child, size_t count, size_t i)
{
    const deal_range range = child[i].range;
    const int status = reap(child, i);
    char how[64];
    size_t k;
    for (k = 0; k < count; k++) stop(child, k);
    if (WIFSIGNALED(status))
        snprintf(how, sizeof how, "signal %d ended the process", WTERMSIG(status));
    else
        snprintf(how, sizeof how, "a process ended early, status %d,", WEXITSTATUS(status));
    deal_lose(d, range, how);
}

/* Gives a child its next range, or lets it end. */
static void give(deal *d, fork_child *child, size_t count, size_t i)
{
    child[i].range = deal_next(d, count);
    if (child[i].range.from == child[i].range.to) (void)reap(child, i);
    else if (!forks_send(child[i].socket, &child[i].range, sizeof child[i].range))
        lose(d, child, count, i);
}

/* What a child has written: 1 once that is a whole batch, which follows its length. */
static int read_some(deal *d, fork_child *child, size_t count, size_t i)
{
    fork_child *c = &child[i];
    size_t need = sizeof need, length;
    ssize_t n;
    if (c->length >= sizeof need) {
        memcpy(&length, c->got, sizeof length);
        need += length;
    }
    if (c->room < need) {
        char *grown = need > c->length ? (char *)realloc(c->got, need) : NULL;
        if (!grown) tool_fail("out of memory");
        c->got = grown;
        c->room = need;
    }
    n = recv(c->socket, c->got + c->length, need - c->length, 0);
    if (n < 0 && errno == EINTR) return 0;
    if (n <= 0) lose(d, child, count, i);
    c->length += (size_t)n;
    if (c->length < sizeof need) return 0;
    memcpy(&length, c->got, sizeof length);
    return c->length == sizeof need + length;
}

static void take_from(deal *d, fork_child *child, size_t count, size_t i)
{
    if (!read_some(d, child, count, i)) return;
    if (!deal_take(d, child[i].got + sizeof(size_t), child[i].length - sizeof(size_t)))
        lose(d, child, count, i);
    child[i].length = 0;
    give(d, child, count, i);
}

int forks_run(deal *d, size_t processes)
{
    const size_t most = processes < FORKS_MOST ? processes : FORKS_MOST;
    const size_t wanted = most < d->open ? most : d->open;
    fork_child *child = (fork_child *)tool_alloc(wanted, sizeof *child);
    struct pollfd *wait = (struct pollfd *)tool_alloc(wanted, sizeof *wait);
    size_t count = 0, i;
    while (count < wanted && start(child, count, d)) count++;
    if (count == 0) return 0;
    deal_show(d);
    for (i = 0; i < count; i++) give(d, child, count, i);
    while (!deal_is_over(d)) {
        for (i = 0; i < count; i++) {
            wait[i].fd = child[i].socket;
            wait[i].events = POLLIN;
            wait[i].revents = 0;
        }
        if (poll(wait, (nfds_t)count, d->watch ? 200 : -1) < 0) continue;
        if (d->watch) deal_show(d);
        for (i = 0; i < count; i++)
            if (wait[i].revents != 0 && child[i].socket >= 0) take_from(d, child, count, i);
    }
    for (i = 0; i < count; i++) stop(child, i);
    return 1;
}
