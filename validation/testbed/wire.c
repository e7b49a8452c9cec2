/* wire.c - connections and messages */
#include "testbed.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* What is sent: zeros of a file without blocks on any disk, so that nothing is copied. */
enum { SOURCE_BYTES = 1 << 24 };

static int source(void)
{
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    static int fd = -1;
    pthread_mutex_lock(&mutex);
    if (fd < 0) {
        fd = memfd_create("testbed", MFD_CLOEXEC);
        if (fd < 0 || ftruncate(fd, SOURCE_BYTES) != 0)
            tb_fail("memory to send from: %s", strerror(errno));
    }
    pthread_mutex_unlock(&mutex);
    return fd;
}

/* ---- Connections ------------------------------------------------------------------ */

static void set(int fd, int level, int option, int value)
{
    if (setsockopt(fd, level, option, &value, sizeof value) != 0)
        tb_fail("socket option %d: %s", option, strerror(errno));
}

static char congestion[32] = "none";

const char *tb_congestion(void) { return congestion; }

/* Of every connection, on both sides; all by the thread that connects. Where cubic is not
 * for everybody the host's own control stays. */
static int prepare(const tb_job *job, int fd)
{
    static const char control[] = "cubic";
    socklen_t length = sizeof congestion - 1;
    (void)setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, control, sizeof control - 1);
    memset(congestion, 0, sizeof congestion);
    if (getsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, congestion, &length) != 0)
        tb_fail("congestion control: %s", strerror(errno));
    set(fd, IPPROTO_TCP, TCP_NODELAY, 1);
    if (job->flow_cap_bytes_per_s > 0.0) {
        const unsigned rate = (unsigned)job->flow_cap_bytes_per_s;
        if (setsockopt(fd, SOL_SOCKET, SO_MAX_PACING_RATE, &rate, sizeof rate) != 0)
            tb_fail("cap of a flow: %s", strerror(errno));
    }
    return fd;
}

/* The node of the run before may not have ended yet: it is waited for. */
int tb_listen(int port)
{
    const struct timespec pause = {0, 50000000};
    struct sockaddr_in address;
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int tries = 100, problem;
    if (fd < 0) tb_fail("socket: %s", strerror(errno));
    memset(&address, 0, sizeof address);
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_ANY);
    address.sin_port = htons((uint16_t)port);
    set(fd, SOL_SOCKET, SO_REUSEADDR, 1);
    do {
        problem = bind(fd, (struct sockaddr *)&address, sizeof address) != 0 ||
                  listen(fd, TB_MOST_WORKERS) != 0 ? errno : 0;
        if (problem == EADDRINUSE) nanosleep(&pause, NULL);
    } while (problem == EADDRINUSE && --tries > 0);
    if (problem != 0) tb_fail("port %d: %s", port, strerror(problem));
    return fd;
}

int tb_accept(const tb_job *job, int listener)
{
    int fd;
    do fd = accept(listener, NULL, NULL);
    while (fd < 0 && errno == EINTR);
    if (fd < 0) tb_fail("accept: %s", strerror(errno));
    return prepare(job, fd);
}

static int try_connect(const tb_host *host)
{
    struct addrinfo hints, *found, *a;
    char port[16];
    int fd = -1, problem;
    memset(&hints, 0, sizeof hints);
    hints.ai_family = AF_INET;
    hints.ai_socktype = SOCK_STREAM;
    snprintf(port, sizeof port, "%d", host->port);
    problem = getaddrinfo(host->address, port, &hints, &found);
    if (problem != 0) tb_fail("%s: %s", host->address, gai_strerror(problem));
    for (a = found; a && fd < 0; a = a->ai_next) {
        fd = socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC, a->ai_protocol);
        if (fd >= 0 && connect(fd, a->ai_addr, a->ai_addrlen) != 0) {
            close(fd);
            fd = -1;
        }
    }
    freeaddrinfo(found);
    return fd;
}

/* The other side may not listen yet. The process ends itself after its time limit. */
int tb_connect(const tb_job *job, const tb_host *host)
{
    const struct timespec pause = {0, 10000000};
    int fd;
    while ((fd = try_connect(host)) < 0) nanosleep(&pause, NULL);
    return prepare(job, fd);
}

/* ---- Greetings --------------------------------------------------------------------- */

int tb_greet(const tb_job *job, const tb_host *host, unsigned kind)
{
    const int fd = tb_connect(job, host);
    tb_message m;
    memset(&m, 0, sizeof m);
    m.kind = kind;
    m.worker = job->index;
    m.layer = (int32_t)job->seed;
    if (tb_send(fd, &m) != 0) tb_fail("%s:%d is gone", host->address, host->port);
    return fd;
}

tb_message tb_greeted(const tb_job *job, int fd)
{
    tb_message m;
    if (tb_receive(fd, &m) != 0 || (m.kind != TB_HELLO && m.kind != TB_CLOCK) ||
        m.worker < 0 || m.worker >= job->workers)
        tb_fail("a connection that is no worker's");
    if (m.layer != (int32_t)job->seed) tb_fail("a connection of another run: is the port taken?");
    return m;
}

/* ---- Messages --------------------------------------------------------------------- */

int tb_send(int fd, const tb_message *message)
{
    const char *head = (const char *)message;
    size_t left = sizeof *message;
    uint64_t bytes = message->bytes;
    while (left > 0) {
        const ssize_t n = send(fd, head, left, MSG_NOSIGNAL | (bytes ? MSG_MORE : 0));
        if (n <= 0) return -1;
        head += n;
        left -= (size_t)n;
    }
    while (bytes > 0) {
        off_t from = 0;
        const size_t most = bytes < SOURCE_BYTES ? (size_t)bytes : SOURCE_BYTES;
        const ssize_t n = sendfile(fd, source(), &from, most);
        if (n <= 0) return -1;
        bytes -= (uint64_t)n;
    }
    return 0;
}

int tb_receive(int fd, tb_message *message)
{
    return recv(fd, message, sizeof *message, MSG_WAITALL) == (ssize_t)sizeof *message ? 0 : -1;
}

/* Woken once for so many bytes, or for the last: a wake-up for every frame would cost as
 * much as its way through the network. */
enum { WAKE_BYTES = 1 << 18 };

int tb_receive_bytes(int fd, size_t bytes)
{
    int wake = 0;
    while (bytes > 0) {
        const int next = bytes < WAKE_BYTES ? (int)bytes : WAKE_BYTES;
        struct pollfd waits;
        ssize_t n;
        if (next != wake) set(fd, SOL_SOCKET, SO_RCVLOWAT, wake = next);
        waits.fd = fd;
        waits.events = POLLIN;
        if (poll(&waits, 1, -1) < 0 && errno != EINTR) return -1;
        n = recv(fd, NULL, bytes, MSG_TRUNC | MSG_DONTWAIT);
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) continue;
        if (n <= 0) return -1;
        bytes -= (size_t)n;
    }
    if (wake > 1) set(fd, SOL_SOCKET, SO_RCVLOWAT, 1);
    return 0;
}

/* ---- Exchanges -------------------------------------------------------------------- */

/* As much as goes without waiting; -1: the other side is gone. */
static int advance(tb_flow *f)
{
    while (f->bytes > 0) {
        const size_t most = f->bytes < SOURCE_BYTES ? f->bytes : SOURCE_BYTES;
        off_t from = 0;
        const ssize_t n = f->sends ? sendfile(f->socket, source(), &from, most)
                                   : recv(f->socket, NULL, most, MSG_TRUNC | MSG_DONTWAIT);
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return 0;
        if (n <= 0) return -1;
        f->bytes -= (size_t)n;
    }
    return 0;
}

int tb_exchange(tb_flow *flow, int flows)
{
    struct pollfd waits[8];
    int left, i;
    for (;;) {
        for (i = left = 0; i < flows; i++) {
            if (advance(&flow[i]) != 0) return -1;
            if (flow[i].bytes == 0) continue;
            waits[left].fd = flow[i].socket;
            waits[left].events = flow[i].sends ? POLLOUT : POLLIN;
            waits[left++].revents = 0;
        }
        if (left == 0) return 0;
        if (poll(waits, (nfds_t)left, -1) < 0 && errno != EINTR) return -1;
    }
}
