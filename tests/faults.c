/* faults.c - runs a command with one fault after the other: see tests/cli/faults.sh
 *
 *     faults KIND [--most N] [--seed N] [--lasting] [--each] [--journal NAME] --
 *            COMMAND ARGUMENT...
 *
 * The command runs in the current folder, which holds its inputs and what stood under the
 * names of its outputs before. It runs once without a fault: that is what is right. For
 * every fault the folder is put back and the command runs again, and must either end with
 * that status and all that is right, or with another status below 128 and one line on stderr;
 * every file is as before or as is right, and no other file is there. KIND is
 *
 *     write     the n-th call that writes fails: write, send, fsync, ftruncate, rename, open
 *               to write, close of what was written; with ENOSPC, EIO, EINTR or a half write
 *     read      the n-th call that reads: read, recv, open
 *     system    the n-th fork, thread, pipe or pair of sockets
 *     memory    the n-th allocation; the command is linked with this file (-DFAULTS_MEMORY)
 *     call      a signal comes as the n-th call of any kind begins
 *     time      a signal comes at a random time, --most times
 *
 * --most: so many values of n, evenly spread [all]; --seed: with which the first begin.
 * --lasting: all further ones fail too. --each: with every error, or by every signal, rather
 * than with one. --journal: what is in NAME may be anything from which the same command goes
 * on to what is right. The last line is "N runs, N faults, N failed"; status 1 where one
 * failed, 77 where the system cannot be asked to do this. */
#define _GNU_SOURCE

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Shared by the process that fails and those that fail it. */
typedef struct faults_plan { uint64_t fail, count, lasting; } faults_plan;

#ifdef FAULTS_MEMORY
/* ---- In the command: what allocates ------------------------------------------------- */

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t bytes);
FILE *__real_fopen(const char *path, const char *mode);
FILE *__real_fdopen(int file, const char *mode);
char *__real_realpath(const char *path, char *buffer);
FILE *__real_tmpfile(void);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t bytes);
FILE *__wrap_fopen(const char *path, const char *mode);
FILE *__wrap_fdopen(int file, const char *mode);
char *__wrap_realpath(const char *path, char *buffer);
FILE *__wrap_tmpfile(void);

static int fails(void)
{
    static faults_plan *plan, none;
    if (!plan) {
        const char *file = getenv("FAULTS_PLAN");
        void *at = file ? mmap(NULL, sizeof *plan, PROT_READ | PROT_WRITE, MAP_SHARED,
                               atoi(file), 0) : MAP_FAILED;
        plan = at == MAP_FAILED ? &none : (faults_plan *)at;
    }
    uint64_t n = __atomic_add_fetch(&plan->count, 1, __ATOMIC_SEQ_CST);
    if (plan->fail == 0 || n < plan->fail || (n > plan->fail && !plan->lasting)) return 0;
    errno = ENOMEM;
    return 1;
}

void *__wrap_malloc(size_t bytes) { return fails() ? NULL : __real_malloc(bytes); }

void *__wrap_calloc(size_t count, size_t size)
{
    return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t bytes)
{
    return fails() ? NULL : __real_realloc(old, bytes);
}

FILE *__wrap_fopen(const char *path, const char *mode)
{
    return fails() ? NULL : __real_fopen(path, mode);
}

FILE *__wrap_fdopen(int file, const char *mode)
{
    return fails() ? NULL : __real_fdopen(file, mode);
}

char *__wrap_realpath(const char *path, char *buffer)
{
    return fails() ? NULL : __real_realpath(path, buffer);
}

FILE *__wrap_tmpfile(void) { return fails() ? NULL : __real_tmpfile(); }

#elif !defined(__linux__)
int main(void) { puts("skipped: faults: not Linux"); return 77; }
#else
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum kind { KIND_WRITE, KIND_READ, KIND_SYSTEM, KIND_MEMORY, KIND_CALL, KIND_TIME, KINDS };
static const char *const kinds[KINDS] = {"write", "read", "system", "memory", "call", "time"};

enum { SHORT = -1 };          /* in place of an error: half is written                */
enum { NOT_REACHED = 3 };     /* a status with results, too                           */
enum { HANGS_S = 100 };       /* a run of so many seconds                             */
static const int errors[] = {ENOSPC, EIO, EINTR, SHORT};
static const int lasting[] = {SHORT, EIO, ENOSPC}; /* a disk that fills: half, then none */
static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGKILL};

static enum kind    kind;
static unsigned long most = 1000000, seed = 1;
static int          each, runs, faults, failed;
static const char  *journal;
static char *const *command;
static faults_plan *plan;
static int          what;     /* errno, SHORT, or the signal                          */
static char         met[300]; /* what the fault was about                             */

/* ---- Files of the folder ---------------------------------------------------------- */

enum { MOST_FILES = 64 };

typedef struct text { char *data; size_t length; } text;
typedef struct folder { int count; char name[MOST_FILES][256]; text of[MOST_FILES]; } folder;

static void give_up(const char *why)
{
    printf("failed: %s: %s\n", why, strerror(errno));
    exit(1);
}

static text read_text(int file)
{
    text t = {NULL, 0};
    struct stat about;
    if (fstat(file, &about) != 0) give_up("stat");
    t.data = (char *)malloc((size_t)about.st_size + 1);
    if (!t.data || pread(file, t.data, (size_t)about.st_size, 0) != about.st_size) give_up("read");
    t.length = (size_t)about.st_size;
    t.data[t.length] = '\0';
    return t;
}

static int same(const text *a, const text *b)
{
    return a && b && a->length == b->length && memcmp(a->data, b->data, a->length) == 0;
}

static void look(folder *f)
{
    DIR *here = opendir(".");
    struct dirent *entry;
    f->count = 0;
    if (!here) give_up("opendir");
    while ((entry = readdir(here)) != NULL) {
        int file;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        if ((file = open(entry->d_name, O_RDONLY | O_CLOEXEC)) < 0) give_up(entry->d_name);
        if (f->count == MOST_FILES) give_up("too many files");
        strcpy(f->name[f->count], entry->d_name);
        f->of[f->count++] = read_text(file);
        close(file);
    }
    closedir(here);
}

static const text *in_folder(const folder *f, const char *name)
{
    int i = 0;
    while (i < f->count && strcmp(f->name[i], name) != 0) i++;
    return i < f->count ? &f->of[i] : NULL;
}

static void forget(folder *f)
{
    while (f->count > 0) free(f->of[--f->count].data);
}

/* Makes `now` what was before. */
static void put_back(const folder *before, const folder *now)
{
    for (int i = 0; i < now->count; i++)
        if (!in_folder(before, now->name[i])) unlink(now->name[i]);
    for (int i = 0; i < before->count; i++) {
        const text *was = &before->of[i];
        if (same(was, in_folder(now, before->name[i]))) continue;
        int file = open(before->name[i], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
        if (file < 0 || write(file, was->data, was->length) != (ssize_t)was->length)
            give_up("write");
        close(file);
    }
}

/* ---- Calls, by ptrace ---------------------------------------------------------------- */

#if defined(__x86_64__) && !defined(__ILP32__)
enum { MOST_PROCESSES = 256 };

typedef struct traced { pid_t pid; int undo, error; } traced;
static traced process[MOST_PROCESSES];

static traced *traced_of(pid_t pid)
{
    int i = 0;
    while (i < MOST_PROCESSES - 1 && process[i].pid != 0 && process[i].pid != pid) i++;
    process[i].pid = pid;
    return &process[i];
}

/* What a descriptor of a process is, into met; flags of open, or -1. */
static int about_file(pid_t pid, uint64_t file)
{
    char path[64], line[100];
    unsigned flags = 0;
    snprintf(path, sizeof path, "/proc/%ld/fd/%d", (long)pid, (int)file);
    ssize_t n = readlink(path, met, sizeof met - 1);
    if (n < 0) return -1;
    met[n] = '\0';
    snprintf(path, sizeof path, "/proc/%ld/fdinfo/%d", (long)pid, (int)file);
    FILE *info = fopen(path, "r");
    while (info && fgets(line, sizeof line, info)) sscanf(line, "flags: %o", &flags);
    if (info) fclose(info);
    if (file == 1) strcpy(met, "standard output");
    return (int)(flags & O_ACCMODE);
}

/* A path in the memory of a process, into met: is it below this folder, and no pattern? */
static int about_path(pid_t pid, uint64_t at)
{
    char here[sizeof met];
    struct iovec local, remote;
    size_t i;
    for (i = 0; i < sizeof met - 1; i++) {
        local.iov_base = met + i;
        remote.iov_base = (void *)(uintptr_t)(at + i);
        local.iov_len = remote.iov_len = 1;
        if (process_vm_readv(pid, &local, 1, &remote, 1, 0) != 1) return 0;
        if (met[i] == '\0') break;
    }
    met[i] = '\0';
    if (met[0] != '/') return 1;
    return getcwd(here, sizeof here) && strncmp(met, here, strlen(here)) == 0;
}

static int is_write(pid_t pid, uint64_t call, const uint64_t argument[6])
{
    switch (call) {
    case SYS_write: case SYS_writev: case SYS_pwrite64: case SYS_sendto: case SYS_fsync:
    case SYS_fdatasync: case SYS_ftruncate:
        return argument[0] != 2 && about_file(pid, argument[0]) >= 0;
    case SYS_close: return argument[0] != 2 && about_file(pid, argument[0]) > 0;
    case SYS_open: return (argument[1] & (O_ACCMODE | O_CREAT)) && about_path(pid, argument[0]);
    case SYS_openat: return (argument[2] & (O_ACCMODE | O_CREAT)) && about_path(pid, argument[1]);
    case SYS_rename: return about_path(pid, argument[0]);
    case SYS_renameat: case SYS_renameat2: return about_path(pid, argument[1]);
    default: return 0;
    }
}

static int is_read(pid_t pid, uint64_t call, const uint64_t argument[6])
{
    char here[sizeof met];
    int of;
    switch (call) {
    case SYS_read: case SYS_pread64: case SYS_recvfrom:
        of = about_file(pid, argument[0]);
        return of >= 0 && getcwd(here, sizeof here) &&
               (met[0] != '/' || strncmp(met, here, strlen(here)) == 0);
    case SYS_open: return !(argument[1] & O_ACCMODE) && about_path(pid, argument[0]);
    case SYS_openat: return !(argument[2] & O_ACCMODE) && about_path(pid, argument[1]);
    default: return 0;
    }
}

static int is_system(uint64_t call)
{
    strcpy(met, "system");
    return call == SYS_clone || call == SYS_clone3 || call == SYS_fork || call == SYS_vfork ||
           call == SYS_pipe || call == SYS_pipe2 || call == SYS_socketpair;
}

static int is_ours(pid_t pid, uint64_t call, const uint64_t argument[6])
{
    if (kind == KIND_WRITE) return is_write(pid, call, argument);
    if (kind == KIND_READ) return is_read(pid, call, argument);
    return kind == KIND_SYSTEM ? is_system(call) : kind == KIND_CALL;
}

/* The call fails without being made; a close is made, as the system makes it. */
static void spoil(traced *t, uint64_t call)
{
    struct user_regs_struct regs;
    if (ptrace(PTRACE_GETREGS, t->pid, NULL, &regs) != 0) return;
    if (what == SHORT && plan->count == plan->fail) {
        if ((call == SYS_write || call == SYS_sendto || call == SYS_read || call == SYS_recvfrom) &&
            regs.rdx > 1) regs.rdx /= 2;
    } else {
        t->undo = 1;
        t->error = what == SHORT ? ENOSPC : what;
        if (call != SYS_close) regs.orig_rax = (unsigned long long)-1;
    }
    (void)ptrace(PTRACE_SETREGS, t->pid, NULL, &regs);
}

static void at_call(traced *t)
{
    struct ptrace_syscall_info {
        uint8_t op, pad[3]; uint32_t arch; uint64_t at, stack, call, argument[6], more;
    } info;
    struct user_regs_struct regs;
    char kept[sizeof met];
    memset(&info, 0, sizeof info);
    if (ptrace((enum __ptrace_request)0x420e, t->pid, (void *)sizeof info, &info) <= 0) return;
    if (info.op == 2 && t->undo) {               /* PTRACE_SYSCALL_INFO_EXIT          */
        t->undo = 0;
        if (ptrace(PTRACE_GETREGS, t->pid, NULL, &regs) != 0) return;
        regs.rax = (unsigned long long)-(long long)t->error;
        (void)ptrace(PTRACE_SETREGS, t->pid, NULL, &regs);
    }
    memcpy(kept, met, sizeof kept);
    if (info.op != 1 || !is_ours(t->pid, info.call, info.argument)) {
        memcpy(met, kept, sizeof kept);
        return;
    }
    plan->count++;
    if (plan->fail != 0 && (plan->count == plan->fail ||
                            (plan->lasting && plan->count > plan->fail))) {
        if (kind == KIND_CALL) kill(process[0].pid, what);
        else spoil(t, info.call);
        return;
    }
    memcpy(met, kept, sizeof kept);
}

/* Follows the process and its children, but not the programs that those become. */
static int follow(pid_t child)
{
    const long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
                         PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL;
    int status = 0, end = -1;
    pid_t pid;
    memset(process, 0, sizeof process);
    if (waitpid(child, &status, __WALL) != child || !WIFSTOPPED(status)) return -1;
    if (ptrace(PTRACE_SETOPTIONS, child, NULL, (void *)options) != 0) give_up("ptrace");
    traced_of(child);
    (void)ptrace(PTRACE_SYSCALL, child, NULL, NULL);
    while ((pid = waitpid(-1, &status, __WALL)) > 0) {
        const int event = status >> 16;
        long give = 0;
        if (!WIFSTOPPED(status)) {
            if (pid == child) end = status;
            continue;
        }
        if (event == PTRACE_EVENT_EXEC && pid != child) {
            (void)ptrace(PTRACE_DETACH, pid, NULL, NULL);
            continue;
        }
        if (WSTOPSIG(status) == (SIGTRAP | 0x80)) at_call(traced_of(pid));
        else if (event == 0 && WSTOPSIG(status) != SIGSTOP) give = WSTOPSIG(status);
        (void)ptrace(PTRACE_SYSCALL, pid, NULL, (void *)give);
    }
    return end;
}

static int can_follow = 1;
#else
static int can_follow = 0;
static int follow(pid_t child) { (void)child; return -1; }
#endif

/* ---- One run ------------------------------------------------------------------------- */

typedef struct outcome { int status; text out, err; double s; } outcome;

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void sleep_s(double s)
{
    struct timespec span;
    span.tv_sec = (time_t)s;
    span.tv_nsec = (long)(1e9 * (s - (double)span.tv_sec));
    nanosleep(&span, NULL);
}

static pid_t running;

static void end_what_hangs(int number)
{
    (void)number;
    kill(running, SIGALRM);
}

/* after_s < 0: no signal. */
static void run(outcome *o, int trace, double after_s)
{
    const int out = memfd_create("stdout", MFD_CLOEXEC), err = memfd_create("stderr", MFD_CLOEXEC);
    const double began_s = now_s();
    met[0] = '\0';
    plan->count = 0;
    fflush(stdout);
    pid_t child = fork();
    if (child < 0) give_up("fork");
    if (child == 0) {
        if (dup2(out, 1) < 0 || dup2(err, 2) < 0) _exit(127);
        if (trace && (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0 || raise(SIGSTOP) != 0)) _exit(77);
        execv(command[0], command);
        _exit(127);
    }
    running = child;
    alarm(HANGS_S);
    if (after_s >= 0.0) {
        sleep_s(after_s);
        kill(child, what);
    }
    if (trace) o->status = follow(child);
    else while (waitpid(child, &o->status, 0) < 0) continue;
    alarm(0);
    o->s = now_s() - began_s;
    o->out = read_text(out);
    o->err = read_text(err);
    close(out);
    close(err);
}

/* Every process that it began ends soon too; 0: one did not. */
static int others_end(void)
{
    const double limit_s = now_s() + 20.0;
    int status;
    pid_t pid = 0;
    while ((pid = waitpid(-1, &status, WNOHANG)) >= 0 || errno == EINTR) {
        if (pid == 0 && now_s() > limit_s) return 0;
        if (pid == 0) sleep_s(1e-3);
    }
    return 1;
}

/* ---- What must hold ------------------------------------------------------------------- */

static folder before, right;
static outcome clean;

static void fail(const outcome *o, const char *why, const char *name)
{
    failed++;
    if (failed > 20) return;
    printf("failed: %s %lu (%s %s): %s%s\n    ", kinds[kind], (unsigned long)plan->fail,
           what == SHORT ? "half" : kind >= KIND_CALL ? strsignal(what) : strerror(what), met, why,
           name);
    for (int i = 0; command[i]; i++) printf("%s ", command[i]);
    printf("\n    status %d, stdout %lu bytes, stderr: %.300s\n", o->status,
           (unsigned long)o->out.length, o->err.data);
}

/* Each file is as before or as is right, and no other is there. */
static void check_files(const outcome *o, const folder *now, int killed)
{
    const int succeeded = o->status == clean.status;
    int left = 0;
    for (int i = 0; i < now->count; i++) {
        const text *was = in_folder(&before, now->name[i]), *is = &now->of[i];
        const text *wanted = in_folder(&right, now->name[i]);
        if (journal && strcmp(now->name[i], journal) == 0) continue;
        if (killed && strncmp(now->name[i], ".sgdperf-", 9) == 0 && ++left <= right.count) continue;
        if (!was && !wanted) fail(o, "left behind: ", now->name[i]);
        else if (!same(is, wanted) && (succeeded || !same(is, was)))
            fail(o, "neither as before nor as is right: ", now->name[i]);
    }
    for (int i = 0; i < right.count; i++)
        if (succeeded && !in_folder(now, right.name[i])) fail(o, "is missing: ", right.name[i]);
    for (int i = 0; i < before.count; i++)
        if (!in_folder(now, before.name[i])) fail(o, "is lost: ", before.name[i]);
}

/* Does the line name a file of the folder that the fault was about? */
static int names_it(const outcome *o)
{
    const char *slash = strrchr(met, '/'), *name = slash ? slash + 1 : met;
    if (kind >= KIND_SYSTEM || met[0] == '\0' || strchr(met, ':') || strncmp(met, "/memfd", 6) == 0)
        return 1;
    if (strstr(o->err.data, name)) return 1;
    for (int i = 0; strncmp(name, ".sgdperf-", 9) == 0 && i < right.count; i++)
        if (strstr(o->err.data, right.name[i])) return 1;
    return 0;
}

static void check_end(const outcome *o)
{
    const char *first = strchr(o->err.data, '\n');
    if (WIFSIGNALED(o->status)) {
        if (kind < KIND_CALL || WTERMSIG(o->status) != what) fail(o, "ended by a signal", "");
        return;
    }
    if (o->status == clean.status) {
        if (!same(&o->out, &clean.out)) fail(o, "succeeded, but other results on stdout", "");
        if (kind == KIND_WRITE && (what == ENOSPC || what == EIO) && strstr(met, "/.sgdperf-"))
            fail(o, "passes over an error", "");
        return;
    }
    if (WEXITSTATUS(o->status) >= 5) fail(o, "status above those of the program", "");
    /* Without memory every process says so for itself. */
    if (strncmp(o->err.data, "sgdperf: ", 9) != 0 || !first ||
        (first[1] != '\0' && !(kind == KIND_MEMORY && plan->lasting)))
        fail(o, "want one line on stderr", "");
    else if (strstr(o->err.data, "signal ")) fail(o, "a process of it crashed", "");
    else if (!names_it(o)) fail(o, "the line does not name what failed", "");
}

/* With the journal as it was left the same command comes to the same, and so once more with
 * the journal that it leaves. */
static void check_goes_on(void)
{
    const uint64_t fault = plan->fail;
    outcome again;
    plan->fail = 0;
    for (int i = 0; i < 2; i++) {
        run(&again, 0, -1.0);
        if (again.status != clean.status || !same(&again.out, &clean.out))
            fail(&again, "does not go on from its journal", "");
        free(again.out.data);
        free(again.err.data);
    }
    plan->fail = fault;
}

static void run_fault(double after_s)
{
    folder now;
    outcome o;
    run(&o, kind != KIND_MEMORY && kind != KIND_TIME, after_s);
    runs++;
    faults += kind == KIND_TIME ? WIFSIGNALED(o.status) : plan->count >= plan->fail;
    if (!others_end()) fail(&o, "leaves a process running", "");
    look(&now);
    check_end(&o);
    check_files(&o, &now, kind >= KIND_CALL && what == SIGKILL);
    if (journal) check_goes_on();
    if (journal) { forget(&now); look(&now); }
    put_back(&before, &now);
    forget(&now);
    free(o.out.data);
    free(o.err.data);
}

/* ---- All faults ------------------------------------------------------------------------ */

static uint64_t state;

static double uniform(void)
{
    state = state * 6364136223846793005U + 1442695040888963407U;
    return (double)(state >> 11) / 9007199254740992.0;
}

static void all_times(void)
{
    unsigned long i;
    for (i = 0; i < most && failed < 20; i++) {
        what = signals[i % 4];
        run_fault(1.1 * clean.s * uniform());
    }
}

static void all_counts(uint64_t calls)
{
    const int *with = kind == KIND_CALL ? signals : plan->lasting ? lasting : errors;
    /* What is to be tried again may not go on for ever. */
    const unsigned long kinds_of = kind == KIND_MEMORY || kind == KIND_SYSTEM ? 1
                                   : plan->lasting ? 3 : 4;
    const uint64_t step = (calls + most - 1) / most;
    unsigned long i = 0;
    for (plan->fail = 1 + seed % (step + !step); plan->fail <= calls && failed < 20;
         plan->fail += step) {
        for (unsigned k = 0; k < (each ? kinds_of : 1); k++) {
            what = kind == KIND_MEMORY ? ENOMEM : kind == KIND_SYSTEM ? EAGAIN
                   : with[(each ? k : i + seed) % kinds_of];
            run_fault(-1.0);
        }
        i++;
    }
}

static char **options(char **word)
{
    for (; *word && strcmp(*word, "--") != 0; word++) {
        if (strcmp(*word, "--each") == 0) each = 1;
        else if (strcmp(*word, "--lasting") == 0) plan->lasting = 1;
        else if (strcmp(*word, "--journal") == 0) journal = *++word;
        else if (strcmp(*word, "--most") == 0) most = strtoul(*++word, NULL, 10);
        else if (strcmp(*word, "--seed") == 0) seed = strtoul(*++word, NULL, 10);
        else give_up(*word);
    }
    return *word ? word + 1 : word;
}

int main(int argc, char **argv)
{
    const int file = memfd_create("plan", 0);
    char number[16];
    if (file < 0 || ftruncate(file, sizeof *plan) != 0) give_up("memfd");
    plan = (faults_plan *)mmap(NULL, sizeof *plan, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    snprintf(number, sizeof number, "%d", file);
    if (argc > 1 && strcmp(argv[1], kinds[KIND_MEMORY]) == 0) setenv("FAULTS_PLAN", number, 1);
    signal(SIGALRM, end_what_hangs);
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    while (kind < KINDS && (argc < 2 || strcmp(argv[1], kinds[kind]) != 0)) kind = kind + 1;
    command = kind < KINDS ? options(argv + 2) : argv + argc;
    if (!command[0]) give_up("usage");
    state = seed;
    if (kind != KIND_MEMORY && kind != KIND_TIME && !can_follow) {
        puts("skipped: faults: calls are followed on x86-64 alone");
        return 77;
    }
    look(&before);
    run(&clean, kind != KIND_MEMORY && kind != KIND_TIME, -1.0);
    uint64_t calls = plan->count;
    if (!WIFEXITED(clean.status) || (WEXITSTATUS(clean.status) != 0 &&
                                     WEXITSTATUS(clean.status) != NOT_REACHED)) {
        printf("failed: without a fault: status %d: %s\n", clean.status, clean.err.data);
        return WIFEXITED(clean.status) && WEXITSTATUS(clean.status) == 77 ? 77 : 1;
    }
    look(&right);
    put_back(&before, &right);
    if (kind == KIND_TIME) all_times();
    else all_counts(calls);
    if (runs == 0 && kind != KIND_READ) failed++;
    printf("%s: %d runs, %d faults of %lu, %d failed\n", kinds[kind], runs, faults,
           (unsigned long)calls, failed);
    return failed > 0;
}
#endif
