/* counted.c - linked into the programs that `make coverage-tools` counts. Their counters, which
 * counted.ld puts side by side, are those of a file, PROGRAM.counts in the folder COUNTS, which
 * every process maps: what it has counted is there however it ends, by _exit or a signal, too,
 * and it writes nothing that a test could let fail. With COUNTED_WRITE=1 the program does nothing
 * but hand the counts to gcov. */
#define _GNU_SOURCE

#include <fcntl.h>
#include <gcov.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

extern char counts_begin[], counts_end[];

pid_t __wrap___gcov_fork(void);
int __wrap___gcov_execvp(const char *name, char *const arguments[]);
void __wrap___gcov_exit(void);

/* gcc would begin anew in a child, write before another program, and at the end. */
pid_t __wrap___gcov_fork(void) { return fork(); }

int __wrap___gcov_execvp(const char *name, char *const arguments[])
{
    return execvp(name, arguments);
}

void __wrap___gcov_exit(void) { }

__attribute__((constructor)) static void map_counts(void)
{
    const size_t bytes = (size_t)(counts_end - counts_begin);
    char program[4096], path[4096];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    int file;
    if (length < 0) return;
    program[length] = '\0';
    snprintf(path, sizeof path, "%s%s.counts", COUNTS, strrchr(program, '/'));
    file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0) return;
    (void)fchmod(file, 0666);          /* a test takes the rights of root from a program */
    if (ftruncate(file, (off_t)bytes) == 0)
        (void)mmap(counts_begin, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0);
    close(file);
    if (!getenv("COUNTED_WRITE")) return;
    __gcov_dump();
    _exit(0);
}
