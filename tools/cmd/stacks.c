/* stacks.c - sgdperf stacks: the kinds of software that --stack knows */
#include "base/columns.h"
#include "cmd/commands.h"
#include "files/networks.h"

static const option_use uses[] = {
    ABOUT(
    "usage: sgdperf stacks [--format table|csv|json]\n"
    "\n"
    "Lists the kinds of software that --stack takes: what a step of an all-reduce\n"
    "loses to the exchange, and by how much it grows.\n"
    "\n"
    "Output\n"),
    USE(FORMAT),
    ABOUT(
    "\n"
    "Results\n"
    "  exposure        seconds of a step for each second of its exchange over links\n"
    "                  as declared; above 1 the library does not reach their rate\n"
    "  growth          part of its compute that a step gains with each doubling of\n"
    "                  the accelerators in a machine\n"
    "  growth_between  the same with each doubling of machines\n"
    "  rows            measured on several machines that tell all this\n"
    "  spread          90 % of them are within this of what other sources say\n"
    "validation/stacks.py finds the numbers in the measured rows.\n"
    "\n"
    "Example\n"
    "  $ sgdperf stacks --format csv | grep '^pytorch-ddp,' | cut -d , -f 1-5\n"
    "  pytorch-ddp,0.3,0.025,0.015,64\n")
};

static int run(args *a)
{
    output out = {0};
    columns c;
    size_t i;
    out.form = args_form(a);
    json_object(&out, NULL);
    columns_open(&c, &out, ALL, "stacks");
    for (i = 0; columns_next(&c, i < stacks_count); i++) {
        const stack *of = &stacks_all[i];
        column_text(&c, ALL, "stack", of->name);
        column_number(&c, ALL, "exposure", of->exposure);
        column_number(&c, ALL, "growth", of->growth);
        column_number(&c, ALL, "growth_between", of->growth_between);
        column_whole(&c, ALL, "rows", of->rows);
        column_number(&c, ALL, "spread", of->spread);
        column_text(&c, ALL, "source", of->source);
    }
    json_end(&out);
    return output_flush(&out, EXIT_DONE);
}

const args_command command_stacks = {
    "stacks", "kinds of software and what they lose of a step", run, uses,
    COUNT_OF(uses), NULL, 0, 0, 0, NULL, 0, NOTHING};
