/* jobtrace_pai.c - the job trace of Alibaba's PAI, CSV in two tables */
#include "base/words.h"
#include "import/jobtrace_rows.h"

#include <stdlib.h>
#include <string.h>

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
static int pai_table(jobtrace_reader *r, const jobtrace_text *text, const char *const *all,
                     size_t all_count, const char *const *wanted, size_t count, csv_table *t,
                     int *column)
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
        done = jobtrace_find_columns(r, t, wanted, column, count);
    } else {
        done = (size_t)t->columns == all_count;
        if (!done)
            jobtrace_wrong(r, csv_line(t, 0), "%d column%s and no header, the table has %lu",
                           t->columns, t->columns == 1 ? "" : "s", (unsigned long)all_count);
        for (i = 0; i < count; i++) column[i] = (int)words_find(all, all_count, wanted[i]);
    }
    if (!done) csv_free(t);
    return done;
}

/* An empty cell leaves *value as it is. */
static int pai_number(jobtrace_reader *r, const csv_table *t, size_t row, int column,
                      const char *name, number_rule rule, double *value)
{
    const char *text = csv_text(t, row, column);
    return jobtrace_is_none(text, strlen(text)) ||
           jobtrace_number(r, csv_line(t, row), name, text, rule, value);
}

/* Adds a row of the table of tasks to its job. */
static int pai_task(jobtrace_reader *r, const csv_table *t, size_t row, const char *const *name,
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
    if (jobtrace_is_none(start, strlen(start)) || jobtrace_is_none(end, strlen(end))) job->open = 1;
    else {
        if (!(job->gpus > 0.0) || start_s < job->start_s) job->start_s = start_s;
        if (!(job->gpus > 0.0) || end_s > job->end_s) job->end_s = end_s;
    }
    job->gpus += instances * percent / 100.0;
    return 1;
}

/* When the jobs were submitted, from the table of jobs. */
static int pai_submits(jobtrace_reader *r, const jobtrace_text *text, pai_job *job)
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
        if (!done || j == r->trace->names.count || jobtrace_is_none(start, strlen(start))) continue;
        if (job[j].submitted)
            done = jobtrace_wrong(r, csv_line(&t, row), "column '%s': '%s' occurs twice", name[0],
                                  text_of);
        job[j].submitted = 1;
        job[j].submit_s = submit_s;
    }
    csv_free(&t);
    return done;
}

static int pai_keep(jobtrace_reader *r, const pai_job *from, size_t name, int submits)
{
    jobtrace_job job = {0};
    const int known = !from->open && (from->submitted || !submits);
    job.name = name;
    job.line = from->line;
    if (!jobtrace_whole_nodes(r, from->line, "plan_gpu", from->gpus, &job.nodes)) return 0;
    /* What needs no GPU has no times here. */
    job.run_s = !known ? 0.0 : job.nodes == 0 ? 1.0 : from->end_s - from->start_s;
    job.submit_s = submits ? from->submit_s : from->start_s;
    job.wait_s = submits && from->start_s >= from->submit_s ? from->start_s - from->submit_s
                                                            : -1.0;
    return jobtrace_keep(r, &job);
}

int jobtrace_read_pai(jobtrace_reader *r)
{
    const jobtrace_text *submits = r->options->submits;
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
    if (!job) done = jobtrace_wrong(r, 1, "out of memory");
    for (row = 0; done && row < t.rows; row++) {
        const char *text = csv_text(&t, row, column[0]);
        if (*text == '\0')
            done = jobtrace_wrong(r, csv_line(&t, row), "column '%s': no name", name[0]);
        else if (names_add(&r->trace->names, text, strlen(text), &j) == NAMES_FULL)
            done = jobtrace_wrong(r, csv_line(&t, row), "out of memory");
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
