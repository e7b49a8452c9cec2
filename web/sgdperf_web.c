/* sgdperf_web.c - the commands of the program that the page uses, as one WebAssembly module
 *
 * Each run is a new instance: arguments, files and streams are those that web/wasi.js
 * gives it, and memory is given back with it. */
#include "cmd/commands.h"
#include "import/import.h"

#include <string.h>

static const program_command commands[] = {
    {"predict",           cmd_predict,           NULL},
    {"advise",            cmd_advise,            NULL},
    {"simulate",          cmd_simulate,          NULL},
    {"trace-from-layers", cmd_trace_from_layers, NULL},
    {"import",            cmd_import,            NULL},
};

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    size_t i;
    csv_foreign = import_foreign;
    for (i = 0; i < COUNT_OF(commands); i++)
        if (strcmp(name, commands[i].name) == 0) return commands[i].run(argc - 1, argv + 1);
    tool_fail("'%s' is not a command of the page", name);
}
