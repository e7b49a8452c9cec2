/* jobtrace_formats.c - public job traces: which reader one has, told by how it begins */

#include "import/jobtrace_rows.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const jobtrace_format_names[JOBTRACE_FORMATS] = {
    "swf", "philly", "helios", "pai", "sacct", "sia", "gavel", "csv"
};

static int compare_jobs(const void *a, const void *b)
{
    const jobtrace_job *x = (const jobtrace_job *)a, *y = (const jobtrace_job *)b;
    if (x->submit_s < y->submit_s) return -1;
    if (x->submit_s > y->submit_s) return 1;
    return (x->line > y->line) - (x->line < y->line);
}

/* By time since the first, of which rounding may have made equal what differed. */
static void sort_jobs(jobtrace *t)
{
    double first;
    size_t i;
    if (t->jobs == 0) return;
    first = t->job[0].submit_s;
    for (i = 1; i < t->jobs; i++)
        if (t->job[i].submit_s < first) first = t->job[i].submit_s;
    for (i = 0; i < t->jobs; i++) t->job[i].submit_s -= first;
    qsort(t->job, t->jobs, sizeof *t->job, compare_jobs);
}

/* ---- All formats -------------------------------------------------------------- */

int jobtrace_parse(jobtrace *trace, jobtrace_format format, const jobtrace_text *text,
                   const jobtrace_options *options, char *message, size_t message_bytes)
{
    jobtrace_reader r;
    int done = 0;
    memset(trace, 0, sizeof *trace);
    r.options = options;
    r.parts = 0.0;
    r.trace = trace;
    r.text = text;
    r.file = text->name;
    r.message = message;
    r.message_bytes = message_bytes;
    switch (format) {
    case JOBTRACE_SWF:    done = jobtrace_read_swf(&r); break;
    case JOBTRACE_PHILLY: done = jobtrace_read_philly(&r); break;
    case JOBTRACE_HELIOS: done = jobtrace_read_helios(&r); break;
    case JOBTRACE_PAI:    done = jobtrace_read_pai(&r); break;
    case JOBTRACE_SACCT:  done = jobtrace_read_sacct(&r); break;
    case JOBTRACE_SIA:    done = jobtrace_read_sia(&r); break;
    case JOBTRACE_GAVEL:  done = jobtrace_read_gavel(&r); break;
    case JOBTRACE_CSV:    done = jobtrace_read_csv(&r); break;
    case JOBTRACE_FORMATS: jobtrace_wrong(&r, 1, "not a format"); break;
    }
    if (done) sort_jobs(trace);
    else jobtrace_free(trace);
    return done;
}

void jobtrace_free(jobtrace *trace)
{
    free(trace->job);
    names_free(&trace->names);
    memset(trace, 0, sizeof *trace);
}

/* ---- Guessing ----------------------------------------------------------------- */

/* A line of it, without its end. */
typedef struct text_line { const char *at; size_t length; } text_line;

static int has(text_line line, const char *word)
{
    const size_t length = strlen(word);
    size_t i;
    for (i = 0; i + length <= line.length; i++)
        if (memcmp(line.at + i, word, length) == 0) return 1;
    return 0;
}

/* The first line that is not empty. */
static text_line first_line(const char *head, size_t length)
{
    text_line line;
    const char *end;
    while (length > 0 && (*head == '\n' || *head == '\r')) { head++; length--; }
    end = length > 0 ? (const char *)memchr(head, '\n', length) : NULL;
    line.at = head;
    line.length = end ? (size_t)(end - head) : length;
    return line;
}

/* Fields of a line between blanks, all of them numbers; 0: some are not. */
static size_t number_fields(text_line line)
{
    size_t fields = 0, i = 0;
    while (i < line.length) {
        const size_t from = i;
        while (i < line.length && line.at[i] != ' ' && line.at[i] != '\t' && line.at[i] != '\r') {
            if (!strchr("0123456789.+-eE", line.at[i])) return 0;
            i++;
        }
        fields += i > from;
        i++;
    }
    return fields;
}

static int is_swf(text_line line)
{
    if (line.length > 0 && line.at[0] == ';') return 1;
    return number_fields(line) >= 18 ||
           (has(line, "submit") && has(line, "wait") && has(line, "run") && !has(line, ","));
}

/* Fields between tabs, of which the fifth or sixth is a number of steps, and the last too. */
static int is_gavel(text_line line)
{
    size_t tabs = 0, i;
    for (i = 0; i < line.length; i++) tabs += line.at[i] == '\t';
    for (i = line.length; i > 0 && line.at[i - 1] != '\t'; i--) {}
    if (i == line.length || !strchr("0123456789", line.at[i])) return 0;
    return (tabs == 6 || (tabs >= 8 && tabs <= 11)) &&
           (has(line, "python") || has(line, "batch size"));
}

static int is_json_array(const char *head, size_t length)
{
    while (length > 0 && strchr(" \t\r\n", *head)) { head++; length--; }
    return length > 0 && *head == '[';
}

int jobtrace_guess(const char *head, size_t length, jobtrace_format *format, const char **title)
{
    const text_line line = first_line(head, length);
    text_line all;
    all.at = head;
    all.length = length;
    *format = JOBTRACE_FORMATS;
    if (has(line, "JobID|") || has(line, "|JobID") || has(line, "|Submit") ||
        has(line, "|AllocTRES")) {
        *format = JOBTRACE_SACCT;
        *title = "jobs as Slurm's sacct -P lists them";
    } else if (is_json_array(head, length) && has(all, "\"attempts\"") && has(all, "\"jobid\"")) {
        *format = JOBTRACE_PHILLY;
        *title = "a log of jobs of Philly";
    } else if (has(line, "job_id,") && has(line, "gpu_num")) {
        *format = JOBTRACE_HELIOS;
        *title = "a log of jobs of Helios";
    } else if (has(line, "job_name,") && has(line, "inst_num") && has(line, "plan_gpu")) {
        *format = JOBTRACE_PAI;
        *title = "a log of jobs of PAI";
    } else if ((has(line, "application,") && has(line, "num_replicas")) ||
               (has(line, "timestamp,") && has(line, "num_gpus"))) {
        *format = JOBTRACE_SIA;
        *title = "jobs of a workload of Pollux or Sia";
    } else if (is_gavel(line)) {
        *format = JOBTRACE_GAVEL;
        *title = "a trace of jobs of Gavel";
    } else if (is_swf(line)) {
        *format = JOBTRACE_SWF;
        *title = "a log of jobs in the Standard Workload Format";
    } else {
        return 0;
    }
    return 1;
}
