/* trace.c - the public job traces that sgdperf cluster reads */
#include "cmd/cluster/cluster.h"

#include "import/import.h"

#include <string.h>

/* ---- Options --------------------------------------------------------------- */

static void read_columns(jobtrace_columns *columns, const args *a)
{
    char **word;
    const size_t words = args_words(a, OPTION_COLUMNS, &word);
    const char *wrong;
    memset(columns, 0, sizeof *columns);
    for (size_t i = 0; i < words; i++) {
        wrong = jobtrace_add_column(columns, word[i]);
        if (wrong) args_fail(OPTION_COLUMNS, word[i], "%s", wrong);
    }
    wrong = jobtrace_columns_miss(columns);
    if (wrong) args_fail(OPTION_COLUMNS, NULL, "%s", wrong);
}

/* ---- Files ----------------------------------------------------------------- */

/* Fails over a log of another format, and over what is no log of jobs. */
static void check_format(stream *s, jobtrace_format format)
{
    const size_t length = stream_peek(s, IMPORT_HEAD);
    const char *title, *what;
    jobtrace_format other = format;
    if (format == JOBTRACE_CSV || length == 0) return;
    int jobs = jobtrace_guess(s->at, length, &other, &title);
    if (jobs && other != format)
        tool_fail("%s: the file holds %s, not %s: use --trace-format %s", s->name, title,
                  jobtrace_format_names[format], jobtrace_format_names[other]);
    what = !jobs && csv_foreign ? csv_foreign(s->at, length) : NULL;
    if (what) tool_fail("%s: %s", s->name, what);
}

/* ---- Notes ----------------------------------------------------------------- */

static void note_left_out(const jobtrace *trace, const char *name)
{
    const size_t out = trace->not_run + trace->no_nodes;
    if (out == 0) return;
    tool_note("jobs-left-out",
              "%s: %lu of %lu jobs left out: %lu without a recorded run, %lu without %s", name,
              (unsigned long)out, (unsigned long)(out + trace->jobs),
              (unsigned long)trace->not_run, (unsigned long)trace->no_nodes,
              trace->unit ? trace->unit : "GPUs or processors");
}

static void note_what_is_counted(const jobtrace *trace, const args *a, const char *name)
{
    if (trace->lines < trace->records)
        tool_note("file-cut",
                  "%s: the header of the log counts %lu records, but the file has %lu: jobs that "
                  "are missing may have kept the others waiting",
                  name, (unsigned long)trace->records, (unsigned long)trace->lines);
    if (trace->parted > 0)
        tool_note("parts-rounded",
                  "%s: %lu of %lu jobs used fractions of %s: each job is rounded up, in all from "
                  "%.6g to %.6g", name,
                  (unsigned long)trace->parted, (unsigned long)trace->jobs,
                  trace->unit ? trace->unit : "GPUs", trace->parts, trace->wholes);
    if (trace->steps > 0)
        tool_note("rows-left-out",
                  "%s: %lu row%s of job steps left out: only whole jobs count",
                  name, COUNTED(trace->steps));
    if (trace->requeued > 0)
        tool_note("rows-joined",
                  "%s: jobs were requeued (%lu more row%s): all attempts of a job count as one job",
                  name, COUNTED(trace->requeued));
    if (trace->joined > 0)
        tool_note("rows-joined",
                  "%s: heterogeneous jobs have %lu more row%s: all parts of a job count as one job",
                  name, COUNTED(trace->joined));
    if (trace->unit && !args_given(a, OPTION_TRACE_NODES))
        tool_note("nodes-counted-as",
                  "%s: the %s of the log count as nodes: --trace-nodes sets another unit", name,
                  trace->unit);
    if (!args_given(a, OPTION_NODES) && trace->processors > 0)
        tool_note("cluster-size", "%s: the header of the log gives %lu processors, used as the "
                  "number of nodes: %s sets another number", name, (unsigned long)trace->processors,
                  NAME_OF(NODES));
}

/* ---- All ------------------------------------------------------------------- */

/* Some go by the name of where they come from as well. */
static jobtrace_format read_format(const args *a)
{
    static const struct { const char *name; jobtrace_format format; } also[] = {
        {"slurm", JOBTRACE_SACCT}, {"pollux", JOBTRACE_SIA}, {"columns", JOBTRACE_CSV}
    };
    const char *text = args_text(a, OPTION_TRACE_FORMAT, "");
    for (size_t i = 0; i < COUNT_OF(also); i++)
        if (strcmp(text, also[i].name) == 0) return also[i].format;
    return (jobtrace_format)args_choice(a, OPTION_TRACE_FORMAT, jobtrace_format_names,
                                        JOBTRACE_FORMATS, JOBTRACE_FORMATS);
}

void cluster_read_trace(cluster *c, const args *a)
{
    const jobtrace_format format = read_format(a);
    const char *submits_path = args_text(a, OPTION_TRACE_SUBMITS, NULL);
    const char *times_path = args_text(a, OPTION_TRACE_TIMES, NULL);
    jobtrace *trace = &c->trace;
    jobtrace_options options = {NULL, NULL, NULL, JOBTRACE_WHATEVER};
    jobtrace_columns columns;
    options.unit = (jobtrace_unit)args_word(a, OPTION_TRACE_NODES, JOBTRACE_WHATEVER);
    if (format == JOBTRACE_CSV) {
        read_columns(&columns, a);
        options.columns = &columns;
    }
    stream *log = stream_open(args_text(a, OPTION_JOBS, ""));
    c->trace_name = log->name;
    check_format(log, format);
    if (submits_path) options.submits = stream_open(submits_path);
    if (times_path) options.times = stream_open(times_path);
    jobtrace_read(trace, format, log, &options);
    if (options.submits) stream_close(options.submits);
    if (options.times) stream_close(options.times);
    stream_close(log);
    if (trace->jobs == 0)
        tool_fail("%s: no job of the log used %s", c->trace_name,
                  trace->unit ? trace->unit : "GPUs or processors");
    note_left_out(trace, c->trace_name);
    note_what_is_counted(trace, a, c->trace_name);
}
