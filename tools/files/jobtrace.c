/* jobtrace.c - readers of public job traces: what they share, and which one reads */
#include "files/jobtrace.h"

#include "files/jobtrace_inside.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const jobtrace_format_names[JOBTRACE_FORMATS] = {
    "swf", "philly", "helios", "pai", "sacct", "sia", "gavel", "csv"
};

/* ---- Jobs ------------------------------------------------------------------ */

/* Beyond any log; sums and differences of such times are finite. */
#define MOST_SECONDS 1e15
#define LEAST_RUN_S  1e-15

int jobtrace_wrong(jobtrace_reader *r, size_t line, const char *format, ...)
{
    const int place = snprintf(r->message, r->message_bytes, "%s:%lu: ", r->file,
                               (unsigned long)line);
    va_list arguments;
    va_start(arguments, format);
    if ((size_t)place < r->message_bytes)      /* nor is it negative */
        vsnprintf(r->message + place, r->message_bytes - (size_t)place, format, arguments);
    va_end(arguments);
    return 0;
}

int jobtrace_new_name(jobtrace_reader *r, size_t line, const char *column, const char *text,
                      size_t length, size_t *name)
{
    int known;
    if (length == 0) return jobtrace_wrong(r, line, "column '%s': no name", column);
    known = names_add(&r->trace->names, text, length, name);
    if (known == NAMES_FULL) return jobtrace_wrong(r, line, "out of memory");
    if (known == NAMES_NEW) return 1;
    return jobtrace_wrong(r, line, "column '%s': '%s' occurs twice", column,
                          names_text(&r->trace->names, *name));
}

int jobtrace_keep(jobtrace_reader *r, const jobtrace_job *job)
{
    jobtrace *t = r->trace;
    const double parts = r->parts;
    r->parts = 0.0;
    if (!(job->run_s > 0.0)) { t->not_run++; return 1; }
    if (job->nodes == 0) { t->no_nodes++; return 1; }
    if (fabs(job->submit_s) > MOST_SECONDS || job->run_s > MOST_SECONDS ||
        job->wait_s > MOST_SECONDS || job->walltime_s > MOST_SECONDS)
        return jobtrace_wrong(r, job->line, "a time of more than %g s", MOST_SECONDS);
    if (job->run_s < LEAST_RUN_S)
        return jobtrace_wrong(r, job->line, "a run of %g s", job->run_s);
    if (t->jobs == t->room) {
        const size_t room = t->room < 64 ? 64 : t->room * 2;
        void *grown = room <= (size_t)-1 / sizeof *t->job
                    ? realloc(t->job, room * sizeof *t->job) : NULL;
        if (!grown) return jobtrace_wrong(r, job->line, "out of memory");
        t->job = (jobtrace_job *)grown;
        t->room = room;
    }
    t->job[t->jobs++] = *job;
    if (!(parts > 0.0)) return 1;
    t->parted++;
    t->parts += parts;
    t->wholes += job->nodes;
    return 1;
}

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

/* ---- Numbers and dates ----------------------------------------------------- */

static int is_digit(char c) { return c >= '0' && c <= '9'; }

static int digits(const char *text, size_t count)
{
    int value = 0;
    size_t i;
    for (i = 0; i < count; i++) value = value * 10 + (text[i] - '0');
    return value;
}

int jobtrace_date(const char *text, size_t length, double *seconds)
{
    static const char form[] = "dddd-dd-dd dd:dd:dd";
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    static const int before[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};
    int year, month, day, hour, minute, second, leap;
    size_t i;
    if (length != sizeof form - 1) return 0;
    for (i = 0; i < length; i++)
        if (form[i] == 'd' ? !is_digit(text[i]) : text[i] != form[i]) return 0;
    year = digits(text, 4);
    month = digits(text + 5, 2);
    day = digits(text + 8, 2);
    hour = digits(text + 11, 2);
    minute = digits(text + 14, 2);
    second = digits(text + 17, 2);
    leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    if (year < 1970 || month < 1 || month > 12 || day < 1 || hour > 23 || minute > 59 ||
        second > 60 || day > days[month - 1] + (month == 2 && leap))
        return 0;
    /* Leap days of whole years since 1970, then days of this one. */
    day += (year - 1970) * 365 + (year - 1969) / 4 - (year - 1901) / 100 + (year - 1601) / 400;
    day += before[month - 1] + (month > 2 && leap) - 1;
    *seconds = day * 86400.0 + hour * 3600.0 + minute * 60.0 + second;
    return 1;
}

int jobtrace_is_none(const char *text, size_t length)
{
    return length == 0 || (length == 4 && memcmp(text, "None", 4) == 0);
}

int jobtrace_number(jobtrace_reader *r, size_t line, const char *column, const char *text,
                    number_rule rule, double *value)
{
    const char *why = number_parse(text, rule, value);
    if (!why) return 1;
    return jobtrace_wrong(r, line, "column '%s': '%s' %s", column, text, why);
}

int jobtrace_whole_nodes(jobtrace_reader *r, size_t line, const char *column, double nodes,
                         uint32_t *whole)
{
    const double error = nodes < 2.5e8 ? 1e-9 * nodes : 0.25, near = floor(nodes + 0.5);
    const double up = fabs(nodes - near) <= error ? near : ceil(nodes);
    if (!(up <= UINT32_MAX))
        return jobtrace_wrong(r, line, "column '%s': %g is too large", column, nodes);
    *whole = (uint32_t)up;
    r->parts = nodes < up - error ? nodes : 0.0;
    return 1;
}

int jobtrace_find_columns(jobtrace_reader *r, const csv_table *t, const char *const *name,
                          int *column, size_t count)
{
    size_t i;
    for (i = 0; i < count; i++) {
        column[i] = csv_column(t, name[i]);
        if (column[i] == CSV_NONE)
            return jobtrace_wrong(r, t->header_line, "no column '%s'", name[i]);
    }
    return 1;
}

/* ---- All formats ----------------------------------------------------------- */

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
