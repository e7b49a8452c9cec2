/* child.h - what a piece of code does to its process and to files, seen from outside it
 *
 * To be included after a feature macro of at least _POSIX_C_SOURCE 200809L. */
#ifndef SGDPERF_CHILD_H
#define SGDPERF_CHILD_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/tool.h"

/* ---- Processes -------------------------------------------------------------- */

/* What body prints on stderr as it ends the program with such a status, without the
 * "sgdperf: " in front; "lived" if it does not, "?" on any other end. */
static inline const char *ending(int with, void (*body)(void))
{
    static char said[512];
    int ends[2], status = 0;
    fflush(stdout);                    /* or the child would print it again */
    if (pipe(ends) != 0) return "?";
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        body();
        _exit(0);
    }
    close(ends[1]);
    ssize_t length = read(ends[0], said, sizeof said - 1);
    close(ends[0]);
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status)) return "?";
    if (WEXITSTATUS(status) == 0) return "lived";
    said[length > 0 ? length - 1 : 0] = '\0'; /* the line's end */
    return WEXITSTATUS(status) == with && strncmp(said, "sgdperf: ", 9) == 0 ? said + 9 : "?";
}

static inline const char *dying(void (*body)(void)) { return ending(EXIT_BAD_INPUT, body); }

static inline const char *losing(void (*body)(void)) { return ending(EXIT_LOST, body); }

/* All that body prints on stderr, and nothing on stdout; it ends well. */
static inline const char *notes_of(void (*body)(void))
{
    static char said[512];
    int status = 0;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        if (!freopen("said", "wb", stderr)) abort();
        body();
        exit(EXIT_DONE);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0) return "?";
    FILE *file = fopen("said", "rb");
    size_t length = file ? fread(said, 1, sizeof said - 1, file) : 0;
    said[length] = '\0';
    if (file) fclose(file);
    return said;
}

/* ---- Files ------------------------------------------------------------------- */

static char home[512];

/* A folder of its own for a test, which leave_folder removes. */
static inline void enter_folder(void)
{
    const char *place = getenv("TMPDIR");
    char folder[512];
    snprintf(folder, sizeof folder, "%s/sgdperf.XXXXXX", place && *place ? place : "/tmp");
    if (!getcwd(home, sizeof home) || !mkdtemp(folder) || chdir(folder) != 0) abort();
}

/* Returns how many files were in it. */
static inline unsigned leave_folder(void)
{
    char folder[512];
    DIR *list = opendir(".");
    const struct dirent *entry;
    unsigned count = 0;
    while (list && (entry = readdir(list)) != NULL)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            count += remove(entry->d_name) == 0;
    if (list) closedir(list);
    if (!getcwd(folder, sizeof folder) || chdir(home) != 0 || rmdir(folder) != 0) abort();
    return count;
}

static inline void put_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    if (!file) abort();
    fputs(text, file);
    fclose(file);
}

/* The first bytes of a file; "?" if it is not there. */
static inline const char *file_text(const char *path)
{
    static char text[2048];
    FILE *file = fopen(path, "rb");
    if (!file) return "?";
    size_t length = fread(text, 1, sizeof text - 1, file);
    text[length] = '\0';
    fclose(file);
    return text;
}

#endif /* SGDPERF_CHILD_H */
