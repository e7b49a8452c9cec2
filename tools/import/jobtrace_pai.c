/* jobtrace_pai.c - the job trace of Alibaba's PAI, CSV in two tables */
#include "import/import.h"
#include "import/jobtrace_rows.h"

#include <string.h>

/* A job, put together from its tasks. */
typedef struct pai_job {
    size_t line;
    double gpus, start_s, end_s, submit_s;
    int    open, submitted;   /* a task without an end; submit_s is known           */
} pai_job;

enum { TASK_JOB = 0, TASK_NAME, TASK_COUNT, TASK_STATUS, TASK_START, TASK_END, TASK_CPU,
       TASK_MEMORY, TASK_GPU, TASK_GPU_TYPE, TASK_FIELDS };
enum { JOB_NAME = 0, JOB_INSTANCE, JOB_USER, JOB_STATUS, JOB_START, JOB_END, JOB_FIELDS };

/* All that the tables have, in their order. */
static const jobtrace_field tasks[TASK_FIELDS] = {
    [TASK_JOB] = {{"job_name"}, JOBTRACE_REQUIRED, NULL},
    [TASK_NAME] = {{"task_name"}, JOBTRACE_REQUIRED, NULL},
    [TASK_COUNT] = {{"inst_num"}, JOBTRACE_REQUIRED, jobtrace_is_none},
    [TASK_STATUS] = {{"status"}, JOBTRACE_OPTIONAL, NULL},
    [TASK_START] = {{"start_time"}, JOBTRACE_REQUIRED, jobtrace_is_none},
    [TASK_END] = {{"end_time"}, JOBTRACE_REQUIRED, jobtrace_is_none},
    [TASK_CPU] = {{"plan_cpu"}, JOBTRACE_OPTIONAL, NULL},
    [TASK_MEMORY] = {{"plan_mem"}, JOBTRACE_OPTIONAL, NULL},
    [TASK_GPU] = {{"plan_gpu"}, JOBTRACE_REQUIRED, jobtrace_is_none},
    [TASK_GPU_TYPE] = {{"gpu_type"}, JOBTRACE_OPTIONAL, NULL}
};
static const jobtrace_field jobs[JOB_FIELDS] = {
    [JOB_NAME] = {{"job_name"}, JOBTRACE_REQUIRED, NULL},
    [JOB_INSTANCE] = {{"inst_id"}, JOBTRACE_OPTIONAL, NULL},
    [JOB_USER] = {{"user"}, JOBTRACE_OPTIONAL, NULL},
    [JOB_STATUS] = {{"status"}, JOBTRACE_OPTIONAL, NULL},
    [JOB_START] = {{"start_time"}, JOBTRACE_REQUIRED, jobtrace_is_none},
    [JOB_END] = {{"end_time"}, JOBTRACE_OPTIONAL, NULL}
};

/* The published tables have no header. */
static void open_table(jobtrace_reader *r, stream *text, const jobtrace_field *field,
                       size_t fields)
{
    csv_layout layout = csv_commas;
    size_t from = 0, first = 0;
    jobtrace_load(r, text);
    while (from < r->length && strchr("\r\n", r->data[from])) from++;
    while (from + first < r->length && r->data[from + first] != '\n') first++;
    if (!import_has(r->data + from, first, field[0].name[0])) layout.flags = CSV_NO_HEADER;
    jobtrace_open(r, &layout, field, fields);
}

/* Adds a row of the table of tasks to its job. */
static void read_task(const jobtrace_reader *r, size_t row, pai_job *job)
{
    double instances = 1.0, percent = 0.0, start_s = 0.0, end_s = 0.0;
    (void)jobtrace_number(r, row, TASK_COUNT, NUMBER_NON_NEGATIVE, &instances);
    (void)jobtrace_number(r, row, TASK_GPU, NUMBER_NON_NEGATIVE, &percent);
    int started = jobtrace_number(r, row, TASK_START, NUMBER_ANY, &start_s);
    int ended = jobtrace_number(r, row, TASK_END, NUMBER_ANY, &end_s);
    if (job->line == 0) job->line = csv_line(&r->in->csv, row);
    if (!(instances * percent > 0.0)) return;
    if (!started || !ended) job->open = 1;
    else {
        if (!(job->gpus > 0.0) || start_s < job->start_s) job->start_s = start_s;
        if (!(job->gpus > 0.0) || end_s > job->end_s) job->end_s = end_s;
    }
    job->gpus += instances * percent / 100.0;
}

/* When the jobs were submitted, from the table of jobs. */
static void read_submits(jobtrace_reader *r, pai_job *job)
{
    open_table(r, r->options->submits, jobs, JOB_FIELDS);
    for (size_t row = 0; row < r->in->csv.rows; row++) {
        const size_t j = names_find(&r->trace->names, jobtrace_cell(r, row, JOB_NAME));
        double submit_s = 0.0;
        const int known = jobtrace_number(r, row, JOB_START, NUMBER_ANY, &submit_s);
        if (!known || j == r->trace->names.count) continue;
        if (job[j].submitted) jobtrace_fail_cell(r, row, JOB_NAME, "occurs twice");
        job[j].submitted = 1;
        job[j].submit_s = submit_s;
    }
}

static void keep_job(jobtrace_reader *r, const pai_job *from, size_t name)
{
    const int submits = r->options->submits != NULL;
    const int known = !from->open && (from->submitted || !submits);
    jobtrace_job job = {.name = name, .line = from->line};
    job.nodes = jobtrace_whole_nodes(r, from->line, "plan_gpu", from->gpus);
    /* What needs no GPU has no times here. */
    job.run_s = !known ? 0.0 : job.nodes == 0 ? 1.0 : from->end_s - from->start_s;
    job.submit_s = submits ? from->submit_s : from->start_s;
    job.wait_s = submits && from->start_s >= from->submit_s ? from->start_s - from->submit_s
                                                            : -1.0;
    jobtrace_keep(r, &job);
}

void jobtrace_read_pai(jobtrace_reader *r)
{
    const name_index *names = &r->trace->names;
    size_t j;
    open_table(r, r->text, tasks, TASK_FIELDS);
    pai_job *job = tool_alloc(r->in->csv.rows, sizeof *job);
    for (size_t row = 0; row < r->in->csv.rows; row++) {
        const char *text = jobtrace_cell(r, row, TASK_JOB);
        const size_t line = csv_line(&r->in->csv, row);
        if (*text == '\0') jobtrace_fail(r, line, "column '%s': the name is empty",
                                         r->in->name[TASK_JOB]);
        if (names_add(&r->trace->names, text, strlen(text), &j) == NAMES_FULL)
            jobtrace_fail(r, line, "out of memory");
        read_task(r, row, &job[j]);
    }
    if (r->options->submits) read_submits(r, job);
    r->file = r->text->name;
    for (j = 0; j < names->count; j++) keep_job(r, &job[j], j);
    tool_free(job);
}
