/* program.c - finds the command to run, and lists what all of them take */
#include "base/program.h"

#include "base/args.h"
#include "base/output.h"
#include "base/paint.h"
#include "base/table.h"
#include "base/tool.h"
#include "base/words.h"
#include "jobs/parallel.h"

#include <stdio.h>
#include <string.h>

/* ---- Every option of every command ------------------------------------------- */

static const program *running; /* NULL: none                                        */

enum { TITLE_BYTES = 64 };

/* title: "predict", "balance gpu" */
typedef void (*visit_command)(void *ctx, const char *title, const args_description *about);

static void describe(const program_command *entry, const args_part *part,
                     args_description *found, char title[TITLE_BYTES])
{
    char name[TITLE_BYTES / 2 - 1], part_name[TITLE_BYTES / 2 - 1];
    char *argv[3] = {NULL, NULL, NULL};
    argv[0] = name;
    argv[1] = part_name;
    snprintf(name, sizeof name, "%s", entry->name);
    snprintf(part_name, sizeof part_name, "%s", part ? part->name : "");
    snprintf(title, TITLE_BYTES, "%s%s%s", name, part ? " " : "", part_name);
    args_describe(entry->run, part ? 2 : 1, argv, found);
}

static void visit_all(visit_command visit, void *ctx)
{
    size_t i, k;
    for (i = 0; i < running->count; i++) {
        const program_command *entry = &running->commands[i];
        args_description whole, part;
        char title[TITLE_BYTES];
        describe(entry, NULL, &whole, title);
        visit(ctx, title, &whole);
        for (k = 0; k < whole.part_count; k++) {
            describe(entry, &whole.parts[k], &part, title);
            visit(ctx, title, &part);
        }
    }
}

typedef struct takers { const char *option; char *list; size_t bytes, count; } takers;

static void add_taker(void *ctx, const char *title, const args_description *about)
{
    const args_command *command = &about->command;
    takers *t = (takers *)ctx;
    const size_t used = strlen(t->list);
    size_t i = 0;
    while (i < command->option_count && strcmp(command->options[i].name, t->option) != 0) i++;
    if (i == command->option_count) return;
    snprintf(t->list + used, t->bytes - used, "%s%s", t->count++ > 0 ? ", " : "", title);
}

static size_t find_takers(const char *option, char *list, size_t bytes)
{
    takers t = {NULL, NULL, 0, 0};
    t.option = option;
    t.list = list;
    t.bytes = bytes;
    list[0] = '\0';
    visit_all(add_taker, &t);
    return t.count;
}

/* Where a part must be named there is nothing but help. */
static void add_options(void *ctx, const char *title, const args_description *about)
{
    const args_command *command = &about->command;
    const int only_parts = about->part_count > 0 && command->files_max == 0;
    static const char *const kinds[] = {"flag", "value", "repeated"};
    result_table *t = (result_table *)ctx;
    const args_option *option;
    size_t i;
    for (i = 0; (option = args_known(command, i)) != NULL; i++) {
        if (only_parts && strcmp(option->name, "--help") != 0) continue;
        table_text(t, title);
        table_text(t, option->name);
        table_text(t, kinds[option->kind]);
    }
}

static int print_options(void)
{
    static const table_column columns[] = {{"command", 0}, {"option", 0}, {"kind", 0}};
    result_table *t = table_new(columns, COUNT_OF(columns));
    output out = {0};
    visit_all(add_options, t);
    table_print(t, &out, FORMAT_CSV);
    return output_flush(&out, EXIT_DONE);
}

/* ---- The program ------------------------------------------------------------- */

static int print_help(const program *p)
{
    output out = {0};
    size_t i;
    output_help(&out, "usage: sgdperf COMMAND [OPTION...] [FILE...]\n\n");
    output_print(&out, "%s\n\n", p->purpose);
    for (i = 0; i < p->count; i++)
        output_print(&out, "  %-19s%s\n", p->commands[i].name, p->commands[i].summary);
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
    size_t i;
    guess.text = argv[0];
    for (i = 0; i < p->count; i++) {
        if (strcmp(argv[0], p->commands[i].name) == 0)
            return p->commands[i].run(argc, argv);
        words_consider(&guess, p->commands[i].name);
    }
    if (guess.nearest)
        tool_fail("'%s' is not a command, did you mean %s?", argv[0], guess.nearest);
    tool_fail("'%s' is not a command, see sgdperf --help", argv[0]);
}

static int is_one_of(const char *text, const char *word, const char *letter)
{
    return strcmp(text, word) == 0 || strcmp(text, letter) == 0;
}

TOOL_NORETURN static void fail_extra(const char *title, const char *word)
{
    tool_fail("%s: '%s' is one argument too many, see sgdperf --help", title, word);
}

/* Fails unless argv[1], if there, is a part of the command argv[0], and the last word. */
static void check_parts(const program *p, int argc, char **argv)
{
    args_description whole;
    char title[TITLE_BYTES];
    size_t i, k = 0;
    for (i = 0; i < p->count && strcmp(argv[0], p->commands[i].name) != 0; i++) continue;
    if (argc < 2 || i == p->count) return;
    describe(&p->commands[i], NULL, &whole, title);
    while (k < whole.part_count && strcmp(argv[1], whole.parts[k].name) != 0) k++;
    if (whole.part_count == 0) fail_extra("help", argv[1]);
    if (k == whole.part_count) args_fail_part(whole.parts, whole.part_count, argv[0], argv[1]);
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
        if (argc > 2) fail_extra(argv[1], argv[2]);
        return print_options();
    }
    return run_command(p, argc - 1, argv + 1);
}

int program_again(int argc, char **argv)
{
    if (argc < 1) tool_fail("a command is missing, see sgdperf --help");
    return run_command(running, argc, argv);
}
