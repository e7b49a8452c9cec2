/* trace.c - the public job traces that sgdperf cluster reads */
#include "cmd/cluster/cluster.h"

#include <stdlib.h>

static void note_left_out(const jobtrace *trace, const char *name)
{
    const size_t out = trace->not_run + trace->no_nodes;
    if (out == 0) return;
    tool_note("%s: %lu of %lu jobs left out: %lu without a recorded run, %lu without GPUs or "
              "processors", name, (unsigned long)out, (unsigned long)(out + trace->jobs),
              (unsigned long)trace->not_run, (unsigned long)trace->no_nodes);
}

/* Fails over a log of another format, and over what is no log of jobs. */
static void check_format(const jobtrace_text *text, jobtrace_format format)
{
    const char *title, *what;
    jobtrace_format other = format;
    const int jobs = jobtrace_guess(text->data, text->length, &other, &title);
    if (jobs && other == JOBTRACE_FORMATS)
        tool_fail("%s: %s, not %s", text->name, title, jobtrace_format_names[format]);
    if (jobs && other != format)
        tool_fail("%s: %s, not %s: --trace-format %s", text->name, title,
                  jobtrace_format_names[format], jobtrace_format_names[other]);
    what = !jobs && csv_foreign ? csv_foreign(text->data, text->length) : NULL;
    if (what) tool_fail("%s: %s", text->name, what);
}

const char *cluster_read_trace(jobtrace *trace, const args *a)
{
    const size_t format = args_choice(a, "--trace-format", jobtrace_format_names,
                                      JOBTRACE_FORMATS, JOBTRACE_FORMATS);
    jobtrace_text text = {0}, submits = {0};
    char message[512], *data, *more = NULL;
    if (args_given(a, "--trace-submits") && format != JOBTRACE_PAI)
        args_fail("--trace-submits", NULL, "is for --trace-format pai");
    text.data = data = file_read(args_text(a, "--jobs", ""), &text.name, &text.length);
    check_format(&text, (jobtrace_format)format);
    if (args_given(a, "--trace-submits"))
        submits.data = more = file_read(args_text(a, "--trace-submits", ""), &submits.name,
                                        &submits.length);
    if (!jobtrace_parse(trace, (jobtrace_format)format, &text, more ? &submits : NULL, message,
                        sizeof message))
        tool_fail("%s", message);
    free(data);
    free(more);
    if (trace->jobs == 0) tool_fail("%s: no job ran on GPUs or processors", text.name);
    note_left_out(trace, text.name);
    if (!args_given(a, "--nodes") && trace->processors > 0)
        tool_note("%s: its header says that the cluster has %lu processors", text.name,
                  (unsigned long)trace->processors);
    return text.name;
}
