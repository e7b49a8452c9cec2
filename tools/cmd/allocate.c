/* allocate.c - sgdperf allocate: one decision about the nodes of a cluster */
#include "base/columns.h"
#include "cmd/commands.h"
#include "cmd/rules.h"
#include "files/curves.h"
#include "files/status.h"

static const option_use uses[] = {
    ABOUT(
    "usage: sgdperf allocate JOBS.csv --nodes W [--policy P] [option ...]\n"
    "\n"
    "Decides how many nodes of a cluster each job gets.\n"
    "\n"
    "JOBS.csv (- is stdin) has one row per job and number of nodes, in any order. The\n"
    "numbers of nodes of a job go from 1 up without gaps:\n"
    "  job        name of the job\n"
    "  nodes      number of nodes, from 1; on more nodes than its table has a job\n"
    "             runs as on its last\n"
    "  service_s  seconds that the rest of the job takes on this number of nodes\n"
    "  held       nodes with which a moldable job was started, the same in all its\n"
    "             rows; optional [0: not started]\n"
    "A file without rows has no allocations.\n"
    "\n"
    "What to share, and how\n"),
    USE(NODES), USE(POLICY), USE(ALPHA), USE(FILL), USE(ORDER), USE(LOAD), USE(ALPHA_LOW),
    USE(ALPHA_HIGH),
    HEADING("Output"), USE(FORMAT),
    ABOUT(
    "\n"
    "Prints the nodes of each job in order of first appearance, and those that stay\n"
    "idle.\n"),
    SECTION("Example: a short job that gains little from a second node, and a long one",
    "  $ printf '%s\\n' job,nodes,service_s short,1,60 short,2,50 long,1,300 \\\n"
    "      long,2,150 long,3,110 | sgdperf allocate - --nodes 4 --fill\n"
    "  job    nodes\n"
    "  short      1\n"
    "  long       3\n"
    "\n"
    "  hell, 4 nodes, idle 0\n")
};

/* ---- Jobs ------------------------------------------------------------------ */

/* Nodes that each job was started with, the same in all of its rows. */
static void read_held(sgdsched_job *job, const curve_set *set, uint32_t most)
{
    const csv_table *t = set->file;
    const int column = csv_column(t, "held"), name = csv_require(t, "job");
    if (column == CSV_NONE) return;
    for (size_t i = 0; i < t->rows; i++) {
        const size_t j = names_find(&set->names, csv_text(t, i, name));
        const uint32_t held = (uint32_t)csv_integer(t, i, column, 0, UINT32_MAX);
        if (held > most)
            csv_fail(t, i, column, "%s is more than the %lu nodes of %s", csv_text(t, i, column),
                     (unsigned long)most, NAME_OF(NODES));
        if (i == set->row[j]) job[j].held = held;
        else if (held != job[j].held)
            csv_fail(t, i, column, "%s, but %lu in line %lu: all rows of job '%s' need the same "
                                   "number", csv_text(t, i, column),
                     (unsigned long)job[j].held, (unsigned long)csv_line(t, set->row[j]),
                     names_text(&set->names, j));
    }
}

/* ---- Printing -------------------------------------------------------------- */

static void print(output *out, const curve_set *set, const sgdsched_rules *rules,
                  const uint32_t *nodes, uint32_t idle)
{
    const char *policy = rules_policy_names[rules->policy];
    const size_t jobs = set->names.count;
    json_object(out, NULL);
    json_string(out, "policy", policy);
    columns c = columns_open(out, ALL, "allocations");
    for (size_t i = 0; i < jobs || i == 0; i++) {
        const int some = columns_row_if(&c, i < jobs);
        column_text(&c, ALL, "job", some ? names_text(&set->names, i) : NULL);
        column_whole(&c, ALL, "nodes", some ? nodes[i] : 0);
    }
    columns_close(&c);
    json_integer(out, "idle", idle);
    json_end(out);
    output_print(out, "\n%s, %lu node%s, idle %lu\n", policy, (unsigned long)rules->nodes,
                 rules->nodes == 1 ? "" : "s", (unsigned long)idle);
}

/* ---- The command ----------------------------------------------------------- */

static int run(args *a)
{
    static curve_set set;
    sgdsched_rules rules;
    sgdsched_jobs in;
    output out = {.form = args_form(a)};
    uint32_t *nodes, idle = 0;
    size_t bytes = 0, jobs;
    rules_read(&rules, a, 0);
    rules_refuse(a, &rules.policy, 1, 0);
    curves_read(&set, a->files[0], CSV_ALLOW_EMPTY, "job", "service_s");
    jobs = set.names.count;
    in.curve = curves_list(&set, 1);
    sgdsched_job *job = (sgdsched_job *)tool_alloc(jobs, sizeof *job);
    for (size_t i = 0; i < jobs; i++) {
        job[i].curve = i;
        job[i].remaining = 1.0;
    }
    read_held(job, &set, rules.nodes);
    (void)rules_note_knees(&rules, &set, 1);
    in.job = job;
    in.jobs = in.curves = jobs;
    nodes = (uint32_t *)tool_alloc(jobs, sizeof *nodes);
    tool_check_sched(sgdsched_allocate_bytes(&rules, &in, &bytes), "allocate");
    tool_check_sched(sgdsched_allocate(&rules, &in, tool_alloc(bytes, 1), bytes, nodes, &idle),
                     "allocate");
    print(&out, &set, &rules, nodes, idle);
    return output_flush(&out, EXIT_DONE);
}

const args_command command_allocate = {
    "allocate", "decide how many nodes each job gets", run, uses,
    COUNT_OF(uses), NULL, 0, 1, 1, NULL, 0,
    EACH(OPTION_NODES, OPTION_POLICY, OPTION_FILL, OPTION_LOAD)};
