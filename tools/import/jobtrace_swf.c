/* jobtrace_swf.c - job traces in the Standard Workload Format */
#include "import/jobtrace_rows.h"

#include <stdlib.h>
#include <string.h>

enum {
    SWF_JOB = 0, SWF_SUBMIT = 1, SWF_WAIT = 2, SWF_RUN = 3, SWF_ALLOCATED = 4,
    SWF_REQUESTED = 7, SWF_TIME = 8, SWF_STATUS = 10, SWF_PRECEDING = 16, SWF_FIELDS = 18
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

/* The number behind a key of a comment, "; MaxProcs: 128"; 0: it is none, or too large. */
static uint32_t header_value(const char *line, const char *key)
{
    const size_t length = strlen(key);
    char *end;
    while (*line == ';' || is_blank(*line)) line++;
    if (strncmp(line, key, length) != 0) return 0;
    line += length;
    while (is_blank(*line)) line++;
    if (*line < '1' || *line > '9') return 0;
    const unsigned long value = strtoul(line, &end, 10);
    return value <= UINT32_MAX && (*end == '\0' || is_blank(*end)) ? (uint32_t)value : 0;
}

/* MaxProcs says how large the cluster is; MaxNodes, where nothing else does. */
static void swf_comment(jobtrace *t, const char *line)
{
    const uint32_t processors = header_value(line, "MaxProcs:");
    const uint32_t records = header_value(line, "MaxRecords:");
    if (processors > 0) t->processors = processors;
    if (t->processors == 0) t->processors = header_value(line, "MaxNodes:");
    if (records > 0) t->records = records;
}

static void swf_job(jobtrace_reader *r, size_t line, char *field[SWF_FIELDS])
{
    static const char *const names[SWF_FIELDS] = {
        "job number", "submit time", "wait time", "run time", "allocated processors",
        "average CPU time", "used memory", "requested processors", "requested time",
        "requested memory", "status", "user", "group", "executable", "queue", "partition",
        "preceding job", "think time"
    };
    double value[SWF_FIELDS] = {0};
    jobtrace_job job = {.line = line};
    uint64_t preceding;
    size_t i;
    for (i = 0; i < SWF_FIELDS; i++) {
        const char *why = number_parse(field[i], NUMBER_ANY, &value[i]);
        if (!why && i == SWF_PRECEDING && value[i] > 0.0)
            why = number_whole(field[i], 1, UINT32_MAX, &preceding);
        if (why) jobtrace_fail(r, line, "column '%s': '%s' %s", names[i], field[i], why);
    }
    /* Parts of a job that was checkpointed, beside the line of all of it. */
    if (value[SWF_STATUS] > 1.5 && value[SWF_STATUS] < 4.5) return;
    job.name = jobtrace_new_name(r, line, names[SWF_JOB], field[SWF_JOB], strlen(field[SWF_JOB]));
    i = value[SWF_ALLOCATED] > 0.0 ? SWF_ALLOCATED : SWF_REQUESTED;
    if (value[i] > 0.0) job.nodes = jobtrace_whole_nodes(r, line, names[i], value[i]);
    job.submit_s = value[SWF_SUBMIT];
    job.run_s = value[SWF_RUN];
    job.wait_s = value[SWF_WAIT] >= 0.0 ? value[SWF_WAIT] : -1.0;
    if (value[SWF_TIME] > 0.0) job.walltime_s = value[SWF_TIME];
    job.preceded = value[SWF_PRECEDING] > 0.0;
    jobtrace_keep(r, &job);
}

/* One line: a job, or in the first line of fields their names; logs of other programs have
 * fields behind those of the format, which are said once. */
static void swf_line(jobtrace_reader *r, size_t line, char *field[SWF_FIELDS], size_t count,
                     size_t lines)
{
    double number;
    if (count < SWF_FIELDS)
        jobtrace_fail(r, line, "the line has %lu field%s, but SWF has %d", (unsigned long)count,
                      count == 1 ? "" : "s", (int)SWF_FIELDS);
    if (lines == 1 && number_parse(field[SWF_JOB], NUMBER_ANY, &number) &&
        number_parse(field[SWF_SUBMIT], NUMBER_ANY, &number))
        return;
    if (count > SWF_FIELDS)
        tool_note("fields-not-read",
                  "%s: SWF has %d fields: further fields of a row are not read", r->file,
                  (int)SWF_FIELDS);
    swf_job(r, line, field);
}

/* A line, which its first comment ends; line[length] is writable and becomes its end. */
static void read_line(jobtrace_reader *r, char *line, size_t length, size_t number, size_t *lines)
{
    char *field[SWF_FIELDS];
    line[length] = '\0';
    if (memchr(line, '\0', length)) jobtrace_fail(r, number, "byte 0x00 is not text");
    if (*line == ';') swf_comment(r->trace, line);
    size_t count = swf_split(line, line + length, field);
    if (count > 0) swf_line(r, number, field, count, ++*lines);
}

void jobtrace_read_swf(jobtrace_reader *r)
{
    stream *s = r->text;
    size_t number = 1, room = 0;
    char *line = NULL;
    for (; stream_peek(s, 1) > 0; number++) {
        int ended;
        const size_t length = stream_line(s, &ended);
        if (!ended) jobtrace_check_end(s);
        if (length + 1 > room) line = tool_resize(line, room = 2 * length + 256, 1);
        memcpy(line, s->at, length);
        read_line(r, line, length, number, &r->trace->lines);
        s->at += length + (size_t)ended;
    }
    tool_free(line);
}
