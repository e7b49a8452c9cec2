/* recognise.c - sgdperf cluster: what FILE is, words for what they mean, and how many nodes a log
 * would need */
#include "cmd/cluster/cluster.h"

#include "base/file.h"
#include "import/import.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Arguments as if they were given --------------------------------------- */

static void add_option(args *a, option_id id, const char *value)
{
    option_id *ids = (option_id *)tool_alloc(a->count + 1, sizeof *ids);
    const char **values = (const char **)tool_alloc(a->count + 1, sizeof *values);
    if (a->count > 0) {
        memcpy(ids, a->id, a->count * sizeof *ids);
        memcpy((void *)values, (const void *)a->value, a->count * sizeof *values);
    }
    ids[a->count] = id;
    values[a->count++] = value;
    a->id = ids;
    a->value = values;
}

/* "fifo,easy" becomes "fcfs,easy". */
static void rename_fifo(args *a)
{
    for (size_t i = 0; i < a->count; i++) {
        const size_t length = strlen(a->value[i]);
        char *text, *at;
        if (a->id[i] != OPTION_POLICY && a->id[i] != OPTION_POLICIES) continue;
        text = (char *)memcpy(tool_alloc(length + 1, 1), a->value[i], length + 1);
        for (at = text; *at != '\0'; at += *at == ',') {
            const size_t word = strcspn(at, ",");
            if (word == 4 && memcmp(at, "fifo", 4) == 0) memcpy(at, "fcfs", 4);
            at += word;
        }
        a->value[i] = text;
    }
}

/* Fails over what is neither a log nor a table of jobs; of files that csv_foreign knows, and of
 * empty ones, csv_read tells more. */
static void check_table(const stream *s, size_t length)
{
    if (import_has(s->at, length, "arrival") || (csv_foreign && csv_foreign(s->at, length)) ||
        length < 3)
        return;
    if (import_has(s->at, length, "JobID") && import_has(s->at, length, "------"))
        tool_fail("%s: a table of sacct, but not between bars: list the jobs by sacct -P", s->name);
    tool_fail("%s: no known format of job log, and no table with a column 'arrival_s': name the "
              "format by %s, or the columns of any table by %s csv %s", s->name,
              NAME_OF(TRACE_FORMAT), NAME_OF(TRACE_FORMAT), NAME_OF(COLUMNS));
}

/* A log whose format --trace-format does not name; NULL: its title is not known. Stdin and other
 * pipes cannot be read twice. */
static const char *recognise_log(args *a, const char *path)
{
    jobtrace_format format;
    const char *title = NULL;
    if (args_given(a, OPTION_COLUMNS)) { add_option(a, OPTION_TRACE_FORMAT, "csv"); return NULL; }
    if (strcmp(path, "-") == 0 || file_is_pipe(path)) return NULL;
    stream *s = stream_open(path);
    size_t length = stream_peek(s, IMPORT_HEAD);
    if (jobtrace_guess(s->at, length, &format, &title))
        add_option(a, OPTION_TRACE_FORMAT, jobtrace_format_names[format]);
    else check_table(s, length);
    stream_close(s);
    return title;
}

void cluster_recognise(args *a)
{
    const char *path, *title = NULL;
    if (a->file_count > 0 && args_given(a, OPTION_JOBS))
        tool_fail("cluster: '%s' is one file too many beside --jobs: give one of the two",
                  a->files[0]);
    if (a->file_count > 0) add_option(a, OPTION_JOBS, a->files[0]);
    path = args_text(a, OPTION_JOBS, NULL);
    if (path && !args_given(a, OPTION_TRACE_FORMAT)) title = recognise_log(a, path);
    const int named = args_given(a, OPTION_CURVES) || args_given(a, OPTION_POLICY) ||
                      args_given(a, OPTION_POLICIES) || args_given(a, OPTION_RIGID);
    if (named && title) tool_note("found", "%s: read as %s", path, title);
    if (!named && path && args_given(a, OPTION_TRACE_FORMAT)) {
        add_option(a, OPTION_RIGID, "");
        tool_note("found", "%s: read as %s, whose jobs keep their number of nodes: with %s the "
                           "number may change", path, title ? title : "a log", NAME_OF(CURVES));
    }
    rename_fifo(a);
}

/* ---- How many nodes -------------------------------------------------------- */

/* Nodes that a job takes, or gives back. */
typedef struct node_change { double at_s, nodes; } node_change;

/* What is given back at a time may be taken at it. */
static int compare_changes(const void *a, const void *b)
{
    const node_change *x = (const node_change *)a, *y = (const node_change *)b;
    if (x->at_s < y->at_s || x->at_s > y->at_s) return x->at_s < y->at_s ? -1 : 1;
    return (x->nodes > y->nodes) - (x->nodes < y->nodes);
}

static double peak_of(node_change *change, size_t count)
{
    double now = 0.0, peak = 0.0;
    qsort(change, count, sizeof *change, compare_changes);
    for (size_t i = 0; i < count; i++) {
        now += change[i].nodes;
        if (now > peak) peak = now;
    }
    return peak;
}

/* Those of the log: from the observed starts on, or the arrivals. */
void cluster_check_nodes(const cluster *c, const args *a)
{
    const jobtrace *t = &c->trace;
    size_t widest = 0, waits = 0;
    char unit[100] = "";
    if (args_given(a, OPTION_NODES) || t->processors > 0 || t->jobs == 0) return;
    node_change *change = (node_change *)tool_alloc(2 * (uint64_t)t->jobs, sizeof *change);
    for (size_t i = 0; i < t->jobs; i++) {
        const jobtrace_job *job = &t->job[i];
        const double start_s = job->submit_s + (job->wait_s > 0.0 ? job->wait_s : 0.0);
        if (job->nodes > t->job[widest].nodes) widest = i;
        waits += job->wait_s >= 0.0;
        change[2 * i] = (node_change){start_s, job->nodes};
        change[2 * i + 1] = (node_change){start_s + job->run_s, -(double)job->nodes};
    }
    if (t->unit && !args_given(a, OPTION_TRACE_NODES))
        snprintf(unit, sizeof unit, "; the %s of the log count as nodes: --trace-nodes sets "
                                    "another unit", t->unit);
    tool_fail("%s is missing: the largest job of %s, '%s', needs %lu nodes; %s up to %.0f nodes "
              "are busy at once%s", NAME_OF(NODES), c->trace_name,
              names_text(&t->names, t->job[widest].name), (unsigned long)t->job[widest].nodes,
              waits == t->jobs ? "in the log" : "if no job waits,", peak_of(change, 2 * t->jobs),
              unit);
}
