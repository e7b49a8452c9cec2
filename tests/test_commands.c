/* test_commands.c - command lines by the hundred, each in a child of this process: a start of
 * the program takes ten times as long.
 *
 * They stand in the files of tests/commands/, with what they read, one thing a line:
 *
 *     # a comment, between them
 *     file NAME              its lines follow, up to one that is a dot
 *     text NAME LINE\nLINE   the same of few lines
 *     like NAME OTHER FROM => TO  OTHER, with TO in place of the first FROM; \n ends a line
 *     rows COUNT NAME LINE   adds so many such lines to it, @ being 0, 1, ...
 *     message NAME           a file of Protocol Buffers: its words follow in lines, up to one
 *                            that is a dot, see wire.h
 *     cut NAME OTHER         OTHER compressed by gzip, without the last bytes of it: all of the
 *                            text is there. Skipped with the next run, where gzip takes it
 *                            for damaged
 *     run STATUS WORD...     a command line; 'words in quotes' are one. With status 2 nothing
 *                            is on stdout, and one line on stderr. Behind a word :: stands a
 *                            pattern of all of stdout, with status 2 of stderr: \n ends a line
 *     look STATUS WORD...    the same, with a terminal for stderr, where the system has one
 *     out PATTERN            stands in what the last run printed on stdout, * being anything
 *     err PATTERN            the same of stderr
 *     num VALUE TOLERANCE KEY  the first "KEY":number of stdout is within the relative tolerance;
 *                            KEY is a regular expression
 *     read NAME              out is asked of this file from here on, which the last run wrote
 *     no PATTERN             stands in neither
 *     sum HEX                of all that the runs of the file with status 0 print and write
 *     full ...               any of these, at the full size alone
 *
 * Each file has a folder of its own. Every run and every pattern counts as one test.
 *
 * Where outputs changed as they should, the sum is renewed. SUMS=1 prints one a run: two logs,
 * compared, say which. */
#define _XOPEN_SOURCE 700              /* fork, mkdtemp */

#include "test.h"
#include "child.h"
#include "command.h"
#include "sgdperf.h"
#include "sgdperf_fit.h"
#include "wire.h"

#include <fcntl.h>
#include <fnmatch.h>
#include <glob.h>
#include <math.h>
#include <regex.h>

enum { MOST_WORDS = 64, MOST_LINE = 4096, MOST_TEXT = 1 << 20 };

static const char *script;             /* its name, and the number of the line          */
static unsigned    line_number;
static char        command_line[MOST_LINE], out_text[MOST_TEXT], err_text[MOST_TEXT];

/* ---- Words ------------------------------------------------------------------------ */

/* Cuts a line at its blanks, in place. */
static int split(char *line, char **word)
{
    int count = 0;
    char *to = line;
    while (*line != '\0' && count < MOST_WORDS - 1) {
        int quoted = 0;
        while (*line == ' ') line++;
        if (*line == '\0') break;
        word[count++] = to = line;
        for (; *line != '\0' && (quoted || *line != ' '); line++)
            if (*line == '\'') quoted = !quoted; else *to++ = *line;
        if (*line != '\0') line++;
        *to = '\0';
    }
    word[count] = NULL;
    return count;
}

/* ---- A run ------------------------------------------------------------------------ */

static void slurp(const char *path, char text[MOST_TEXT])
{
    FILE *file = fopen(path, "rb");
    size_t length = file ? fread(text, 1, MOST_TEXT - 1, file) : 0, i;
    text[length] = '\0';
    for (i = 0; i < length; i++) if (text[i] == '\0') text[i] = '?';
    if (file) fclose(file);
}

/* What is written to a terminal that the child has. */
static void read_terminal(int terminal)
{
    size_t length = 0;
    ssize_t more;
    while (length < MOST_TEXT - 1 &&
           (more = read(terminal, err_text + length, MOST_TEXT - 1 - length)) > 0)
        length += (size_t)more;
    err_text[length] = '\0';
    close(terminal);
}

static int new_terminal(void)
{
    const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
    if (terminal >= 0 && grantpt(terminal) == 0 && unlockpt(terminal) == 0) return terminal;
    if (terminal >= 0) close(terminal);
    return -1;
}

/* With that terminal for stderr, unless it is negative. */
static int run_line(const char *line, int terminal)
{
    static char name[] = "sgdperf", words[MOST_LINE];
    char *argv[MOST_WORDS];
    int argc, status = 0;
    strcpy(words, line);
    argc = split(words, argv);
    argv[0] = name;                    /* in place of the status that is wanted           */
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) command_run(argc, argv, ".out", terminal >= 0 ? ptsname(terminal) : ".err");
    if (terminal >= 0) read_terminal(terminal);
    if (child < 0 || waitpid(child, &status, 0) != child) abort();
    slurp(".out", out_text);
    if (terminal < 0) slurp(".err", err_text);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* ---- What is expected -------------------------------------------------------------- */

static void judge(int good, const char *what)
{
    if (good) { test_passed++; return; }
    test_failed++;
    fprintf(stderr, "%s:%u: failed: %s\n    run %s\n    stdout: %.2000s\n    stderr: %.2000s\n",
            script, line_number, what, command_line, out_text, err_text);
}

static int stands_in(const char *text, const char *pattern)
{
    char whole[MOST_LINE + 2];
    snprintf(whole, sizeof whole, "*%s*", pattern);
    return fnmatch(whole, text, 0) == 0;
}

/* Makes the end of a line of each \n. */
static void end_lines(char *text)
{
    while ((text = strstr(text, "\\n")) != NULL) {
        *text++ = '\n';
        memmove(text, text + 1, strlen(text));
    }
}

/* All of the text but the ends of its last lines. */
static int is_all(char *text, char *pattern)
{
    size_t length = strlen(text);
    end_lines(pattern);
    while (length > 0 && text[length - 1] == '\n') length--;
    char ended = text[length];
    text[length] = '\0';
    int same = fnmatch(pattern, text, 0) == 0;
    text[length] = ended;
    return same;
}

/* What follows "num ". A brace stands for itself. */
static int is_near(const char *line)
{
    char pattern[MOST_LINE] = "\"", *to = pattern + 1;
    double want, tolerance;
    regmatch_t found;
    regex_t key;
    int at = 0, same;
    if (sscanf(line, "%lf %lf %n", &want, &tolerance, &at) < 2) abort();
    for (line += at; *line != '\0' && to < pattern + sizeof pattern - 32; line++)
        to += *line == '{' ? sprintf(to, "[{]") : sprintf(to, "%c", *line);
    strcpy(to, "\":[-0-9.eE+]+");
    if (regcomp(&key, pattern, REG_EXTENDED) != 0) abort();
    same = regexec(&key, out_text, 1, &found, 0) == 0;
    if (same) {
        const char *end = out_text + found.rm_eo;
        while (end[-1] != ':') end--;
        same = fabs(strtod(end, NULL) - want) <= tolerance * fabs(want);
    }
    regfree(&key);
    return same;
}

static uint32_t file_sum;
static int      sum_is_partial;

/* FNV-1a, from there on. Of numbers nine digits count: libraries of mathematics differ. */
static uint32_t sum_on(uint32_t sum, const char *text)
{
    char number[32];
    while (*text != '\0') {
        char *end = NULL;
        int length = 1;
        number[0] = *text;
        if (strspn(text, "0123456789.") > 9)
            length = snprintf(number, sizeof number, "%.9g", strtod(text, &end));
        text = end && end > text ? end : text + 1;
        for (int i = 0; i < length; i++) sum = (sum ^ (unsigned char)number[i]) * 16777619u;
    }
    return sum;
}

/* What the last run printed, and the files that it names. Times and versions are left out. */
static void add_to_sum(const char *line)
{
    static char words[MOST_LINE], text[MOST_TEXT];
    static const char *const varies[] = {"report", "measure", "--help", "-h", "--version"};
    char *word[MOST_WORDS];
    int count, i = 0;
    snprintf(words, sizeof words, "%s", line);
    count = split(words, word);
    if (strcmp(word[0], "0") != 0) return;
    for (; i < count; i++)
        for (int k = 0; k < 5; k++) if (strcmp(word[i], varies[k]) == 0) return;
    file_sum = sum_on(file_sum, out_text);
    for (i = 1; i < count; i++) {
        slurp(word[i], text);
        file_sum = sum_on(file_sum, text);
    }
    if (getenv("SUMS")) printf("%s:%u: %08x\n", script, line_number, (unsigned)file_sum);
}

static void check_sum(const char *line)
{
    if (sum_is_partial) return;
    if (file_sum != strtoul(line, NULL, 16))
        fprintf(stderr, "%s: the sum is %08x\n", script, (unsigned)file_sum);
    judge(file_sum == strtoul(line, NULL, 16), "the sum of what the runs print");
}

static void expect_run(const char *line, int terminal)
{
    const int want = atoi(line);
    snprintf(command_line, sizeof command_line, "%s", line);
    char *pattern = strstr(command_line, " :: ");
    if (pattern) *pattern = '\0';
    int status = run_line(command_line, terminal);
    const char *end = strchr(err_text, '\n');
    if (status != want) fprintf(stderr, "status %d, not %d\n", status, want);
    judge(status == want && (want != 2 || (out_text[0] == '\0' && end && end[1] == '\0')), line);
    if (pattern) judge(is_all(want == 2 ? err_text : out_text, pattern + 4), line);
}

/* The next line of the text, without its end; NULL behind the last one. */
static char *next_line(char **text)
{
    char *line = *text, *end = strchr(line, '\n');
    if (!end) return NULL;
    *end = '\0';
    *text = end + 1;
    line_number++;
    return line;
}

static void copy_file(char **text, const char *name)
{
    const char *line;
    FILE *to = fopen(name, "wb");
    if (!to) abort();
    while ((line = next_line(text)) != NULL && strcmp(line, ".") != 0) fprintf(to, "%s\n", line);
    fclose(to);
}

/* What follows "text ". */
static void write_text(const char *line)
{
    char name[64], lines[MOST_LINE];
    int from = 0;
    if (sscanf(line, "%63s%n", name, &from) < 1 || line[from] != ' ') abort();
    snprintf(lines, sizeof lines, "%s", line + from + 1);
    end_lines(lines);
    FILE *to = fopen(name, "wb");
    if (!to) abort();
    fprintf(to, "%s\n", lines);
    fclose(to);
}

/* What follows "like ". */
static void write_like(const char *line)
{
    static char text[MOST_TEXT];
    char name[64], other[64], from[MOST_LINE], *to;
    int at = 0;
    if (sscanf(line, "%63s %63s%n", name, other, &at) < 2 || line[at] != ' ') abort();
    snprintf(from, sizeof from, "%s", line + at + 1);
    to = strstr(from, " =>");
    if (!to) abort();
    *to = '\0';
    to += to[3] == ' ' ? 4 : 3;            /* nothing may follow                              */
    end_lines(from);
    end_lines(to);
    slurp(other, text);
    const char *found = strstr(text, from);
    FILE *file = fopen(name, "wb");
    if (!found || !file) abort();
    fprintf(file, "%.*s%s%s", (int)(found - text), text, to, found + strlen(from));
    fclose(file);
}

static void write_message(char **text, const char *name)
{
    char *word[MOST_WORDS], *line;
    int words, i;
    FILE *to = fopen(name, "wb");
    wire_open = 0;
    wire[0].length = 0;
    while ((line = next_line(text)) != NULL && strcmp(line, ".") != 0)
        for (words = split(line, word), i = 0; i < words; i++) wire_word(word[i]);
    if (!to || wire_open != 0) abort();
    fwrite(wire[0].bytes, 1, wire[0].length, to);
    fclose(to);
}

static const char *after(const char *line, const char *word)
{
    const size_t length = strlen(word);
    return strncmp(line, word, length) == 0 ? line + length : NULL;
}

/* ---- What a machine may lack ------------------------------------------------------- */

static int skips_run, skips_patterns;  /* the next run, and what is expected of the last one */

/* What a line expects of a run that is skipped. */
static int is_skipped(const char *line)
{
    const int is_pattern = after(line, "out ") || after(line, "err ") || after(line, "no ") ||
                           after(line, "num ");
    if (!is_pattern) {
        skips_patterns = skips_run && after(line, "run ");
        sum_is_partial |= skips_patterns;
        skips_run = skips_run && !skips_patterns;
    }
    return skips_patterns;
}

static void look(const char *line)
{
    static int told;
    const int terminal = new_terminal();
    skips_patterns = terminal < 0;
    if (!skips_patterns) expect_run(line, terminal);
    else if (!told++) printf("skipped: no pseudo-terminal\n");
}

/* Another gzip may say that what is cut off is damaged. */
static int gzip_tells_cut(const char *name)
{
    char command[128], said[256];
    snprintf(command, sizeof command, "gzip -dc '%s' 2>&1 > /dev/null", name);
    FILE *from = popen(command, "r");
    if (!from) abort();
    size_t length = fread(said, 1, sizeof said - 1, from);
    said[length] = '\0';
    pclose(from);
    return strstr(said, "unexpected end of file") != NULL;
}

/* What follows "cut ": a stored block, so that no compressor is needed. */
static void write_cut(const char *line)
{
    static const unsigned char head[] = {31, 139, 8, 0, 0, 0, 0, 0, 0, 255, 1};
    static char text[MOST_TEXT];
    static int told;
    char name[64], other[64];
    if (sscanf(line, "%63s %63s", name, other) < 2) abort();
    FILE *from = fopen(other, "rb");
    FILE *to = fopen(name, "wb");
    if (!from || !to) abort();
    unsigned long length = (unsigned long)fread(text, 1, 65536, from);
    if (length > 65535) abort();
    fwrite(head, 1, sizeof head, to);
    for (int i = 0; i < 2; i++) {          /* the length, and its complement                   */
        const unsigned long word = i == 0 ? length : length ^ 0xFFFF;
        putc((int)(word & 255), to);
        putc((int)(word >> 8), to);
    }
    fwrite(text, 1, length, to);
    fclose(from);
    fclose(to);
    skips_run = !gzip_tells_cut(name);
    if (skips_run && !told++) printf("skipped: gzip takes what is cut off for damaged\n");
}

/* What follows "rows ". */
static void add_rows(const char *line)
{
    char name[64];
    unsigned count = 0;
    int from = 0;
    if (sscanf(line, "%u %63s %n", &count, name, &from) < 2) abort();
    FILE *to = fopen(name, "ab");
    if (!to) abort();
    for (unsigned i = 0; i < count; i++) {
        for (const char *c = line + from; *c != '\0'; c++)
            if (*c == '@') fprintf(to, "%u", i); else fputc(*c, to);
        fputc('\n', to);
    }
    fclose(to);
}

static void run_step(const char *line, char **text)
{
    const char *rest;
    const char *full = after(line, "full ");
    if (full && !test_is_full()) return;
    if (full) line = full;
    if (is_skipped(line)) return;
    if ((rest = after(line, "file ")) != NULL) copy_file(text, rest);
    else if ((rest = after(line, "text ")) != NULL) write_text(rest);
    else if ((rest = after(line, "like ")) != NULL) write_like(rest);
    else if ((rest = after(line, "message ")) != NULL) write_message(text, rest);
    else if ((rest = after(line, "cut ")) != NULL) write_cut(rest);
    else if ((rest = after(line, "rows ")) != NULL) add_rows(rest);
    else if ((rest = after(line, "run ")) != NULL) {
        expect_run(rest, -1);
        if (!full) add_to_sum(command_line);
    } else if ((rest = after(line, "sum ")) != NULL) check_sum(rest);
    else if ((rest = after(line, "look ")) != NULL) look(rest);
    else if ((rest = after(line, "out ")) != NULL) judge(stands_in(out_text, rest), line);
    else if ((rest = after(line, "read ")) != NULL) slurp(rest, out_text);
    else if ((rest = after(line, "num ")) != NULL) judge(is_near(rest), line);
    else if ((rest = after(line, "err ")) != NULL) judge(stands_in(err_text, rest), line);
    else if ((rest = after(line, "no ")) != NULL)
        judge(!stands_in(out_text, rest) && !stands_in(err_text, rest), line);
    else judge(0, "no such line");
}

static void run_script(const char *path)
{
    static char script_text[MOST_TEXT];
    char *text = script_text;
    const char *line;
    script = path;
    line_number = 0;
    file_sum = 2166136261u;
    sum_is_partial = 0;
    slurp(path, script_text);
    enter_folder();
    while ((line = next_line(&text)) != NULL)
        if (line[0] != '\0' && line[0] != '#') run_step(line, &text);
    leave_folder();
}

/* What a command takes as words, the header that counts them calls the same. */
static const char *words_of(const args_command *command, option_id id)
{
    const option_use *known[OPTION_COUNT];
    size_t i = args_known(command, known);
    while (i > 0 && known[i - 1]->id != id) i--;
    return i > 0 ? option_of(known[i - 1]).words : "none";
}

static void check_words(void)
{
    char shapes[256] = "", models[256] = "";
    for (int i = 0; i < SGDP_SHAPE_COUNT; i++)
        sprintf(shapes + strlen(shapes), "%s%s", i > 0 ? " " : "", sgdp_shape_text((sgdp_shape)i));
    for (int i = 0; i < SGDFIT_BLACKBOX_COUNT; i++)
        sprintf(models + strlen(models), "%s%s", i > 0 ? " " : "",
                sgdfit_blackbox_text((sgdfit_blackbox)i));
    CHECK_TEXT(words_of(&command_predict, OPTION_VARY_SHAPE), shapes);
    strcat(models, " best");
    CHECK_TEXT(words_of(&command_fit, OPTION_MODEL), models);
}

/* All of them, or those that are named. */
int main(int argc, char **argv)
{
    glob_t found;
    for (int k = 1; k < argc; k++) run_script(argv[k]);
    if (argc == 1 && glob("tests/commands/*.txt", 0, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc; i++) run_script(found.gl_pathv[i]);
        globfree(&found);
    }
    check_words();
    CHECK(test_passed > 0);
    return test_report("test_commands");
}
