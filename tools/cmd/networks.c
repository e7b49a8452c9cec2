/* networks.c - sgdperf networks: the kinds of networks that --network knows */
#include "base/columns.h"
#include "cmd/commands.h"
#include "files/networks.h"

static const option_use uses[] = {
    ABOUT(
    "usage: sgdperf networks [--format table|csv|json]\n"
    "\n"
    "Lists the kinds of networks that --network and --local-network take: what a\n"
    "link that its maker declares carries of an all-reduce. That is share x line, and\n"
    "at most flows x flow cap.\n"
    "\n"
    "Output\n"),
    USE(FORMAT),
    ABOUT(
    "\n"
    "Results\n"
    "  line_bytes_per_s      of one port and direction, or of the links of one\n"
    "                        accelerator inside a machine; missing: as declared\n"
    "  share                 of the line that nccl-tests reach\n"
    "  flows                 that a library keeps on a link\n"
    "  flow_cap_bytes_per_s  of each flow; missing: no cap\n"
    "  latency_s             of a message\n"
    "  known                 checked: read in the source; derived: from rows of ours;\n"
    "                        recalled: from practice, not read again\n"
    "  use                   where it stands, and which software keeps these flows;\n"
    "                        with NCCL on EC2 it is ec2-nccl\n"
    "\n"
    "Example\n"
    "  $ sgdperf networks --format csv | grep '^ec2,' | cut -d , -f 1-6\n"
    "  ec2,rented,,0.9,1,625000000\n")
};

static int run(args *a)
{
    output out = {0};
    columns c;
    size_t i;
    out.form = args_form(a);
    json_object(&out, NULL);
    columns_open(&c, &out, ALL, "networks");
    for (i = 0; columns_next(&c, i < networks_count); i++) {
        const network *of = &networks_all[i];
        const int capped = of->flow_cap_bytes_per_s > 0.0;
        column_text(&c, ALL, "name", of->name);
        column_text(&c, ALL, "kind", of->kind);
        column_number(&c, ALL, "line_bytes_per_s",
                      known_if(of->line_bytes_per_s > 0.0, of->line_bytes_per_s));
        column_number(&c, ALL, "share", of->share);
        column_whole_if(&c, ALL, "flows", of->flows > 0.0, (uint64_t)of->flows);
        column_number(&c, ALL, "flow_cap_bytes_per_s", known_if(capped, of->flow_cap_bytes_per_s));
        column_number(&c, ALL, "latency_s", of->latency_s);
        column_text(&c, ALL, "known", of->known);
        column_text(&c, ALL, "use", of->use);
        column_text(&c, DATA, "source", of->source);
        column_text(&c, DATA, "date", of->date);
        column_text(&c, DATA, "note", of->note);
    }
    json_end(&out);
    return output_flush(&out, EXIT_DONE);
}

const args_command command_networks = {
    "networks", "kinds of networks and what their links carry", run, uses,
    COUNT_OF(uses), NULL, 0, 0, 0, NULL, 0, NOTHING};
