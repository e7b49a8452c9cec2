/* jobtrace.c - readers of public job traces: SWF, Philly, Helios, PAI */
#include "files/jobtrace.h"

#include "base/json.h"
#include "base/tool.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const jobtrace_format_names[JOBTRACE_FORMATS] = {"swf", "philly", "helios", "pai"};

typedef struct reader {
    jobtrace   *trace;
    const jobtrace_text *text;
    const char *file;         /* whose lines are read                               */
    char       *message;
    size_t      message_bytes;
} reader;

/* ---- Jobs ------------------------------------------------------------------ */

/* Beyond any log; sums and differences of such times are finite. */
#define MOST_SECONDS 1e15

/* Notes what is wrong; 0 to be returned. */
TOOL_PRINTF(3, 4)
static int wrong(reader *r, size_t line, const char *format, ...)
{
    const int place = snprintf(r->message, r->message_bytes, "%s:%lu: ", r->file,
                               (unsigned long)line);
    va_list arguments;
    va_start(arguments, format);
    if (place >= 0 && (size_t)place < r->message_bytes)
        vsnprintf(r->message + place, r->message_bytes - (size_t)place, format, arguments);
    va_end(arguments);
    return 0;
}

/* The number of a job's name; refuses an empty one, and a second time. */
static int new_name(reader *r, size_t line, const char *column, const char *text,
                    size_t length, size_t *name)
{
    int known;
    if (length == 0) return wrong(r, line, "column '%s': no name", column);
    known = names_add(&r->trace->names, text, length, name);
    if (known == NAMES_FULL) return wrong(r, line, "out of memory");
    if (known == NAMES_NEW) return 1;
    return wrong(r, line, "column '%s': '%s' occurs twice", column,
                 names_text(&r->trace->names, *name));
}

/* Keeps a job that ran on nodes, and counts one that did not. */
static int keep(reader *r, const jobtrace_job *job)
{
    jobtrace *t = r->trace;
    if (!(job->run_s > 0.0)) { t->not_run++; return 1; }
    if (job->nodes == 0) { t->no_nodes++; return 1; }
    if (fabs(job->submit_s) > MOST_SECONDS || job->run_s > MOST_SECONDS)
        return wrong(r, job->line, "a time of more than %g s", MOST_SECONDS);
    if (t->jobs == t->room) {
        const size_t room = t->room < 64 ? 64 : t->room * 2;
        void *grown = room <= (size_t)-1 / sizeof *t->job
                    ? realloc(t->job, room * sizeof *t->job) : NULL;
        if (!grown) return wrong(r, job->line, "out of memory");
        t->job = (jobtrace_job *)grown;
        t->room = room;
    }
    t->job[t->jobs++] = *job;
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

/* "2017-10-07 01:11:39" to seconds since 1970 of a clock that is never changed; 0 if it
 * is none. */
static int parse_date(const char *text, size_t length, double *seconds)
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

/* What stands for a time that was not recorded. */
static int is_none(const char *text, size_t length)
{
    return length == 0 || (length == 4 && memcmp(text, "None", 4) == 0);
}

/* A cell's number, or 0 and a message. */
static int cell_number(reader *r, size_t line, const char *column, const char *text,
                       number_rule rule, double *value)
{
    const char *why = number_parse(text, rule, value);
    if (!why) return 1;
    return wrong(r, line, "column '%s': '%s' %s", column, text, why);
}

/* Whole nodes of a number of them, rounded up but for errors of rounding. */
static int whole_nodes(reader *r, size_t line, const char *column, double nodes,
                       uint32_t *whole)
{
    const double up = ceil(nodes - 1e-9 * nodes);  /* NaN for too many to count */
    if (!(up <= UINT32_MAX)) return wrong(r, line, "column '%s': %g is too large", column, nodes);
    *whole = (uint32_t)up;
    return 1;
}

/* ---- SWF ------------------------------------------------------------------- */

enum {
    SWF_JOB = 0, SWF_SUBMIT = 1, SWF_RUN = 3, SWF_ALLOCATED = 4, SWF_REQUESTED = 7,
    SWF_STATUS = 10, SWF_FIELDS = 18
};

static int is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

/* The fields of a line, cut by zeros, up to the comment that may end it. */
static size_t swf_split(char *line, char *end, char *field[SWF_FIELDS])
{
    size_t count = 0;
    char *at = line;
    for (;;) {
        while (at < end && is_blank(*at)) at++;
        if (at == end || *at == ';') return count;
        if (count < SWF_FIELDS) field[count] = at;
        count++;
        while (at < end && !is_blank(*at) && *at != ';') at++;
        if (at == end) return count;
        if (*at == ';') { *at = '\0'; return count; }
        *at++ = '\0';
    }
}

static int swf_job(reader *r, size_t line, char *field[SWF_FIELDS])
{
    static const char *const names[SWF_FIELDS] = {
        "job number", "submit time", "wait time", "run time", "allocated processors",
        "average CPU time", "used memory", "requested processors", "requested time",
        "requested memory", "status", "user", "group", "executable", "queue", "partition",
        "preceding job", "think time"
    };
    double value[SWF_FIELDS] = {0};
    jobtrace_job job = {0};
    size_t i;
    for (i = 0; i < SWF_FIELDS; i++)
        if (!cell_number(r, line, names[i], field[i], NUMBER_ANY, &value[i])) return 0;
    /* Parts of a job that was checkpointed, beside the line of all of it. */
    if (value[SWF_STATUS] > 1.5 && value[SWF_STATUS] < 4.5) return 1;
    if (!new_name(r, line, names[SWF_JOB], field[SWF_JOB], strlen(field[SWF_JOB]), &job.name))
        return 0;
    i = value[SWF_ALLOCATED] > 0.0 ? SWF_ALLOCATED : SWF_REQUESTED;
    if (value[i] > 0.0 && !whole_nodes(r, line, names[i], value[i], &job.nodes)) return 0;
    job.line = line;
    job.submit_s = value[SWF_SUBMIT];
    job.run_s = value[SWF_RUN];
    return keep(r, &job);
}

static int read_swf(reader *r)
{
    const size_t length = r->text->length;
    char *copy = (char *)malloc(length + 1), *at = copy, *field[SWF_FIELDS];
    int done = 1;
    size_t line = 1;
    if (!copy) return wrong(r, 1, "out of memory");
    if (length > 0) memcpy(copy, r->text->data, length);
    copy[length] = '\0';
    for (; done && at < copy + length; line++) {
        char *end = (char *)memchr(at, '\n', (size_t)(copy + length - at)), *zero;
        size_t count;
        if (!end) end = copy + length;
        zero = (char *)memchr(at, '\0', (size_t)(end - at));
        *end = '\0';
        count = swf_split(at, end, field);
        if (zero) done = wrong(r, line, "byte 0x00 is not text");
        else if (count == SWF_FIELDS) done = swf_job(r, line, field);
        else if (count > 0) done = wrong(r, line, "%lu fields in a line, SWF has %d",
                                         (unsigned long)count, (int)SWF_FIELDS);
        at = end + 1;
    }
    free(copy);
    return done;
}

/* ---- Philly ---------------------------------------------------------------- */

/* The reader's message for what the JSON reader found, or for another kind of value. */
static int philly_wrong(reader *r, const json_reader *j, const char *what)
{
    return wrong(r, j->line, "%s", j->wrong ? j->wrong : what);
}

/* A time, 0 in *known where there is none. */
static int philly_time(reader *r, json_reader *j, const char *key, double *time_s, int *known)
{
    const json_token token = json_next(j);
    *known = 0;
    if (token == JSON_NULL || (token == JSON_STRING && is_none(j->text, j->length))) return 1;
    if (token != JSON_STRING) return philly_wrong(r, j, "a time that is no text");
    *known = parse_date(j->text, j->length, time_s);
    if (*known) return 1;
    return wrong(r, j->line, "'%s': '%.*s' is no time like 2017-10-07 01:11:39", key,
                 (int)(j->length < 40 ? j->length : 40), j->text);
}

/* "detail": [{"ip": ..., "gpus": [...]}, ...]: how many GPUs. */
static int philly_gpus(reader *r, json_reader *j, uint32_t *gpus)
{
    json_token token;
    *gpus = 0;
    if (json_next(j) != JSON_ARRAY) return philly_wrong(r, j, "'detail' is no array");
    while ((token = json_next(j)) == JSON_OBJECT)
        while ((token = json_next(j)) == JSON_KEY) {
            const int counts = json_is(j, "gpus");
            token = json_next(j);
            if (!counts) {
                if (!json_skip(j, token)) return philly_wrong(r, j, "");
                continue;
            }
            if (token != JSON_ARRAY) return philly_wrong(r, j, "'gpus' is no array");
            while ((token = json_next(j)) != JSON_CLOSE) {
                if (!json_skip(j, token)) return philly_wrong(r, j, "");
                ++*gpus;
            }
        }
    return token == JSON_CLOSE ? 1 : philly_wrong(r, j, "'detail' holds more than objects");
}

/* One attempt: adds the time that it ran to *run_s; *ended: it has an end. */
static int philly_attempt(reader *r, json_reader *j, jobtrace_job *job, int *ended)
{
    double start_s = 0.0, end_s = 0.0;
    int started = 0;
    uint32_t gpus = 0;
    json_token token;
    *ended = 0;
    while ((token = json_next(j)) == JSON_KEY) {
        if (json_is(j, "start_time")) {
            if (!philly_time(r, j, "start_time", &start_s, &started)) return 0;
        } else if (json_is(j, "end_time")) {
            if (!philly_time(r, j, "end_time", &end_s, ended)) return 0;
        } else if (json_is(j, "detail")) {
            if (!philly_gpus(r, j, &gpus)) return 0;
        } else if (!json_skip(j, json_next(j))) {
            return philly_wrong(r, j, "");
        }
    }
    if (token != JSON_CLOSE) return philly_wrong(r, j, "");
    if (started && *ended && end_s > start_s) job->run_s += end_s - start_s;
    if (gpus > job->nodes) job->nodes = gpus;
    return 1;
}

static int philly_attempts(reader *r, json_reader *j, jobtrace_job *job)
{
    json_token token;
    int ended = 1;
    if (json_next(j) != JSON_ARRAY) return philly_wrong(r, j, "'attempts' is no array");
    while ((token = json_next(j)) == JSON_OBJECT)
        if (!philly_attempt(r, j, job, &ended)) return 0;
    if (token != JSON_CLOSE) return philly_wrong(r, j, "'attempts' holds more than objects");
    if (!ended) job->run_s = 0.0;      /* it still ran when the log was taken */
    return 1;
}

/* One job, behind its opening bracket. */
static int philly_job(reader *r, json_reader *j)
{
    enum { NAME = 1, SUBMIT = 2, ATTEMPTS = 4 };
    jobtrace_job job = {0};
    int known = 0, seen = 0;
    json_token token;
    job.line = j->line;
    while ((token = json_next(j)) == JSON_KEY) {
        const int key = json_is(j, "jobid") ? NAME : json_is(j, "submitted_time") ? SUBMIT
                      : json_is(j, "attempts") ? ATTEMPTS : 0;
        if (seen & key) return wrong(r, j->line, "a key twice in one job");
        seen |= key;
        if (key == NAME) {
            if (json_next(j) != JSON_STRING) return philly_wrong(r, j, "'jobid' is no text");
            if (!new_name(r, j->line, "jobid", j->text, j->length, &job.name)) return 0;
        } else if (key == SUBMIT) {
            if (!philly_time(r, j, "submitted_time", &job.submit_s, &known)) return 0;
        } else if (key == ATTEMPTS) {
            if (!philly_attempts(r, j, &job)) return 0;
        } else if (!json_skip(j, json_next(j))) {
            return philly_wrong(r, j, "");
        }
    }
    if (token != JSON_CLOSE) return philly_wrong(r, j, "");
    if (!(seen & NAME)) return wrong(r, job.line, "a job without 'jobid'");
    if (!(seen & SUBMIT)) return wrong(r, job.line, "a job without 'submitted_time'");
    if (!(seen & ATTEMPTS)) return wrong(r, job.line, "a job without 'attempts'");
    if (!known) job.run_s = 0.0;
    return keep(r, &job);
}

static int read_philly(reader *r)
{
    json_reader j;
    json_token token;
    json_read(&j, r->text->data, r->text->length);
    if (json_next(&j) != JSON_ARRAY) return philly_wrong(r, &j, "not an array of jobs");
    while ((token = json_next(&j)) == JSON_OBJECT)
        if (!philly_job(r, &j)) return 0;
    if (token != JSON_CLOSE) return philly_wrong(r, &j, "a job that is no object");
    return json_next(&j) == JSON_END ? 1 : philly_wrong(r, &j, "");
}

/* ---- Helios ---------------------------------------------------------------- */

/* Columns by name, each in the file or refused. */
static int find_columns(reader *r, const csv_table *t, const char *const *name, int *column,
                        size_t count)
{
    size_t i;
    for (i = 0; i < count; i++) {
        column[i] = csv_column(t, name[i]);
        if (column[i] == CSV_NONE) return wrong(r, t->header_line, "no column '%s'", name[i]);
    }
    return 1;
}

static int helios_job(reader *r, const csv_table *t, size_t row, const char *const *name,
                      const int *column)
{
    const size_t line = csv_line(t, row);
    const char *job_id = csv_text(t, row, column[0]), *gpus = csv_text(t, row, column[1]);
    const char *submit = csv_text(t, row, column[2]), *run = csv_text(t, row, column[3]);
    jobtrace_job job = {0};
    double nodes = 0.0;
    if (!new_name(r, line, name[0], job_id, strlen(job_id), &job.name)) return 0;
    if (!cell_number(r, line, name[1], gpus, NUMBER_NON_NEGATIVE, &nodes)) return 0;
    if (!whole_nodes(r, line, name[1], nodes, &job.nodes)) return 0;
    if (!parse_date(submit, strlen(submit), &job.submit_s))
        return wrong(r, line, "column '%s': '%s' is no time like 2020-06-09 18:41:01", name[2],
                     submit);
    if (!is_none(run, strlen(run)) &&
        !cell_number(r, line, name[3], run, NUMBER_NON_NEGATIVE, &job.run_s))
        return 0;
    job.line = line;
    return keep(r, &job);
}

static int read_helios(reader *r)
{
    static const char *const name[] = {"job_id", "gpu_num", "submit_time", "duration"};
    int column[COUNT_OF(name)], done;
    csv_table t;
    size_t row;
    if (!csv_parse(&t, r->file, r->text->data, r->text->length, 0, r->message,
                   r->message_bytes))
        return 0;
    done = find_columns(r, &t, name, column, COUNT_OF(name));
    for (row = 0; done && row < t.rows; row++) done = helios_job(r, &t, row, name, column);
    csv_free(&t);
    return done;
}

/* ---- PAI ------------------------------------------------------------------- */

/* A job, put together from its tasks. */
typedef struct pai_job {
    size_t line;
    double gpus, start_s, end_s, submit_s;
    int    open, submitted;   /* a task without an end; submit_s is known           */
} pai_job;

static const char *const pai_task_columns[] = {
    "job_name", "task_name", "inst_num", "status", "start_time", "end_time", "plan_cpu",
    "plan_mem", "plan_gpu", "gpu_type"
};
static const char *const pai_job_columns[] = {
    "job_name", "inst_id", "user", "status", "start_time", "end_time"
};

/* A table of PAI: the columns wanted[count] of all[all_count], by name where its first
 * line is a header, else by place. */
static int pai_table(reader *r, const jobtrace_text *text, const char *const *all,
                     size_t all_count, const char *const *wanted, size_t count,
                     csv_table *t, int *column)
{
    const char *end = text->length > 0 ? (const char *)memchr(text->data, '\n', text->length)
                                       : NULL;
    const size_t first = end ? (size_t)(end - text->data) : text->length;
    const size_t word = strlen(all[0]);
    size_t i;
    int named = 0, done;
    for (i = 0; !named && i + word <= first; i++)
        named = memcmp(text->data + i, all[0], word) == 0;
    r->file = text->name;
    if (!csv_parse(t, text->name, text->data, text->length, named ? 0 : CSV_NO_HEADER,
                   r->message, r->message_bytes))
        return 0;
    if (named) {
        done = find_columns(r, t, wanted, column, count);
    } else {
        done = (size_t)t->columns == all_count ? 1
             : wrong(r, csv_line(t, 0), "%d columns and no header, the table has %lu",
                     t->columns, (unsigned long)all_count);
        for (i = 0; i < count; i++) column[i] = (int)words_find(all, all_count, wanted[i]);
    }
    if (!done) csv_free(t);
    return done;
}

/* An empty cell leaves *value as it is. */
static int pai_number(reader *r, const csv_table *t, size_t row, int column, const char *name,
                      number_rule rule, double *value)
{
    const char *text = csv_text(t, row, column);
    return is_none(text, strlen(text)) ||
           cell_number(r, csv_line(t, row), name, text, rule, value);
}

/* Adds a row of the table of tasks to its job. */
static int pai_task(reader *r, const csv_table *t, size_t row, const char *const *name,
                    const int *column, pai_job *job)
{
    const size_t line = csv_line(t, row);
    const char *start = csv_text(t, row, column[3]), *end = csv_text(t, row, column[4]);
    double instances = 1.0, percent = 0.0, start_s = 0.0, end_s = 0.0;
    if (!pai_number(r, t, row, column[2], name[2], NUMBER_NON_NEGATIVE, &instances) ||
        !pai_number(r, t, row, column[5], name[5], NUMBER_NON_NEGATIVE, &percent) ||
        !pai_number(r, t, row, column[3], name[3], NUMBER_ANY, &start_s) ||
        !pai_number(r, t, row, column[4], name[4], NUMBER_ANY, &end_s))
        return 0;
    if (job->line == 0) job->line = line;
    if (!(instances * percent > 0.0)) return 1;
    if (is_none(start, strlen(start)) || is_none(end, strlen(end))) job->open = 1;
    else {
        if (!(job->gpus > 0.0) || start_s < job->start_s) job->start_s = start_s;
        if (!(job->gpus > 0.0) || end_s > job->end_s) job->end_s = end_s;
    }
    job->gpus += instances * percent / 100.0;
    return 1;
}

/* When the jobs were submitted, from the table of jobs. */
static int pai_submits(reader *r, const jobtrace_text *text, pai_job *job)
{
    static const char *const name[] = {"job_name", "start_time"};
    int column[COUNT_OF(name)], done = 1;
    csv_table t;
    size_t row;
    if (!pai_table(r, text, pai_job_columns, COUNT_OF(pai_job_columns), name, COUNT_OF(name),
                   &t, column))
        return 0;
    for (row = 0; done && row < t.rows; row++) {
        const char *text_of = csv_text(&t, row, column[0]);
        const char *start = csv_text(&t, row, column[1]);
        const size_t j = names_find(&r->trace->names, text_of);
        double submit_s = 0.0;
        done = pai_number(r, &t, row, column[1], name[1], NUMBER_ANY, &submit_s);
        if (!done || j == r->trace->names.count || is_none(start, strlen(start))) continue;
        if (job[j].submitted)
            done = wrong(r, csv_line(&t, row), "column '%s': '%s' occurs twice", name[0],
                         text_of);
        job[j].submitted = 1;
        job[j].submit_s = submit_s;
    }
    csv_free(&t);
    return done;
}

static int pai_keep(reader *r, const pai_job *from, size_t name, int submits)
{
    jobtrace_job job = {0};
    const int known = !from->open && (from->submitted || !submits);
    job.name = name;
    job.line = from->line;
    if (!whole_nodes(r, from->line, "plan_gpu", from->gpus, &job.nodes)) return 0;
    /* What needs no GPU has no times here. */
    job.run_s = !known ? 0.0 : job.nodes == 0 ? 1.0 : from->end_s - from->start_s;
    job.submit_s = submits ? from->submit_s : from->start_s;
    return keep(r, &job);
}

static int read_pai(reader *r, const jobtrace_text *submits)
{
    static const char *const name[] = {
        "job_name", "task_name", "inst_num", "start_time", "end_time", "plan_gpu"
    };
    int column[COUNT_OF(name)], done = 1;
    csv_table t;
    pai_job *job;
    size_t row, j;
    if (!pai_table(r, r->text, pai_task_columns, COUNT_OF(pai_task_columns), name,
                   COUNT_OF(name), &t, column))
        return 0;
    job = (pai_job *)calloc(t.rows, sizeof *job);
    if (!job) done = wrong(r, 1, "out of memory");
    for (row = 0; done && row < t.rows; row++) {
        const char *text = csv_text(&t, row, column[0]);
        if (*text == '\0')
            done = wrong(r, csv_line(&t, row), "column '%s': no name", name[0]);
        else if (names_add(&r->trace->names, text, strlen(text), &j) == NAMES_FULL)
            done = wrong(r, csv_line(&t, row), "out of memory");
        else
            done = pai_task(r, &t, row, name, column, &job[j]);
    }
    csv_free(&t);
    if (done && submits) done = pai_submits(r, submits, job);
    r->file = r->text->name;
    for (j = 0; done && j < r->trace->names.count; j++)
        done = pai_keep(r, &job[j], j, submits != NULL);
    free(job);
    return done;
}

/* ---- All formats ----------------------------------------------------------- */

int jobtrace_parse(jobtrace *trace, jobtrace_format format, const jobtrace_text *text,
                   const jobtrace_text *submits, char *message, size_t message_bytes)
{
    reader r;
    int done = 0;
    memset(trace, 0, sizeof *trace);
    r.trace = trace;
    r.text = text;
    r.file = text->name;
    r.message = message;
    r.message_bytes = message_bytes;
    switch (format) {
    case JOBTRACE_SWF:    done = read_swf(&r); break;
    case JOBTRACE_PHILLY: done = read_philly(&r); break;
    case JOBTRACE_HELIOS: done = read_helios(&r); break;
    case JOBTRACE_PAI:    done = read_pai(&r, submits); break;
    case JOBTRACE_FORMATS: wrong(&r, 1, "not a format"); break;
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
