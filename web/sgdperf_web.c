/* sgdperf_web.c - the commands of the program that the page uses, as one WebAssembly module
 *
 * Each run is a new instance: arguments, files and streams are those that web/wasi.js
 * gives it, and memory is given back with it. */
#include "cmd/commands.h"
#include "import/import.h"
#include "options/run.h"

#include <string.h>

static const args_command *const commands[] = {
    &command_predict, &command_advise, &command_simulate, &command_trace_from_layers,
    &command_import
};

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    size_t i;
    csv_foreign = import_foreign;
    for (i = 0; i < COUNT_OF(commands); i++)
        if (strcmp(name, commands[i]->name) == 0) return args_run(commands[i], argc - 1, argv + 1);
    tool_fail("'%s' is not a command of the page", name);
}
