/* program.c - finds the command to run, and lists what all of them take */
#include "options/program.h"

#include "base/paint.h"
#include "base/words.h"
#include "jobs/parallel.h"
#include "options/complete.h"
#include "options/run.h"

#include <stdio.h>
#include <string.h>

/* ---- Every option of every command ------------------------------------------- */

static const program *running; /* NULL: none                                        */

typedef struct takers { const char *option; char *list; size_t bytes, count; } takers;

static void add_taker(void *ctx, const char *title, const args_command *command)
{
    takers *t = (takers *)ctx;
    const size_t used = strlen(t->list);
    size_t i = 0;
    while (i < command->use_count && (command->uses[i].id == OPTION_COUNT ||
           command->uses[i].id == OPTION_FORMAT ||
           strcmp(option_name(command->uses[i].id), t->option) != 0)) i++;
    if (i == command->use_count) return;
    snprintf(t->list + used, t->bytes - used, "%s%s", t->count++ > 0 ? ", " : "", title);
}

static size_t find_takers(const char *option, char *list, size_t bytes)
{
    takers t = {NULL, NULL, 0, 0};
    t.option = option;
    t.list = list;
    t.bytes = bytes;
    list[0] = '\0';
    listing_each(running, add_taker, &t);
    return t.count;
}

TOOL_NORETURN static void fail_extra(const char *title, const char *word)
{
    tool_fail("%s: '%s' is one argument too many, see sgdperf --help", title, word);
}

static int print_next(const program *p, char *const *word, size_t count)
{
    output out = {0};
    complete(&out, p, word, count);
    return output_flush(&out, EXIT_DONE);
}

static int print_options(const program *p, const char *of)
{
    output out = {0};
    if (!of) listing_options(&out, p);
    else if (strcmp(of, "all") == 0) listing_all(&out, p);
    else fail_extra("--options", of);
    return output_flush(&out, EXIT_DONE);
}

/* ---- The program ------------------------------------------------------------- */

static int print_help(const program *p)
{
    output out = {0};
    output_help(&out, "usage: sgdperf COMMAND [OPTION...] [FILE...]\n\n");
    output_print(&out, "%s\n\n", p->purpose);
    for (size_t i = 0; i < p->count; i++)
        output_print(&out, "  %-19s%s\n", p->commands[i]->name, p->commands[i]->summary);
    output_print(&out, "\nsgdperf help COMMAND, or sgdperf COMMAND --help, shows its options, "
                       "units, defaults\n"
                       "and an example; sgdperf --version the version, sgdperf --options "
                       "every option.\n"
                       "NO_COLOR=1 turns off colour on a terminal.\n\n"
                       "Exit status: 0 done, 1 a check did not hold, 2 bad usage or input, "
                       "3 the answer\nwas not reached and the best estimate printed, 4 a process "
                       "that did a part\nof the work ended early.\n");
    return output_flush(&out, EXIT_DONE);
}

static int print_version(const program *p)
{
    output out = {0};
    output_print(&out, "sgdperf %s\n", p->version);
    return output_flush(&out, EXIT_DONE);
}

static int run_command(const program *p, int argc, char **argv)
{
    words_guess guess = {NULL, NULL, 0};
    guess.text = argv[0];
    for (size_t i = 0; i < p->count; i++) {
        if (strcmp(argv[0], p->commands[i]->name) == 0)
            return args_run(p->commands[i], argc, argv);
        words_consider(&guess, p->commands[i]->name);
    }
    if (guess.nearest)
        tool_fail("'%s' is not a command, did you mean %s?", argv[0], guess.nearest);
    tool_fail("'%s' is not a command: sgdperf --help lists the commands", argv[0]);
}

static int is_one_of(const char *text, const char *word, const char *letter)
{
    return strcmp(text, word) == 0 || strcmp(text, letter) == 0;
}

/* Fails unless argv[1], if there, is a part of the command argv[0], and the last word. */
static void check_parts(const program *p, int argc, char **argv)
{
    size_t i, k = 0;
    for (i = 0; i < p->count && strcmp(argv[0], p->commands[i]->name) != 0; i++) continue;
    if (argc < 2 || i == p->count) return;
    const args_command *command = p->commands[i];
    while (k < command->part_count && strcmp(argv[1], command->parts[k]->name) != 0) k++;
    if (command->part_count == 0) fail_extra("help", argv[1]);
    if (k == command->part_count) args_fail_part(command, argv[1]);
    if (argc > 2) fail_extra("help", argv[2]);
}

/* sgdperf help COMMAND [PART]: COMMAND [PART] --help */
static int run_help(const program *p, int argc, char **argv)
{
    static char flag[] = "--help";
    char **arguments = (char **)tool_alloc((uint64_t)argc + 1, sizeof *arguments);
    if (argc == 0) return print_help(p);
    if (is_one_of(argv[0], "help", "-h") || strcmp(argv[0], flag) == 0)
        return run_help(p, argc - 1, argv + 1);
    check_parts(p, argc, argv);
    memcpy(arguments, argv, (size_t)argc * sizeof *arguments);
    arguments[argc] = flag;
    return run_command(p, argc + 1, arguments);
}

int program_run(const program *p, int argc, char **argv)
{
    running = p;
    args_takers = find_takers;
    /* To a rank of MPI what mpirun collects, perhaps for a file, looks like a terminal. */
    if (!deal_mpi) paint_begin();
    parallel_begin(argc, argv, p->version);
    if (argc < 2) tool_fail("a command is missing, see sgdperf --help");
    if (is_one_of(argv[1], "help", "-h") || strcmp(argv[1], "--help") == 0)
        return run_help(p, argc - 2, argv + 2);
    if (is_one_of(argv[1], "--version", "-V")) {
        if (argc > 2) fail_extra(argv[1], argv[2]);
        return print_version(p);
    }
    if (strcmp(argv[1], "--options") == 0) {
        if (argc > 3) fail_extra(argv[1], argv[3]);
        return print_options(p, argc > 2 ? argv[2] : NULL);
    }
    if (strcmp(argv[1], "--complete") == 0) return print_next(p, argv + 2, (size_t)argc - 2);
    return run_command(p, argc - 1, argv + 1);
}

int program_again(int argc, char **argv)
{
    if (argc < 1) tool_fail("a command is missing, see sgdperf --help");
    return run_command(running, argc, argv);
}
