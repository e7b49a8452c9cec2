/* process.c - other programs: fork, exec, and files without a name for what they read and
 * write, which cannot block */
#define _XOPEN_SOURCE 700 /* fork, fileno, readlink, stat */

#include "jobs/process.h"

#include "base/file.h"
#include "base/tool.h"

#include <stdio.h>
#include <string.h>

#if defined(__unix__) || defined(__APPLE__)
#include <errno.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- Running --------------------------------------------------------------- */

enum { WORDS_MOST = 15 };

/* In the child, which must not say that memory is short: becomes the program. */
TOOL_NORETURN static void become(const char *path, char *const *argument, const int stream[3])
{
    for (size_t i = 0; i < 3; i++)
        if (dup2(stream[i], (int)i) < 0) _exit(PROCESS_NONE);
    execv(path, argument);
    _exit(PROCESS_NONE);
}

static int run_on(const char *const *words, FILE *const file[3])
{
    const char *path = file_program(words[0]);
    char *argument[WORDS_MOST + 1];
    int status = 0, stream[3];
    size_t n = 0;
    for (; words[n] && n < WORDS_MOST; n++) argument[n] = tool_text("%s", words[n]);
    argument[n] = NULL;
    if (!path || words[n]) return PROCESS_NONE; /* or more than there is room for */
    for (size_t i = 0; i < 3; i++) stream[i] = fileno(file[i]);
    fflush(NULL);                      /* or the child would write it again */
    pid_t child = fork();
    if (child == 0) become(path, argument, stream);
    if (child < 0) return PROCESS_NONE;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return PROCESS_NONE;
    return WIFEXITED(status) ? WEXITSTATUS(status) : PROCESS_SIGNAL + WTERMSIG(status);
}

static char *read_back(FILE *file, size_t *length)
{
    const off_t end = lseek(fileno(file), 0, SEEK_END);
    char *text = (char *)tool_alloc(end > 0 ? (uint64_t)end + 1 : 1, 1);
    rewind(file);
    *length = end > 0 ? fread(text, 1, (size_t)end, file) : 0;
    if (ferror(file)) *length = 0;     /* a part is no answer */
    return text;
}

/* The last line that is not empty. */
static void last_line(char *line, size_t bytes, const char *text, size_t length)
{
    size_t from;
    while (length > 0 && (unsigned char)text[length - 1] <= ' ') length--;
    for (from = length; from > 0 && text[from - 1] != '\n'; from--) {}
    if (length - from >= bytes) length = from + bytes - 1;
    memcpy(line, text + from, length - from);
    line[length - from] = '\0';
}

int process_run(const char *const *words, const char *input, size_t length,
                process_answer *answer)
{
    FILE *file[3] = {NULL, NULL, NULL};
    int status = PROCESS_NONE;
    size_t opened = 0, said;
    memset(answer, 0, sizeof *answer);
    while (opened < 3 && (file[opened] = tmpfile()) != NULL) opened++;
    if (opened == 3 && fwrite(input, 1, length, file[0]) == length && fflush(file[0]) == 0 &&
        lseek(fileno(file[0]), 0, SEEK_SET) == 0) {
        status = run_on(words, file);
        answer->text = read_back(file[1], &answer->length);
        const char *text = read_back(file[2], &said);
        last_line(answer->said, sizeof answer->said, text, said);
    }
    for (size_t i = 0; i < opened; i++) fclose(file[i]);
    return status;
}

/* ---- Where this program stands --------------------------------------------- */

enum { PATH_BYTES = 4096 };

/* The path of the running program: 0 where the system does not tell it. */
static int own_path(char path[PATH_BYTES])
{
    static const char *const links[] = {"/proc/self/exe", "/proc/curproc/file",
                                        "/proc/curproc/exe"};
    for (size_t i = 0; i < COUNT_OF(links); i++) {
        const ssize_t n = readlink(links[i], path, PATH_BYTES - 1);
        if (n <= 0 || path[0] != '/') continue;
        path[n] = '\0';
        return 1;
    }
    return 0;
}

const char *process_file(const char *relative)
{
    char self[PATH_BYTES];
    struct stat program, file;
    if (!own_path(self) || stat(self, &program) != 0) return NULL;
    const char *path = tool_text("%.*s/%s", (int)(strrchr(self, '/') - self), self, relative);
    if (stat(path, &file) != 0 || !S_ISREG(file.st_mode) || access(path, R_OK) != 0) return NULL;
    if (file.st_uid != 0 && file.st_uid != geteuid() && file.st_uid != program.st_uid) return NULL;
    return file.st_mode & S_IWOTH ? NULL : path;
}

#else

int process_run(const char *const *words, const char *input, size_t length,
                process_answer *answer)
{
    (void)words;
    (void)input;
    (void)length;
    memset(answer, 0, sizeof *answer);
    return PROCESS_NONE;
}

const char *process_file(const char *relative)
{
    (void)relative;
    return NULL;
}

#endif
