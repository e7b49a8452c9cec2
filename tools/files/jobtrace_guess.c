/* jobtrace_guess.c - what a log of jobs is, told by how it begins */
#include "files/jobtrace_inside.h"

#include <string.h>

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
