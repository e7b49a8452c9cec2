/* command.h - a command line of the program, in a child of the test: a start of the program
 * takes ten times as long. */
#ifndef TESTS_COMMAND_H
#define TESTS_COMMAND_H

#include "cmd/commands.h"
#include "import/import.h"
#include "options/program.h"
#include "test.h"

/* At the quick size turns the leak check off, which doubles the time of a command. */
static int command_is_here;
int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void) { return command_is_here && !test_is_full(); }

/* Ends this process, a child, as that command would, with these files for its streams. */
static inline void command_run(int argc, char **argv, const char *out, const char *err)
{
    command_is_here = 1;
    if (!freopen("/dev/null", "rb", stdin) || !freopen(out, "wb", stdout) ||
        !freopen(err, "wb", stderr)) abort();
    csv_foreign = import_foreign;
    exit(program_run(&commands_all, argc, argv));
}

#endif /* TESTS_COMMAND_H */
