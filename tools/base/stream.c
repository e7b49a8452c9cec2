/* stream.c - a file's bytes in pieces, through gzip where it is compressed */
#define _XOPEN_SOURCE 700 /* fork, pipe, waitpid, fstat, lseek */

#include "base/stream.h"

#include "base/file.h"
#include "base/tool.h"


#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STREAM_PIECE = 1 << 18, STREAM_HEAD = 2 };

struct stream_inside {
    int    file;              /* what the bytes are read from                       */
    int    messages;          /* of gzip; -1: no gzip                               */
    pid_t  gzip, feeder;      /* 0: none                                            */
    char  *buffer;
    size_t room;
    int    ended;
    uint64_t packed;          /* bytes of the file that gzip unpacks; 0: not known  */
};

int stream_is_gzip(const char *data, size_t length)
{
    return length >= STREAM_HEAD && (unsigned char)data[0] == 0x1F &&
           (unsigned char)data[1] == 0x8B;
}

void stream_of(stream *s, const char *name, const char *data, size_t length)
{
    memset(s, 0, sizeof *s);
    s->name = name;
    s->at = data;
    s->end = length > 0 ? data + length : data;
    s->offset = s->size = length;
}

uint64_t stream_place(const stream *s) { return s->offset - (uint64_t)(s->end - s->at); }

/* ---- gzip ------------------------------------------------------------------ */

static void fail_system(const stream *s)
{
    tool_fail("%s: gzip -dc: %s", s->name, strerror(errno));
}

/* In a child, which must not say that memory is short: from -> 0, to -> 1, errors -> 2, and gzip
 * at the path, if there is one. */
TOOL_NORETURN static void become_gzip(const char *path, int from, int to, int errors)
{
    static char program[] = "gzip", options[] = "-dc";
    char *arguments[3];
    arguments[0] = program;
    arguments[1] = options;
    arguments[2] = NULL;
    if (dup2(from, 0) < 0 || dup2(to, 1) < 0 || dup2(errors, 2) < 0) _exit(126);
    if (path) execv(path, arguments);
    _exit(127);
}

static int write_all(int file, const char *data, size_t length)
{
    while (length > 0) {
        const ssize_t n = write(file, data, length);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return 0;
        data += n;
        length -= (size_t)n;
    }
    return 1;
}

/* In a child: the head, which has been read, and the rest of what cannot be read again. */
TOOL_NORETURN static void become_feeder(int from, int to, const char *head, size_t length)
{
    static char piece[65536];
    ssize_t n = 1;
    signal(SIGPIPE, SIG_DFL);
    if (!write_all(to, head, length)) _exit(1);
    while (n != 0) {
        n = read(from, piece, sizeof piece);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 || !write_all(to, piece, (size_t)n)) _exit(1);
    }
    _exit(0);
}

/* A process that feeds a pipe: what has been read of a file that cannot be wound back. */
static int feed(stream *s)
{
    struct stream_inside *in = s->inside;
    int ends[2];
    if (pipe(ends) != 0) fail_system(s);
    in->feeder = fork();
    if (in->feeder < 0) fail_system(s);
    if (in->feeder == 0) {
        close(ends[0]);
        become_feeder(in->file, ends[1], s->at, (size_t)(s->end - s->at));
    }
    close(ends[1]);
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    return ends[0];
}

static void unpack(stream *s)
{
    struct stream_inside *in = s->inside;
    const int winds_back = lseek(in->file, 0, SEEK_SET) == 0;
    const int from = winds_back ? in->file : feed(s);
    const char *path = file_program("gzip");
    int text[2], errors[2];
    if (pipe(text) != 0 || pipe(errors) != 0) fail_system(s);
    in->gzip = fork();
    if (in->gzip < 0) fail_system(s);
    if (in->gzip == 0) {
        close(text[0]);
        close(errors[0]);
        become_gzip(path, from, text[1], errors[1]);
    }
    close(text[1]);
    close(errors[1]);
    if (from != in->file) close(from);
    if (in->file != STDIN_FILENO) close(in->file);
    in->file = text[0];
    in->messages = errors[0];
    in->packed = winds_back ? s->size : 0;
    s->at = s->end = in->buffer;
    s->offset = 0;
    s->size = 0;
}

/* gzip has written all that it could: was that all? */
static void finish_gzip(stream *s)
{
    struct stream_inside *in = s->inside;
    char message[256];
    size_t got = 0;
    ssize_t n = 1;
    int status = 0;
    while (n > 0 && got < sizeof message - 1) {
        n = read(in->messages, message + got, sizeof message - 1 - got);
        if (n > 0) got += (size_t)n;
    }
    message[got] = '\0';
    while (waitpid(in->gzip, &status, 0) < 0 && errno == EINTR) { }
    in->gzip = 0;
    if (!WIFEXITED(status) || WEXITSTATUS(status) == 127)
        tool_fail("%s: the file is compressed, but gzip -dc cannot be run", s->name);
    if (WEXITSTATUS(status) == 0) return;
    if (!strstr(message, "unexpected end of file"))
        tool_fail("%s: the gzip file is damaged", s->name);
    s->cut = "the gzip file is cut off";
}

/* ---- Reading --------------------------------------------------------------- */

static size_t read_piece(stream *s, char *to, size_t room)
{
    struct stream_inside *in = s->inside;
    ssize_t n;
    do n = read(in->file, to, room); while (n < 0 && errno == EINTR);
    if (n < 0) tool_fail("%s: %s", s->name, strerror(errno));
    if (n == 0) {
        in->ended = 1;
        if (in->gzip != 0) finish_gzip(s);
    }
    return (size_t)n;
}

/* A log or a trace is 5 to 50 times as large as its gzip file. */
static void check_growth(const stream *s)
{
    const uint64_t always = (uint64_t)64 << 20, times = 200, packed = s->inside->packed;
    if (packed > 0 && s->offset > always && s->offset / times > packed)
        tool_fail("%s: the gzip file expands to more than 64 MiB and %d times its size: unpack it "
                  "by hand if that is meant", s->name, (int)times);
}

size_t stream_more(stream *s, const char *keep)
{
    struct stream_inside *in = s->inside;
    const size_t kept = (size_t)(s->end - keep);
    if (!in || in->ended) {
        s->at = keep;
        return 0;
    }
    if (kept + STREAM_PIECE > in->room) {
        if (kept > STREAM_MOST) tool_fail("%s: a text value is longer than 16 MiB", s->name);
        in->room = 2 * (kept + STREAM_PIECE);
        char *grown = (char *)malloc(in->room);
        if (!grown) tool_fail("%s: out of memory", s->name);
        memcpy(grown, keep, kept);     /* more than a piece */
        free(in->buffer);
        in->buffer = grown;
    } else if (kept > 0) {
        memmove(in->buffer, keep, kept);
    }
    size_t n = read_piece(s, in->buffer + kept, in->room - kept);
    s->at = in->buffer;
    s->end = in->buffer + kept + n;
    s->offset += n;
    check_growth(s);
    if (file_mark) file_mark(s->end - n, n);
    return n;
}

size_t stream_peek(stream *s, size_t want)
{
    while ((size_t)(s->end - s->at) < want && stream_more(s, s->at) > 0) { }
    return (size_t)(s->end - s->at);
}

size_t stream_line(stream *s, int *ended)
{
    size_t looked = 0;
    for (;;) {
        const size_t here = (size_t)(s->end - s->at);
        const char *end = here > looked ? memchr(s->at + looked, '\n', here - looked) : NULL;
        *ended = end != NULL;
        if (end) return (size_t)(end - s->at);
        looked = here;
        if (stream_more(s, s->at) == 0) return here;
    }
}

char *stream_rest(stream *s, size_t *length)
{
    char *data = NULL;
    size_t room = 0;
    for (*length = 0;;) {
        const size_t here = (size_t)(s->end - s->at);
        char *grown = (char *)tool_room(data, &room, *length + here + 1, 1);
        if (*length > FILE_MOST) tool_fail("%s: the text is longer than 2 GiB", s->name);
        if (!grown) tool_fail("%s: out of memory", s->name);
        data = grown;
        if (here > 0) memcpy(data + *length, s->at, here);
        *length += here;
        s->at = s->end;
        if (stream_more(s, s->at) == 0) return data;
    }
}

stream *stream_open(const char *path)
{
    stream *s = (stream *)tool_alloc(1, sizeof *s);
    struct stream_inside *in = (struct stream_inside *)tool_alloc(1, sizeof *in);
    const int standard = strcmp(path, "-") == 0;
    s->name = standard ? "stdin" : path;
    s->inside = in;
    in->messages = -1;
    in->file = standard ? STDIN_FILENO : open(path, O_RDONLY);
    if (in->file < 0) tool_fail("%s: %s", s->name, strerror(errno));
    s->size = file_is_input(in->file);
    in->room = 2 * STREAM_PIECE;
    in->buffer = (char *)malloc(in->room);
    if (!in->buffer) tool_fail("%s: out of memory", s->name);
    s->at = s->end = in->buffer;
    if (stream_is_gzip(s->at, stream_peek(s, STREAM_HEAD))) unpack(s);
    return s;
}

void stream_close(stream *s)
{
    struct stream_inside *in = s->inside;
    if (!in) return;
    if (in->file != STDIN_FILENO) close(in->file);
    if (in->messages >= 0) close(in->messages);
    if (in->gzip != 0) waitpid(in->gzip, NULL, 0);
    if (in->feeder != 0) {
        kill(in->feeder, SIGTERM);
        waitpid(in->feeder, NULL, 0);
    }
    free(in->buffer);
    memset(in, 0, sizeof *in);
    in->file = STDIN_FILENO;
    in->messages = -1;
    in->ended = 1;
    s->at = s->end = NULL;
}
