/* jobtrace_formats.c - public job traces: which reader one has, told by how it begins */
#include "import/import.h"
#include "import/jobtrace_rows.h"

#include <stdlib.h>
#include <string.h>

const char *const jobtrace_format_names[JOBTRACE_FORMATS] = {
    "swf", "philly", "helios", "pai", "sacct", "sia", "gavel", "csv"
};

static void (*const readers[JOBTRACE_FORMATS])(jobtrace_reader *r) = {
    jobtrace_read_swf, jobtrace_read_philly, jobtrace_read_helios, jobtrace_read_pai,
    jobtrace_read_sacct, jobtrace_read_sia, jobtrace_read_gavel, jobtrace_read_csv
};

static const char *const titles[JOBTRACE_FORMATS] = {
    "a log of jobs in the Standard Workload Format", "a log of jobs of Philly",
    "a log of jobs of Helios", "a log of jobs of PAI", "a list of jobs by Slurm's sacct -P",
    "a workload of jobs of Pollux or Sia", "a trace of jobs of Gavel", "a table of jobs"
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
    if (t->jobs == 0) return;
    double first = t->job[0].submit_s;
    for (size_t i = 1; i < t->jobs; i++)
        if (t->job[i].submit_s < first) first = t->job[i].submit_s;
    for (size_t i = 0; i < t->jobs; i++) t->job[i].submit_s -= first;
    qsort(t->job, t->jobs, sizeof *t->job, compare_jobs);
}

/* ---- All formats -------------------------------------------------------------- */

/* What is in memory of names and tables; other memory the program keeps. */
static void leave(jobtrace_reader *r)
{
    csv_free(&r->table[0].csv);
    csv_free(&r->table[1].csv);
    names_free(&r->times.key);
    names_free(&r->components);
    free(r->data);
    memset(r, 0, sizeof *r);
}

void jobtrace_read(jobtrace *trace, jobtrace_format format, stream *text,
                   const jobtrace_options *options)
{
    static jobtrace_reader r;          /* what a run that failed has left is released */
    leave(&r);
    memset(trace, 0, sizeof *trace);
    r.trace = trace;
    r.text = text;
    r.options = options;
    r.file = text->name;
    r.in = &r.table[0];
    readers[format](&r);
    jobtrace_check_end(text);
    leave(&r);
    sort_jobs(trace);
}

/* ---- Guessing ----------------------------------------------------------------- */

/* A line of it, without its end. */
typedef struct text_line { const char *at; size_t length; } text_line;

static int has(text_line line, const char *word) { return import_has(line.at, line.length, word); }

/* The first line that is not empty. */
static text_line first_line(const char *head, size_t length)
{
    text_line line;
    while (length > 0 && (*head == '\n' || *head == '\r')) { head++; length--; }
    const char *end = length > 0 ? (const char *)memchr(head, '\n', length) : NULL;
    line.at = head;
    line.length = end ? (size_t)(end - head) : length;
    return line;
}

/* Does a line begin with the 18 numbers of SWF, between blanks? */
static int has_swf_fields(text_line line)
{
    size_t fields = 0, i = 0;
    while (i < line.length && fields < 18) {
        const size_t from = i;
        while (i < line.length && line.at[i] != ' ' && line.at[i] != '\t' && line.at[i] != '\r') {
            if (!strchr("0123456789.+-eE", line.at[i])) return 0;
            i++;
        }
        fields += i > from;
        i++;
    }
    return fields == 18;
}

static int is_swf(text_line line)
{
    if (line.length > 0 && line.at[0] == ';') return 1;
    return has_swf_fields(line) ||
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

static jobtrace_format format_of(text_line all)
{
    const text_line line = first_line(all.at, all.length);
    if (has(line, "JobID|") || has(line, "|JobID") || has(line, "|Submit") ||
        has(line, "|AllocTRES"))
        return JOBTRACE_SACCT;
    if (is_json_array(all.at, all.length) && has(all, "\"attempts\"") && has(all, "\"jobid\""))
        return JOBTRACE_PHILLY;
    if (has(line, "job_id,") && has(line, "gpu_num")) return JOBTRACE_HELIOS;
    if (has(line, "job_name,") && has(line, "inst_num") && has(line, "plan_gpu"))
        return JOBTRACE_PAI;
    if ((has(line, "application,") && has(line, "num_replicas")) ||
        (has(line, "timestamp,") && has(line, "num_gpus")))
        return JOBTRACE_SIA;
    if (is_gavel(line)) return JOBTRACE_GAVEL;
    return is_swf(line) ? JOBTRACE_SWF : JOBTRACE_FORMATS;
}

int jobtrace_guess(const char *head, size_t length, jobtrace_format *format, const char **title)
{
    const text_line all = {head, length};
    *format = format_of(all);
    if (*format == JOBTRACE_FORMATS) return 0;
    *title = titles[*format];
    return 1;
}
