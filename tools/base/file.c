/* file.c - files: read into memory, and written whole or not at all
 *
 * An output is written to a temporary file in the folder of its target, which out_commit
 * brings to its disk (a name must not be there before its bytes) and closes, and
 * out_rename_all renames. Temporaries that are still there when the program
 * ends, by exit or by a signal, are removed: the outputs stand in a fixed array, which a
 * signal handler can walk, and change only while these signals are blocked. */
#define _XOPEN_SOURCE 700 /* fdopen, fstat, realpath, sigaction, SIGXFSZ */

#include "base/file.h"

#include "base/tool.h"


#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Identities ------------------------------------------------------------ */

/* A regular file is the same under all its names; of devices and pipes, which may well
 * be read and written, no identity is kept. */
typedef struct file_identity { dev_t device; ino_t inode; int known; } file_identity;

static file_identity identity_of(const struct stat *about)
{
    const file_identity id = {about->st_dev, about->st_ino, S_ISREG(about->st_mode)};
    return id;
}

static int is_same_file(const file_identity *a, const file_identity *b)
{
    return a->known && b->known && a->device == b->device && a->inode == b->inode;
}

/* Every input so far. By malloc, as they outlive tool_free_all. */
static file_identity *inputs;
static size_t         input_count, input_room;

static void remember_input(const file_identity *id)
{
    file_identity *grown;
    size_t i = 0;
    while (i < input_count && !is_same_file(&inputs[i], id)) i++;
    if (!id->known || i < input_count) return;
    grown = (file_identity *)tool_room(inputs, &input_room, input_count + 1, sizeof *grown);
    if (!grown) tool_fail("out of memory");
    inputs = grown;
    inputs[input_count++] = *id;
}

/* ---- Outputs under way ----------------------------------------------------- */

enum { OUT_MOST = 16 };       /* that are open together                             */

struct out_file {
    const char   *option, *path; /* as given, for messages                          */
    int           used;       /* 0: this element is free                            */
    FILE         *stream;     /* NULL: closed, and whole                            */
    char         *target;     /* the file itself, behind symbolic links             */
    char         *temporary;  /* NULL: what is at path is written directly          */
    file_identity was;        /* of what stands at target                           */
    pid_t         owner;      /* a child of fork removes nothing                    */
};

static out_file out_files[OUT_MOST];

/* Fails where an input that is about to be read is also to be written. */
static void refuse_output(const file_identity *input)
{
    for (size_t i = 0; i < OUT_MOST; i++)
        if (out_files[i].used && is_same_file(&out_files[i].was, input))
            tool_fail("%s: '%s' is also an input file: name another output file",
                      out_files[i].option, out_files[i].path);
}

/* ---- Reading --------------------------------------------------------------- */

/* All bytes of a file, in memory that the caller frees. */
static char *read_bytes(FILE *file, const char *name, size_t *length)
{
    const size_t first = 65536;
    size_t room = 0, got = 1;
    char *data = NULL;
    for (*length = 0; got > 0; *length += got) {
        char *grown = (char *)tool_room(data, &room, *length < first ? first : *length + 1, 1);
        if (*length >= FILE_MOST) tool_fail("%s: the text is longer than 2 GiB", name);
        if (!grown) tool_fail("%s: out of memory", name);
        data = grown;
        got = fread(data + *length, 1, room - *length, file);
    }
    if (ferror(file)) {
        const char *why = strerror(errno);
        free(data);
        tool_fail("%s: %s", name, why);
    }
    return data;
}

uint64_t file_is_input(int descriptor)
{
    struct stat about;
    if (fstat(descriptor, &about) != 0) return 0;
    file_identity id = identity_of(&about);
    remember_input(&id);
    refuse_output(&id);
    return id.known && about.st_size > 0 ? (uint64_t)about.st_size : 0;
}

void (*file_mark)(const char *data, size_t length);

char *file_read(const char *path, const char **name, size_t *length)
{
    const int standard = strcmp(path, "-") == 0;
    FILE *file = standard ? stdin : fopen(path, "rb");
    *name = standard ? "stdin" : path;
    if (!file) tool_fail("%s: %s", *name, strerror(errno));
    (void)file_is_input(fileno(file));
    char *data = read_bytes(file, *name, length);
    if (!standard) fclose(file);
    if (file_mark) file_mark(data, *length);
    return data;
}

const char *file_obstacle(const char *path)
{
    struct stat about;
    if (strcmp(path, "-") == 0) return NULL;
    if (access(path, R_OK) != 0) return strerror(errno);
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode) ? strerror(EISDIR) : NULL;
}

int file_is_there(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file) fclose(file);
    return file != NULL;
}

int file_is_pipe(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && !S_ISREG(about.st_mode);
}

/* ---- Other programs -------------------------------------------------------- */

const char *file_program(const char *name)
{
    const char *at = getenv("PATH");
    struct stat about;
    if (strchr(name, '/')) return name;
    for (at = at ? at : "/usr/bin:/bin"; *at != '\0'; at += *at == ':') {
        const size_t folder = strcspn(at, ":");
        char *path = tool_text("%.*s/%s", (int)folder, at, name);
        if (*at == '/' && stat(path, &about) == 0 && S_ISREG(about.st_mode) &&
            access(path, X_OK) == 0)
            return path;
        tool_free(path);
        at += folder;
    }
    return NULL;
}

/* ---- Ends ------------------------------------------------------------------ */

/* Those that end a program which does not handle them, and that may come at any time. */
static const int fatal_signals[] = {SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM, SIGABRT,
                                    SIGXCPU, SIGXFSZ};

static void block_signals(sigset_t *before)
{
    sigset_t fatal;
    sigemptyset(&fatal);
    for (size_t i = 0; i < COUNT_OF(fatal_signals); i++) sigaddset(&fatal, fatal_signals[i]);
    sigprocmask(SIG_BLOCK, &fatal, before);
}

/* Calls only what a signal handler may call. */
void file_remove_temporaries(void)
{
    const pid_t self = getpid();
    for (size_t i = 0; i < OUT_MOST; i++)
        if (out_files[i].used && out_files[i].temporary && out_files[i].owner == self)
            unlink(out_files[i].temporary);
}

/* What is called first, the last of them before the others. */
enum { ENDS_MOST = 4 };
static void (*volatile at_signal[ENDS_MOST])(void);
static volatile int ends;

/* SA_RESETHAND has restored the signal's own action, which follows. */
static void end_by_signal(int number)
{
    for (int i = ends; i-- > 0;) at_signal[i]();
    file_remove_temporaries();
    raise(number);
}

/* Signals that are ignored, as SIGHUP is under nohup, stay so. */
static void watch_the_end(void)
{
    static int watched;
    struct sigaction action, before;
    if (watched) return;
    watched = 1;
    memset(&action, 0, sizeof action);
    action.sa_handler = end_by_signal;
    action.sa_flags = (int)SA_RESETHAND;
    sigfillset(&action.sa_mask);
    for (size_t i = 0; i < COUNT_OF(fatal_signals); i++)
        if (sigaction(fatal_signals[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
            sigaction(fatal_signals[i], &action, NULL);
    if (atexit(file_remove_temporaries) != 0) tool_fail("out of memory");
}

void file_watch_the_end(void (*also)(void))
{
    int i = 0;
    while (i < ends && at_signal[i] != also) i++;
    assert(i < ENDS_MOST);
    at_signal[i] = also;
    if (i == ends) ends++;
    watch_the_end();
}

/* ---- Writing --------------------------------------------------------------- */

int file_is_silent;

/* error: of errno; 0 where an earlier write failed, whose errno is gone. */
TOOL_NORETURN static void out_fail(const out_file *out, int error)
{
    tool_fail("%s: '%s' cannot be written: %s", out->option, out->path,
              error != 0 ? strerror(error) : "an error in writing");
}

/* prefix[length] and a name, which out_release frees. */
static char *joined(const char *prefix, size_t length, const char *name)
{
    char *text = (char *)malloc(length + strlen(name) + 1);
    if (!text) tool_fail("out of memory");
    memcpy(text, prefix, length);
    strcpy(text + length, name);
    return text;
}

static void out_release(out_file *out)
{
    free(out->target);
    free(out->temporary);
    memset(out, 0, sizeof *out);
}

/* The path of a file to be made: its folder by its one name. */
static char *new_target(const out_file *out)
{
    const char *slash = strrchr(out->path, '/'), *name = slash ? slash + 1 : out->path;
    char *folder = slash ? joined(out->path, (size_t)(name - out->path), "") : NULL;
    char *real = realpath(folder ? folder : ".", NULL), *target;
    const int error = errno;
    free(folder);
    if (!real) out_fail(out, error);
    if (*name == '\0') out_fail(out, ENOENT);
    folder = joined(real, strlen(real), "/");
    free(real);
    target = joined(folder, strlen(folder), name);
    free(folder);
    return target;
}

/* Fills target and was; 1 and *about if something stands there already. */
static int find_target(out_file *out, struct stat *about)
{
    const int there = stat(out->path, about) == 0;
    struct stat link;
    if (!there) {
        if (errno != ENOENT) out_fail(out, errno);
        if (lstat(out->path, &link) == 0)
            tool_fail("%s: '%s' is a link to a missing file", out->option, out->path);
        out->target = new_target(out);
        return 0;
    }
    out->was = identity_of(about);
    out->target = out->was.known ? realpath(out->path, NULL)
                                 : joined(out->path, strlen(out->path), "");
    if (!out->target) out_fail(out, errno);
    if (S_ISDIR(about->st_mode)) out_fail(out, EISDIR);
    return 1;
}

/* Fails where another file of this run is the same. */
static void refuse_twice(const out_file *out)
{
    for (size_t i = 0; i < input_count; i++)
        if (is_same_file(&inputs[i], &out->was))
            tool_fail("%s: '%s' is also an input file: name another output file",
                      out->option, out->path);
    for (size_t i = 0; i < OUT_MOST; i++) {
        const out_file *other = &out_files[i];
        if (other->used && (is_same_file(&other->was, &out->was) ||
                            (other->temporary && strcmp(other->target, out->target) == 0)))
            tool_fail("%s: '%s' is also the output of %s: name different files",
                      out->option, out->path, other->option);
    }
}

/* Standard output or error under another name: what is written goes behind what is
 * there, not to the start of the file that it may be redirected to. NULL: neither. */
static FILE *standard_stream(const struct stat *about)
{
    for (int descriptor = STDOUT_FILENO; descriptor <= STDERR_FILENO; descriptor++) {
        struct stat standard;
        if (fstat(descriptor, &standard) == 0 && standard.st_dev == about->st_dev &&
            standard.st_ino == about->st_ino)
            return fdopen(dup(descriptor), "wb");
    }
    return NULL;
}

/* A new file in the folder of the target; 0 if that name is taken. */
static int open_temporary(out_file *out, unsigned attempt)
{
    char name[64];
    sigset_t before;
    snprintf(name, sizeof name, ".sgdperf-%ld-%u", (long)out->owner, attempt);
    free(out->temporary);
    out->temporary = joined(out->target, (size_t)(strrchr(out->target, '/') - out->target) + 1,
                            name);
    block_signals(&before);
    int descriptor = open(out->temporary, O_WRONLY | O_CREAT | O_EXCL, 0666);
    int error = errno;
    if (descriptor >= 0 && !(out->stream = fdopen(descriptor, "wb"))) {
        error = errno;
        close(descriptor);
        unlink(out->temporary);
    }
    out->used = out->stream != NULL;
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (!out->stream && (descriptor >= 0 || error != EEXIST)) out_fail(out, error);
    return out->stream != NULL;
}

/* What stands at path is written directly, if it is no regular file or a standard stream:
 * 0 otherwise. */
static int open_directly(out_file *out, const struct stat *about)
{
    out->stream = standard_stream(about);
    if (!out->stream && access(out->path, W_OK) != 0) out_fail(out, errno);
    if (!out->stream && !out->was.known) {
        out->stream = fopen(out->path, "wb");
        if (!out->stream) out_fail(out, errno);
    }
    out->used = out->stream != NULL;
    return out->used;
}

out_file *out_open(const char *option, const char *path)
{
    enum { ATTEMPTS = 100 };
    struct stat about;
    unsigned attempt = 0;
    size_t i = 0;
    while (i < OUT_MOST && out_files[i].used) i++;
    if (i == OUT_MOST) tool_fail("%s: '%s' is one output file too many", option, path);
    if (strcmp(path, "-") == 0) tool_fail("%s: '%s' is not the name of a file", option, path);
    watch_the_end();
    if (file_is_silent) path = "/dev/null";
    out_file *out = &out_files[i];
    out_release(out);                  /* of an attempt that failed */
    out->option = option;
    out->path = path;
    out->owner = getpid();
    int there = find_target(out, &about);
    refuse_twice(out);
    if (there && open_directly(out, &about)) return out;
    while (!open_temporary(out, attempt))
        if (++attempt == ATTEMPTS) out_fail(out, EEXIST);
    if (out->was.known) fchmod(fileno(out->stream), about.st_mode & 0777);
    return out;
}

FILE *out_stream(out_file *out) { return out->stream; }

void out_commit(out_file *out)
{
    sigset_t before;
    errno = 0;
    int failed = fflush(out->stream) != 0 || ferror(out->stream) ||
                 (out->temporary && fsync(fileno(out->stream)) != 0 && errno != EINVAL);
    int error = errno;
    block_signals(&before);
    if (fclose(out->stream) != 0 && !failed) { failed = 1; error = errno; }
    if (out->temporary && failed) unlink(out->temporary);
    out->stream = NULL;
    out->used = out->temporary && !failed;
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (failed) out_fail(out, error);
    if (!out->used) out_release(out);
}

void out_rename_all(void)
{
    sigset_t before;
    for (size_t i = 0; i < OUT_MOST; i++) {
        out_file *out = &out_files[i];
        int error = 0;
        if (!out->used || out->stream) continue;
        block_signals(&before);
        if (rename(out->temporary, out->target) != 0) {
            error = errno;
            unlink(out->temporary);
        }
        out->used = 0;
        sigprocmask(SIG_SETMASK, &before, NULL);
        if (error != 0) out_fail(out, error);
        out_release(out);
    }
}

void out_discard(out_file *out)
{
    sigset_t before;
    block_signals(&before);
    if (out->temporary) unlink(out->temporary);
    if (out->stream) fclose(out->stream);
    out_release(out);
    sigprocmask(SIG_SETMASK, &before, NULL);
}
