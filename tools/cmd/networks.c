/* networks.c - sgdperf networks and sgdperf stacks: the kinds that --network and --stack know */
#include "base/columns.h"
#include "cmd/commands.h"
#include "files/networks.h"

/* An array of rows under that key: row i has the columns that `add` gives it. */
static int list_rows(const args *a, const char *key, size_t count,
                     void (*add)(columns *c, size_t i))
{
    output out = {.form = args_form(a)};
    json_object(&out, NULL);
    columns c = columns_open(&out, ALL, key);
    for (size_t i = 0; columns_next(&c, i < count); i++) add(&c, i);
    json_end(&out);
    return output_flush(&out, EXIT_DONE);
}

/* ---- Networks -------------------------------------------------------------- */

static const option_use network_uses[] = {
    ABOUT(
    "usage: sgdperf networks [--format table|csv|json]\n"
    "\n"
    "Lists the kinds of networks that --network and --local-network take: what a\n"
    "link that its maker declares carries of an all-reduce. That is share x line, and\n"
    "at most flows x flow cap.\n"
    "\n"
    "Output\n"),
    USE(FORMAT),
    SECTION("Results",
    "  line_bytes_per_s      of one port and direction, or of the links of one\n"
    "                        accelerator inside a machine; missing: as declared\n"
    "  share                 of the line that nccl-tests reach\n"
    "  flows                 number of flows that a library keeps on a link\n"
    "  flow_cap_bytes_per_s  largest rate of one flow; missing: no cap\n"
    "  latency_s             latency of a message\n"
    "  known                 how the numbers are known. checked: read in the source;\n"
    "                        derived: from our measured rows; recalled: from\n"
    "                        practice, not read again\n"
    "  use                   where such a network is, and which software keeps these\n"
    "                        flows; with NCCL on EC2 it is ec2-nccl\n"),
    SECTION("Example",
    "  $ sgdperf networks --format csv | grep '^ec2,' | cut -d , -f 1-6\n"
    "  ec2,rented,,0.9,1,625000000\n")
};

static void add_network(columns *c, size_t i)
{
    const network *of = &networks_all[i];
    const int capped = of->flow_cap_bytes_per_s > 0.0;
    column_text(c, ALL, "name", of->name);
    column_text(c, ALL, "kind", of->kind);
    column_number(c, ALL, "line_bytes_per_s",
                  known_if(of->line_bytes_per_s > 0.0, of->line_bytes_per_s));
    column_number(c, ALL, "share", of->share);
    column_whole_if(c, ALL, "flows", of->flows > 0.0, (uint64_t)of->flows);
    column_number(c, ALL, "flow_cap_bytes_per_s", known_if(capped, of->flow_cap_bytes_per_s));
    column_number(c, ALL, "latency_s", of->latency_s);
    column_text(c, ALL, "known", of->known);
    column_text(c, ALL, "use", of->use);
    column_text(c, DATA, "source", of->source);
    column_text(c, DATA, "date", of->date);
    column_text(c, DATA, "note", of->note);
}

static int run_networks(args *a)
{
    return list_rows(a, "networks", networks_count, add_network);
}

const args_command command_networks = {
    "networks", "list kinds of networks and what their links carry", run_networks, network_uses,
    COUNT_OF(network_uses), NULL, 0, 0, 0, NULL, 0, NOTHING};

/* ---- Software -------------------------------------------------------------- */

static const option_use stack_uses[] = {
    ABOUT(
    "usage: sgdperf stacks [--format table|csv|json]\n"
    "\n"
    "Lists the kinds of software that --stack takes: what a step of an all-reduce\n"
    "loses to the exchange, and by how much it grows.\n"
    "\n"
    "Output\n"),
    USE(FORMAT),
    SECTION("Results",
    "  exposure        seconds added to a step by each second of exchange over the\n"
    "                  declared links; above 1 the library does not reach their rate\n"
    "  growth          fraction added to compute by each doubling of the accelerators\n"
    "                  in a machine\n"
    "  growth_between  the same with each doubling of machines\n"
    "  rows            number of measured rows behind these numbers\n"
    "  spread          90 % of these rows were within this fraction of a prediction\n"
    "                  from other sources\n"
    "validation/stacks.py finds the numbers in the measured rows.\n"),
    SECTION("Example",
    "  $ sgdperf stacks --format csv | grep '^pytorch-ddp,' | cut -d , -f 1-5\n"
    "  pytorch-ddp,0.3,0.025,0.015,64\n")
};

static void add_stack(columns *c, size_t i)
{
    const stack *of = &stacks_all[i];
    column_text(c, ALL, "stack", of->name);
    column_number(c, ALL, "exposure", of->exposure);
    column_number(c, ALL, "growth", of->growth);
    column_number(c, ALL, "growth_between", of->growth_between);
    column_whole(c, ALL, "rows", of->rows);
    column_number(c, ALL, "spread", of->spread);
    column_text(c, ALL, "source", of->source);
}

static int run_stacks(args *a) { return list_rows(a, "stacks", stacks_count, add_stack); }

const args_command command_stacks = {
    "stacks", "list kinds of software and what they lose of a step", run_stacks, stack_uses,
    COUNT_OF(stack_uses), NULL, 0, 0, 0, NULL, 0, NOTHING};
