/* jobtrace_sacct.c - the jobs that Slurm's sacct -P lists
 *
 * A row is a job, an attempt of one that was put back into the queue, or a component of a
 * heterogeneous one, 12+1, all of which run at once; 12.batch and such are steps. */
#include "base/words.h"
#include "import/jobtrace_rows.h"

#include <string.h>

enum {
    SACCT_ID = 0, SACCT_SUBMIT, SACCT_START, SACCT_END, SACCT_ELAPSED, SACCT_ELAPSED_RAW,
    SACCT_STATE, SACCT_NODES, SACCT_CPUS, SACCT_TRES, SACCT_LIMIT, SACCT_LIMIT_RAW, SACCT_FIELDS
};

static const jobtrace_field fields[SACCT_FIELDS] = {
    [SACCT_ID] = {{"JobID", "JobIDRaw"}, JOBTRACE_REQUIRED, NULL},
    [SACCT_SUBMIT] = {{"Submit"}, JOBTRACE_REQUIRED, NULL},
    [SACCT_START] = {{"Start"}, JOBTRACE_REQUIRED, NULL},
    [SACCT_END] = {{"End"}, JOBTRACE_OPTIONAL, NULL},
    [SACCT_ELAPSED] = {{"Elapsed"}, JOBTRACE_OPTIONAL, NULL},
    [SACCT_ELAPSED_RAW] = {{"ElapsedRaw"}, JOBTRACE_OPTIONAL, NULL},
    [SACCT_STATE] = {{"State"}, JOBTRACE_OPTIONAL, NULL},
    [SACCT_NODES] = {{"NNodes", "AllocNodes", "ReqNodes"}, JOBTRACE_OPTIONAL, NULL},
    [SACCT_CPUS] = {{"AllocCPUS", "NCPUS", "ReqCPUS"}, JOBTRACE_OPTIONAL, NULL},
    [SACCT_TRES] = {{"AllocTRES", "ReqTRES"}, JOBTRACE_OPTIONAL, NULL},
    [SACCT_LIMIT] = {{"Timelimit"}, JOBTRACE_OPTIONAL, NULL},
    [SACCT_LIMIT_RAW] = {{"TimelimitRaw"}, JOBTRACE_OPTIONAL, NULL}
};

typedef struct sacct_job {
    size_t line;
    double submit_s, start_s, run_s, walltime_s;
    double width[JOBTRACE_WHATEVER];
    int    started, open, requeued; /* open: an attempt has no end                  */
} sacct_job;

/* ---- Cells ----------------------------------------------------------------- */

/* A point in time: 1; 0: there is none. */
static int read_point(const jobtrace_reader *r, size_t row, size_t which, double *at_s)
{
    const char *text = jobtrace_cell(r, row, which);
    if (jobtrace_is_unknown(text)) return 0;
    if (!jobtrace_stamp(text, at_s) && number_parse(text, NUMBER_NON_NEGATIVE, at_s) != NULL)
        jobtrace_fail_cell(r, row, which, "is not a time like 2020-06-09T18:41:01");
    return 1;
}

static int is_limitless(const char *text)
{
    static const char *const none[] = {"UNLIMITED", "Partition_Limit", "INVALID"};
    return words_find(none, COUNT_OF(none), text) < COUNT_OF(none);
}

/* A length of time; `raw`: the column of the same as a number of `scale` seconds. 0: none is
 * known. */
static double read_length(const jobtrace_reader *r, size_t row, size_t which, size_t raw,
                          double scale)
{
    const char *text = jobtrace_cell(r, row, which);
    double length_s = 0.0;
    if (is_limitless(text)) return 0.0;
    if (!jobtrace_is_unknown(text)) {
        if (jobtrace_clock(text, &length_s)) return length_s;
        jobtrace_fail_cell(r, row, which, "is not a time like 1-02:03:04");
    }
    text = jobtrace_cell(r, row, raw);
    if (is_limitless(text) || jobtrace_is_unknown(text)) return 0.0;
    if (number_parse(text, NUMBER_NON_NEGATIVE, &length_s) != NULL)
        jobtrace_fail_cell(r, row, raw, "is not a positive number");
    return length_s * scale;
}

/* The state of a row, without what stands behind it: "CANCELLED by 123". */
static int state_is(const char *state, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const size_t length = strlen(names[i]);
        if (strncmp(state, names[i], length) == 0 && strchr(" +", state[length])) return 1;
    }
    return 0;
}

/* ---- How wide a job is ----------------------------------------------------- */

/* A number of "cpu=8,gres/gpu:a100=2". */
static double tres_number(const jobtrace_reader *r, size_t row, const char *from)
{
    char digits[32];
    double value = 0.0;
    const size_t length = strcspn(from, ",");
    if (length >= sizeof digits)
        jobtrace_fail_cell(r, row, SACCT_TRES, "has a number that is too long");
    memcpy(digits, from, length);
    digits[length] = '\0';
    if (number_parse(digits, NUMBER_NON_NEGATIVE, &value) != NULL)
        jobtrace_fail_cell(r, row, SACCT_TRES, "has no number after the =");
    return value;
}

/* "cpu=8,gres/gpu=2,gres/gpu:a100=2": of GPUs the total, or the sum of what has a type. */
static void read_tres(const jobtrace_reader *r, size_t row, double width[JOBTRACE_WHATEVER])
{
    static const char typed[] = "gres/gpu:";
    static const char *const totals[JOBTRACE_WHATEVER] = {
        [JOBTRACE_GPUS] = "gres/gpu=", [JOBTRACE_PROCESSORS] = "cpu=", [JOBTRACE_NODES] = "node="
    };
    const char *at = jobtrace_cell(r, row, SACCT_TRES);
    double sum = 0.0;
    int total = 0;
    while (*at != '\0') {
        const char *equal = strchr(at, '='), *comma = strchr(at, ',');
        for (size_t i = 0; i < JOBTRACE_WHATEVER; i++) {
            if (strncmp(at, totals[i], strlen(totals[i])) != 0) continue;
            width[i] = tres_number(r, row, equal + 1);
            total |= i == JOBTRACE_GPUS;
        }
        if (strncmp(at, typed, sizeof typed - 1) == 0 && equal && (!comma || equal < comma))
            sum += tres_number(r, row, equal + 1);
        if (!comma) break;
        at = comma + 1;
    }
    if (!total) width[JOBTRACE_GPUS] = sum;
}

static void read_width(const jobtrace_reader *r, size_t row, double width[JOBTRACE_WHATEVER])
{
    static const struct { size_t which; jobtrace_unit unit; } columns[] = {
        {SACCT_CPUS, JOBTRACE_PROCESSORS}, {SACCT_NODES, JOBTRACE_NODES}
    };
    read_tres(r, row, width);
    for (size_t i = 0; i < COUNT_OF(columns); i++) {
        const char *text = jobtrace_cell(r, row, columns[i].which);
        double *to = &width[columns[i].unit];
        if (*to > 0.0 || jobtrace_is_unknown(text)) continue;
        if (number_parse(text, NUMBER_NON_NEGATIVE, to) != NULL)
            jobtrace_fail_cell(r, row, columns[i].which, "is not a number of nodes or processors");
    }
}

/* ---- Rows ------------------------------------------------------------------ */

/* What a row says of its job, as if it were all of it. */
static sacct_job read_attempt(const jobtrace_reader *r, size_t row)
{
    static const char *const at_work[] = {
        "PENDING", "RUNNING", "SUSPENDED", "CONFIGURING", "COMPLETING", "STOPPED"
    };
    static const char *const goes_on[] = {
        "REQUEUED", "REQUEUE_HOLD", "REQUEUE_FED", "NODE_FAIL", "PREEMPTED", "BOOT_FAIL", "RESIZING"
    };
    const char *state = jobtrace_cell(r, row, SACCT_STATE);
    sacct_job job = {.line = csv_line(&r->in->csv, row)};
    double end_s = 0.0;
    const int submitted = read_point(r, row, SACCT_SUBMIT, &job.submit_s);
    job.started = read_point(r, row, SACCT_START, &job.start_s);
    int ended = read_point(r, row, SACCT_END, &end_s);
    job.run_s = read_length(r, row, SACCT_ELAPSED, SACCT_ELAPSED_RAW, 1.0);
    job.walltime_s = read_length(r, row, SACCT_LIMIT, SACCT_LIMIT_RAW, 60.0);
    read_width(r, row, job.width);
    job.requeued = state_is(state, goes_on, COUNT_OF(goes_on));
    job.open = !submitted || !job.started || state_is(state, at_work, COUNT_OF(at_work)) ||
               (jobtrace_has(r, SACCT_END) && !ended);
    if (job.open) job.run_s = 0.0;
    else if (ended) job.run_s = end_s > job.start_s ? end_s - job.start_s : 0.0;
    return job;
}

/* A further component of a job: they run at once. */
static void join(sacct_job *to, const sacct_job *part)
{
    for (size_t i = 0; i < JOBTRACE_WHATEVER; i++) to->width[i] += part->width[i];
    if (part->run_s > to->run_s) to->run_s = part->run_s;
    to->open |= part->open;
}

/* A further attempt: of a job that still is at work the times are not known. */
static void go_on(sacct_job *to, const sacct_job *next)
{
    if (next->submit_s < to->submit_s) to->submit_s = next->submit_s;
    if (next->started && (!to->started || next->start_s < to->start_s)) to->start_s = next->start_s;
    to->started |= next->started;
    for (size_t i = 0; i < JOBTRACE_WHATEVER; i++)
        if (next->width[i] > to->width[i]) to->width[i] = next->width[i];
    if (next->walltime_s > to->walltime_s) to->walltime_s = next->walltime_s;
    to->run_s += next->run_s;
    to->open |= next->open;
    to->requeued = next->requeued;
}

/* job[names.count of the trace] */
static void read_row(jobtrace_reader *r, size_t row, sacct_job *job)
{
    const char *id = jobtrace_cell(r, row, SACCT_ID), *plus = strchr(id, '+');
    const char *column = r->in->name[SACCT_ID];
    const size_t length = plus ? (size_t)(plus - id) : strlen(id);
    size_t number = 0, component = 0;
    int known, new_component = NAMES_KNOWN;
    if (strchr(id, '.')) { r->trace->steps++; return; }
    if (length == 0)
        jobtrace_fail(r, csv_line(&r->in->csv, row), "column '%s': the name is empty", column);
    sacct_job next = read_attempt(r, row);
    if (plus) new_component = names_add(&r->components, id, strlen(id), &component);
    known = names_add(&r->trace->names, id, length, &number);
    if (known == NAMES_FULL || new_component == NAMES_FULL)
        jobtrace_fail(r, next.line, "out of memory");
    job += number;
    if (known == NAMES_NEW) {
        *job = next;
    } else if (new_component == NAMES_NEW) {
        r->trace->joined++;
        join(job, &next);
    } else if (job->requeued || next.requeued) {
        r->trace->requeued++;
        go_on(job, &next);
    } else {
        jobtrace_fail(r, next.line, "column '%s': '%s' occurs twice, first in line %lu, and was "
                      "not requeued", column, id, (unsigned long)job->line);
    }
}

/* ---- All of them ----------------------------------------------------------- */

static void check_columns(const jobtrace_reader *r)
{
    const size_t line = r->in->csv.header_line;
    if (!jobtrace_has(r, SACCT_END) && !jobtrace_has(r, SACCT_ELAPSED) &&
        !jobtrace_has(r, SACCT_ELAPSED_RAW))
        jobtrace_fail(r, line, "column 'End' or 'Elapsed' is missing");
    if (!jobtrace_has(r, SACCT_TRES) && !jobtrace_has(r, SACCT_CPUS) &&
        !jobtrace_has(r, SACCT_NODES))
        jobtrace_fail(r, line, "column 'AllocTRES', 'NCPUS' or 'NNodes' is missing");
}

/* What counts as a node: GPUs where a job has some, or else processors. */
static jobtrace_unit unit_of(const jobtrace_reader *r, const sacct_job *job)
{
    int unit = JOBTRACE_GPUS;
    if (r->options->unit != JOBTRACE_WHATEVER) return r->options->unit;
    for (; unit < JOBTRACE_NODES; unit++)
        for (size_t i = 0; i < r->trace->names.count; i++)
            if (job[i].width[unit] > 0.0) return (jobtrace_unit)unit;
    return JOBTRACE_NODES;
}

static void keep_jobs(jobtrace_reader *r, const sacct_job *from)
{
    static const char *const units[] = {"GPUs", "processors", "nodes"};
    const jobtrace_unit unit = unit_of(r, from);
    r->trace->unit = units[unit];
    for (size_t i = 0; i < r->trace->names.count; i++, from++) {
        jobtrace_job job = {.name = i, .line = from->line, .submit_s = from->submit_s,
                            .walltime_s = from->walltime_s};
        job.run_s = from->open ? 0.0 : from->run_s;
        job.wait_s = from->start_s >= from->submit_s ? from->start_s - from->submit_s : -1.0;
        job.nodes = jobtrace_whole_nodes(r, from->line, units[unit], from->width[unit]);
        jobtrace_keep(r, &job);
    }
}

void jobtrace_read_sacct(jobtrace_reader *r)
{
    static const csv_layout layout = {
        '|', 0, 0, ": is there a bar in a name? List the columns that are needed alone",
        "the columns are not separated by bars: list the jobs by sacct -P"
    };
    jobtrace_load(r, r->text);
    jobtrace_open(r, &layout, fields, SACCT_FIELDS);
    check_columns(r);
    sacct_job *job = tool_alloc(r->in->csv.rows, sizeof *job);
    for (size_t row = 0; row < r->in->csv.rows; row++) read_row(r, row, job);
    keep_jobs(r, job);
    tool_free(job);
}
