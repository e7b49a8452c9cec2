/* convert.c - PNG and PDF, by a program that draws SVG */
#define _POSIX_C_SOURCE 200809L /* fork, fileno, dup2 */

#include "cmd/plot/plot.h"

#include <stdio.h>

#if defined(__unix__) || defined(__APPLE__)
#include <fcntl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

/* The best first; %F stands for the format. All read SVG and write to their stdout. */
enum { CONVERTERS = 4, WORDS = 8 };
static const char *const converters[CONVERTERS][WORDS] = {
    {"rsvg-convert", "-z", "2", "-f", "%F", NULL},
    {"inkscape", "--pipe", "--export-dpi=192", "--export-filename=-", "--export-type", "%F", NULL},
    {"magick", "-density", "192", "svg:-", "%F:-", NULL},
    {"convert", "-density", "192", "svg:-", "%F:-", NULL}
};

/* In the child: becomes the program, whose messages nobody needs. */
TOOL_NORETURN static void become(const char *const *words, const char *format, int from, int to)
{
    char text[WORDS][64], *argument[WORDS + 1];
    const int nowhere = open("/dev/null", O_WRONLY);
    size_t i;
    for (i = 0; words[i]; i++) {
        if (words[i][0] == '%') snprintf(text[i], sizeof text[i], "%s%s", format, words[i] + 2);
        else snprintf(text[i], sizeof text[i], "%s", words[i]);
        argument[i] = text[i];
    }
    argument[i] = NULL;
    if (dup2(from, 0) >= 0 && dup2(to, 1) >= 0 && nowhere >= 0 && dup2(nowhere, 2) >= 0)
        execvp(argument[0], argument);
    _exit(127);
}

/* 1: something was written. */
static int convert(const char *const *words, const char *format, FILE *from, FILE *to)
{
    int status = 0;
    pid_t child;
    if (lseek(fileno(from), 0, SEEK_SET) != 0) return 0;
    fflush(NULL);
    child = fork();
    if (child == 0) become(words, format, fileno(from), fileno(to));
    if (child < 0 || waitpid(child, &status, 0) != child) return 0;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 && lseek(fileno(to), 0, SEEK_END) > 0;
}

static int convert_any(const output *svg, const char *format, FILE *to)
{
    FILE *from = tmpfile();
    int done = 0;
    size_t i;
    if (!from) return 0;
    if (fwrite(svg->text, 1, svg->length, from) == svg->length && fflush(from) == 0)
        for (i = 0; i < CONVERTERS && !done; i++) {
            if (ftruncate(fileno(to), 0) != 0 || lseek(fileno(to), 0, SEEK_SET) != 0) break;
            done = convert(converters[i], format, from, to);
        }
    fclose(from);
    return done;
}
#else
static int convert_any(const output *svg, const char *format, FILE *to)
{
    (void)svg;
    (void)format;
    (void)to;
    return 0;
}
#endif

void plot_convert(const output *svg, const char *path, const char *format)
{
    out_file *file = out_open("--out", path);
    if (!convert_any(svg, format, out_stream(file))) {
        out_discard(file);
        args_fail("--out", path, "needs rsvg-convert, inkscape or ImageMagick to become %s: give "
                  "it a name in .svg", format);
    }
    out_commit(file);
}
