/* sgdperf_web.c - the commands of the program that the page uses, as one WebAssembly module
 *
 * Each run is a new instance: arguments, files and streams are those that web/wasi.js
 * gives it, and memory is given back with it. --options prints what controls are made of. */
#include "cmd/commands.h"
#include "import/import.h"
#include "options/run.h"

#include <stdio.h>
#include <string.h>

static const args_command *const commands[] = {
    &command_predict, &command_advise, &command_simulate, &command_trace_from_layers,
    &command_import, &command_networks, &command_stacks
};

/* ---- The table of options, as JSON --------------------------------------------- */

/* A number with a unit, of whatever kind, maybe a space between them: 0 if it is none. */
static int quantity(const char *said, double *value)
{
    char text[32];
    size_t length = 0;
    int unit;
    for (; *said != '\0' && length + 1 < sizeof text; said++)
        if (*said != ' ') text[length++] = *said;
    text[length] = '\0';
    for (unit = UNIT_NONE; unit <= UNIT_BANDWIDTH; unit++)
        if (!number_quantity(text, (number_unit)unit, NUMBER_ANY, value)) return 1;
    return 0;
}

/* What one of a unit is in the program's own: seconds, bytes, bytes per second. */
static void put_units(output *out)
{
    static const char *const units[] = {"us", "ms", "s", "h", "MB", "MiB", "GB/s", "Gbit/s"};
    char text[16];
    double value;
    size_t i;
    json_object(out, "units");
    for (i = 0; i < COUNT_OF(units); i++) {
        snprintf(text, sizeof text, "1%s", units[i]);
        if (quantity(text, &value)) json_number(out, units[i], value);
    }
    json_end(out);
}

static void put_option(output *out, const option_use *use)
{
    const option_row o = option_of(use);
    const int whole = o.kind == KIND_WHOLE || o.kind == KIND_WORKERS;
    double value;
    json_object(out, o.name);
    json_bool(out, "whole", whole);
    json_bool(out, "positive", whole || o.rule == NUMBER_POSITIVE);
    json_string(out, "words", o.words);
    json_string(out, "help", o.help);
    if (o.preset && quantity(o.preset, &value)) json_number(out, "preset", value);
    else json_null(out, "preset");
    json_end(out);
}

/* Each option as the first command says that takes it. */
static int print_options(void)
{
    output out = {0};
    char seen[OPTION_COUNT] = {0};
    size_t i, k;
    json_object(&out, NULL);
    put_units(&out);
    json_object(&out, "options");
    for (i = 0; i < COUNT_OF(commands); i++)
        for (k = 0; k < commands[i]->use_count; k++) {
            const option_use *use = &commands[i]->uses[k];
            if (use->id == OPTION_COUNT || seen[use->id]) continue;
            seen[use->id] = 1;
            put_option(&out, use);
        }
    json_end(&out);
    json_end(&out);
    return output_flush(&out, EXIT_DONE);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    size_t i;
    csv_foreign = import_foreign;
    if (strcmp(name, "--options") == 0) return print_options();
    for (i = 0; i < COUNT_OF(commands); i++)
        if (strcmp(name, commands[i]->name) == 0) return args_run(commands[i], argc - 1, argv + 1);
    tool_fail("'%s' is not a command of the page", name);
}
