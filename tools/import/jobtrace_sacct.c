/* jobtrace_sacct.c - the jobs that Slurm's sacct -P lists
 *
 * A row is a job, an attempt of one that was put back into the queue, or a component of a
 * heterogeneous one, 12+1, all of which run at once; 12.batch and such are steps. */
#include "base/words.h"
#include "import/jobtrace_rows.h"

#include <stdlib.h>
#include <string.h>

enum {
    SACCT_ID = 0, SACCT_SUBMIT, SACCT_START, SACCT_END, SACCT_ELAPSED, SACCT_ELAPSED_RAW,
    SACCT_STATE, SACCT_NODES, SACCT_CPUS, SACCT_TRES, SACCT_LIMIT, SACCT_LIMIT_RAW, SACCT_COLUMNS
};

/* What is read, by the first of the names that the file has. */
static const char *const columns[SACCT_COLUMNS][4] = {
    {"JobID", "JobIDRaw", NULL, NULL}, {"Submit", NULL, NULL, NULL}, {"Start", NULL, NULL, NULL},
    {"End", NULL, NULL, NULL}, {"Elapsed", NULL, NULL, NULL}, {"ElapsedRaw", NULL, NULL, NULL},
    {"State", NULL, NULL, NULL}, {"NNodes", "AllocNodes", "ReqNodes", NULL},
    {"AllocCPUS", "NCPUS", "ReqCPUS", NULL}, {"AllocTRES", "ReqTRES", NULL, NULL},
    {"Timelimit", NULL, NULL, NULL}, {"TimelimitRaw", NULL, NULL, NULL}
};

typedef struct sacct_job {
    size_t line;
    double submit_s, start_s, run_s, walltime_s;
    double width[JOBTRACE_WHATEVER];
    int    started, open, requeued; /* open: an attempt has no end                  */
} sacct_job;

typedef struct sacct_log {
    jobtrace_reader *reader;
    csv_table   table;
    int         column[SACCT_COLUMNS];
    sacct_job  *job;          /* [names.count of the trace]                         */
    name_index  parts;        /* components of heterogeneous jobs                   */
} sacct_log;

/* ---- Cells ----------------------------------------------------------------- */

/* "" where there is no such column. */
static const char *cell(const sacct_log *s, size_t row, int which)
{
    return s->column[which] == CSV_NONE ? "" : csv_text(&s->table, row, s->column[which]);
}

static int wrong_cell(sacct_log *s, size_t row, int which, const char *what)
{
    return jobtrace_wrong(s->reader, csv_line(&s->table, row), "column '%s': '%s' %s",
                          s->table.header[s->column[which]], cell(s, row, which), what);
}

/* A point in time; *known is 0 where there is none. */
static int read_point(sacct_log *s, size_t row, int which, double *at_s, int *known)
{
    const char *text = cell(s, row, which);
    *known = 0;
    if (jobtrace_is_unknown(text)) return 1;
    *known = jobtrace_stamp(text, at_s) || number_parse(text, NUMBER_NON_NEGATIVE, at_s) == NULL;
    return *known ? 1 : wrong_cell(s, row, which, "is no time like 2020-06-09T18:41:01");
}

/* A length of time; `raw`: the column of the same as a number of `scale` seconds. */
static int read_length(sacct_log *s, size_t row, int which, int raw, double scale, double *length_s)
{
    static const char *const none[] = {"UNLIMITED", "Partition_Limit", "INVALID"};
    const char *text = cell(s, row, which);
    if (words_find(none, COUNT_OF(none), text) < COUNT_OF(none)) return 1;
    if (!jobtrace_is_unknown(text))
        return jobtrace_clock(text, length_s) ||
               wrong_cell(s, row, which, "is no time like 1-02:03:04");
    text = cell(s, row, raw);
    if (words_find(none, COUNT_OF(none), text) < COUNT_OF(none) || jobtrace_is_unknown(text))
        return 1;
    if (number_parse(text, NUMBER_NON_NEGATIVE, length_s) != NULL)
        return wrong_cell(s, row, raw, "is no positive number");
    *length_s *= scale;
    return 1;
}

/* The state of a row, without what stands behind it: "CANCELLED by 123". */
static int state_is(const char *state, const char *const *names, size_t count)
{
    size_t i;
    for (i = 0; i < count; i++) {
        const size_t length = strlen(names[i]);
        if (strncmp(state, names[i], length) == 0 && strchr(" +", state[length])) return 1;
    }
    return 0;
}

/* ---- How wide a job is ----------------------------------------------------- */

/* Does a part of "cpu=8,gres/gpu:a100=2" begin with this name, and with =? Its number. */
static const char *tres_value(const char *at, const char *name)
{
    const size_t length = strlen(name);
    return strncmp(at, name, length) == 0 && at[length] == '=' ? at + length + 1 : NULL;
}

static int tres_number(sacct_log *s, size_t row, const char *from, double *value)
{
    char digits[32];
    const size_t length = strcspn(from, ",");
    if (length >= sizeof digits) return wrong_cell(s, row, SACCT_TRES, "has a number too long");
    memcpy(digits, from, length);
    digits[length] = '\0';
    return number_parse(digits, NUMBER_NON_NEGATIVE, value) == NULL ||
           wrong_cell(s, row, SACCT_TRES, "has something else than a number behind =");
}

/* "cpu=8,gres/gpu=2,gres/gpu:a100=2": of GPUs the total, or the sum of what has a type. */
static int read_tres(sacct_log *s, size_t row, double width[JOBTRACE_WHATEVER])
{
    static const char typed[] = "gres/gpu:";
    const char *at = cell(s, row, SACCT_TRES);
    double sum = 0.0, value = 0.0;
    int total = 0;
    while (*at != '\0') {
        const char *from = tres_value(at, "gres/gpu");
        const char *equal = strchr(at, '='), *comma = strchr(at, ',');
        if (from) {
            if (!tres_number(s, row, from, &width[JOBTRACE_GPUS])) return 0;
            total = 1;
        } else if (strncmp(at, typed, sizeof typed - 1) == 0 && equal &&
                   (!comma || equal < comma)) {
            if (!tres_number(s, row, equal + 1, &value)) return 0;
            sum += value;
        } else if ((from = tres_value(at, "cpu")) != NULL) {
            if (!tres_number(s, row, from, &width[JOBTRACE_PROCESSORS])) return 0;
        } else if ((from = tres_value(at, "node")) != NULL) {
            if (!tres_number(s, row, from, &width[JOBTRACE_NODES])) return 0;
        }
        if (!comma) break;
        at = comma + 1;
    }
    if (!total) width[JOBTRACE_GPUS] = sum;
    return 1;
}

static int read_width(sacct_log *s, size_t row, double width[JOBTRACE_WHATEVER])
{
    static const int which[] = {SACCT_CPUS, SACCT_NODES};
    static const jobtrace_unit unit[] = {JOBTRACE_PROCESSORS, JOBTRACE_NODES};
    size_t i;
    memset(width, 0, JOBTRACE_WHATEVER * sizeof *width);
    if (!read_tres(s, row, width)) return 0;
    for (i = 0; i < COUNT_OF(which); i++) {
        const char *text = cell(s, row, which[i]);
        if (width[unit[i]] > 0.0 || jobtrace_is_unknown(text)) continue;
        if (number_parse(text, NUMBER_NON_NEGATIVE, &width[unit[i]]) != NULL)
            return wrong_cell(s, row, which[i], "is no number of nodes or processors");
    }
    return 1;
}

/* ---- Rows ------------------------------------------------------------------ */

/* What a row says of its job, as if it were all of it. */
static int read_attempt(sacct_log *s, size_t row, sacct_job *job)
{
    static const char *const at_work[] = {
        "PENDING", "RUNNING", "SUSPENDED", "CONFIGURING", "COMPLETING", "STOPPED"
    };
    static const char *const goes_on[] = {
        "REQUEUED", "REQUEUE_HOLD", "REQUEUE_FED", "NODE_FAIL", "PREEMPTED", "BOOT_FAIL", "RESIZING"
    };
    const char *state = cell(s, row, SACCT_STATE);
    double end_s = 0.0;
    int submitted, ended;
    memset(job, 0, sizeof *job);
    job->line = csv_line(&s->table, row);
    if (!read_point(s, row, SACCT_SUBMIT, &job->submit_s, &submitted) ||
        !read_point(s, row, SACCT_START, &job->start_s, &job->started) ||
        !read_point(s, row, SACCT_END, &end_s, &ended) ||
        !read_length(s, row, SACCT_ELAPSED, SACCT_ELAPSED_RAW, 1.0, &job->run_s) ||
        !read_length(s, row, SACCT_LIMIT, SACCT_LIMIT_RAW, 60.0, &job->walltime_s) ||
        !read_width(s, row, job->width))
        return 0;
    job->requeued = state_is(state, goes_on, COUNT_OF(goes_on));
    job->open = !submitted || !job->started || state_is(state, at_work, COUNT_OF(at_work)) ||
                (s->column[SACCT_END] != CSV_NONE && !ended);
    if (job->open) job->run_s = 0.0;
    else if (ended) job->run_s = end_s > job->start_s ? end_s - job->start_s : 0.0;
    return 1;
}

/* A further component of a job: they run at once. */
static void join(sacct_job *to, const sacct_job *part)
{
    size_t i;
    for (i = 0; i < JOBTRACE_WHATEVER; i++) to->width[i] += part->width[i];
    if (part->run_s > to->run_s) to->run_s = part->run_s;
    to->open |= part->open;
}

/* A further attempt: of a job that still is at work the times are not known. */
static void go_on(sacct_job *to, const sacct_job *next)
{
    size_t i;
    if (next->submit_s < to->submit_s) to->submit_s = next->submit_s;
    if (next->started && (!to->started || next->start_s < to->start_s)) to->start_s = next->start_s;
    to->started |= next->started;
    for (i = 0; i < JOBTRACE_WHATEVER; i++)
        if (next->width[i] > to->width[i]) to->width[i] = next->width[i];
    if (next->walltime_s > to->walltime_s) to->walltime_s = next->walltime_s;
    to->run_s += next->run_s;
    to->open |= next->open;
    to->requeued = next->requeued;
}

static int read_row(sacct_log *s, size_t row)
{
    jobtrace *trace = s->reader->trace;
    const char *id = cell(s, row, SACCT_ID), *plus = strchr(id, '+');
    const size_t length = plus ? (size_t)(plus - id) : strlen(id);
    size_t number = 0, part = 0;
    int known, new_part = NAMES_KNOWN;
    sacct_job next, *job;
    if (strchr(id, '.')) { trace->steps++; return 1; }
    if (length == 0) return jobtrace_wrong(s->reader, csv_line(&s->table, row),
                                           "column '%s': no name", s->table.header[s->column[0]]);
    if (!read_attempt(s, row, &next)) return 0;
    if (plus) new_part = names_add(&s->parts, id, strlen(id), &part);
    known = names_add(&trace->names, id, length, &number);
    if (known == NAMES_FULL || new_part == NAMES_FULL)
        return jobtrace_wrong(s->reader, next.line, "out of memory");
    job = &s->job[number];
    if (known == NAMES_NEW) { *job = next; return 1; }
    if (new_part == NAMES_NEW) {
        trace->joined++;
        join(job, &next);
        return 1;
    }
    if (!job->requeued && !next.requeued)
        return jobtrace_wrong(s->reader, next.line, "column '%s': '%s' occurs twice, first in "
                              "line %lu, and was not requeued", s->table.header[s->column[0]], id,
                              (unsigned long)job->line);
    trace->requeued++;
    go_on(job, &next);
    return 1;
}

/* ---- All of them ----------------------------------------------------------- */

static int find_columns(sacct_log *s)
{
    const csv_table *t = &s->table;
    int i;
    for (i = 0; i < SACCT_COLUMNS; i++) s->column[i] = jobtrace_any_column(t, columns[i]);
    for (i = SACCT_ID; i <= SACCT_START; i++)
        if (s->column[i] == CSV_NONE)
            return jobtrace_wrong(s->reader, t->header_line, "no column '%s'", columns[i][0]);
    if (s->column[SACCT_END] == CSV_NONE && s->column[SACCT_ELAPSED] == CSV_NONE &&
        s->column[SACCT_ELAPSED_RAW] == CSV_NONE)
        return jobtrace_wrong(s->reader, t->header_line, "no column 'End', nor 'Elapsed'");
    if (s->column[SACCT_TRES] == CSV_NONE && s->column[SACCT_CPUS] == CSV_NONE &&
        s->column[SACCT_NODES] == CSV_NONE)
        return jobtrace_wrong(s->reader, t->header_line,
                              "no column 'AllocTRES', nor 'NCPUS' or 'NNodes'");
    return 1;
}

/* What counts as a node: GPUs where a job has some, or else processors. */
static jobtrace_unit unit_of(const sacct_log *s)
{
    const size_t jobs = s->reader->trace->names.count;
    int unit = JOBTRACE_GPUS;
    size_t i;
    if (s->reader->options->unit != JOBTRACE_WHATEVER) return s->reader->options->unit;
    for (; unit < JOBTRACE_NODES; unit++)
        for (i = 0; i < jobs; i++)
            if (s->job[i].width[unit] > 0.0) return (jobtrace_unit)unit;
    return JOBTRACE_NODES;
}

static int keep_jobs(sacct_log *s)
{
    static const char *const units[] = {"GPUs", "processors", "nodes"};
    jobtrace_reader *r = s->reader;
    const jobtrace_unit unit = unit_of(s);
    size_t i;
    int done = 1;
    r->trace->unit = units[unit];
    for (i = 0; done && i < r->trace->names.count; i++) {
        const sacct_job *from = &s->job[i];
        jobtrace_job job = {0};
        job.name = i;
        job.line = from->line;
        job.submit_s = from->submit_s;
        job.run_s = from->open ? 0.0 : from->run_s;
        job.wait_s = from->start_s >= from->submit_s ? from->start_s - from->submit_s : -1.0;
        job.walltime_s = from->walltime_s;
        done = jobtrace_whole_nodes(r, from->line, units[unit], from->width[unit], &job.nodes) &&
               jobtrace_keep(r, &job);
    }
    return done;
}

int jobtrace_read_sacct(jobtrace_reader *r)
{
    static const jobtrace_layout layout = {
        '|', 0, 0, ": is there a bar in a name? List the columns that are needed alone",
        "no bars between its columns: list the jobs by sacct -P"
    };
    sacct_log s;
    size_t row;
    int done;
    memset(&s, 0, sizeof s);
    s.reader = r;
    if (!jobtrace_table(r, r->text, &layout, &s.table)) return 0;
    done = find_columns(&s);
    s.job = (sacct_job *)malloc(s.table.rows * sizeof *s.job);
    if (!s.job) done = jobtrace_wrong(r, 1, "out of memory");
    for (row = 0; done && row < s.table.rows; row++) done = read_row(&s, row);
    if (done) done = keep_jobs(&s);
    csv_free(&s.table);
    names_free(&s.parts);
    free(s.job);
    return done;
}
