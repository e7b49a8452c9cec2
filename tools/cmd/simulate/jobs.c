/* jobs.c - sgdperf simulate --jobs: jobs unlike each other that share the links */
#include "base/names.h"
#include "cmd/simulate/simulate.h"

#include <string.h>

/* ---- The table of jobs ------------------------------------------------------ */

typedef struct job_columns { int name, trace, mode, workers, staleness; } job_columns;

/* The steps by which workers may lead: see sgdsim_workers. */
static uint32_t read_lead(const csv_table *t, size_t row, int column, train_mode mode)
{
    if (csv_is_empty(t, row, column)) return mode == MODE_ASYNC ? UINT32_MAX : 0;
    if (mode != MODE_ASYNC)
        csv_fail(t, row, column, "%s, but mode %s has a barrier after each step: leave the cell "
                 "empty", csv_text(t, row, column), mode_words[mode]);
    return (uint32_t)csv_integer(t, row, column, 0, UINT32_MAX - 1);
}

/* A further row of a job, the one before it being of the same. */
static void check_row(const csv_table *t, size_t row, const job_columns *at, const sim_job *job,
                      train_mode mode, uint32_t lead)
{
    if (mode != job->mode)
        csv_fail(t, row, at->mode, "'%s', but job '%s' has mode %s in line %lu", mode_words[mode],
                 job->name, mode_words[job->mode], (unsigned long)csv_line(t, row - 1));
    if (mode == MODE_ALLREDUCE)
        csv_fail(t, row, at->name, "an all-reduce job has one row: '%s' has more", job->name);
    if (lead != job->lead)
        csv_fail(t, row, at->staleness, "'%s' differs from that of line %lu of the same job",
                 csv_text(t, row, at->staleness), (unsigned long)csv_line(t, row - 1));
}

/* Takes a row into `set`: a type of workers, of the last job or of a new one. */
static void take_row(sim_jobs *set, name_index *names, const csv_table *t, size_t row,
                     const job_columns *at)
{
    const char *name = csv_text(t, row, at->name);
    const train_mode mode = (train_mode)csv_choice(t, row, at->mode, mode_words, MODE_COUNT);
    const uint32_t workers = (uint32_t)csv_integer(t, row, at->workers, 1, UINT32_MAX);
    const uint32_t lead = read_lead(t, row, at->staleness, mode);
    size_t number;
    if (*name == '\0') csv_fail(t, row, at->name, "the cell is empty");
    if (names_add(names, name, strlen(name), &number) == NAMES_NEW) {
        sim_job *job = &set->job[set->jobs++];
        *job = (sim_job){.name = name, .mode = mode, .lead = lead, .first = row};
    } else if (number + 1 < set->jobs) {
        csv_fail(t, row, at->name, "rows of job '%s' have another job between them", name);
    } else {
        check_row(t, row, at, &set->job[number], mode, lead);
    }
    sim_job *job = &set->job[number];
    job->types++;
    if (workers > UINT32_MAX - job->workers)
        csv_fail(t, row, at->workers, "%s is too large: the rows above already have %lu workers",
                 csv_text(t, row, at->workers), (unsigned long)job->workers);
    job->workers += workers;
    set->of[row] = (uint32_t)number;
    set->lead[number] = lead;
    set->count[row] = mode == MODE_ALLREDUCE ? 1 : workers;
}

sim_jobs *jobs_read(args *a)
{
    const char *path = args_text(a, OPTION_JOBS, NULL);
    if (!path) return NULL;
    if (a->file_count > 0)
        tool_fail("simulate: '%s' is one argument too many beside %s", a->files[0], NAME_OF(JOBS));
    const csv_table *t = csv_read(path, 0);
    CSV_REQUIRE(t, "job", "trace", "mode", "workers");
    const job_columns at = {csv_require(t, "job"), csv_require(t, "trace"),
                            csv_require(t, "mode"), csv_require(t, "workers"),
                            csv_column(t, "staleness")};
    sim_jobs *set = (sim_jobs *)tool_alloc(1, sizeof *set);
    name_index names = {0};
    set->job = (sim_job *)tool_alloc(t->rows, sizeof *set->job);
    set->of = (uint32_t *)tool_alloc(t->rows, sizeof *set->of);
    set->lead = (uint32_t *)tool_alloc(t->rows, sizeof *set->lead);
    set->count = (uint32_t *)tool_alloc(t->rows, sizeof *set->count);
    a->files = (char **)tool_alloc(t->rows, sizeof *a->files);
    for (size_t i = 0; i < t->rows; i++) {
        take_row(set, &names, t, i, &at);
        if (csv_is_empty(t, i, at.trace)) csv_fail(t, i, at.trace, "the cell is empty");
        const char *file = csv_text(t, i, at.trace), *obstacle = file_obstacle(file);
        if (obstacle) csv_fail(t, i, at.trace, "'%s': %s", file, obstacle);
        a->files[i] = strcpy((char *)tool_alloc(strlen(file) + 1, 1), file);
    }
    a->file_count = t->rows;
    names_free(&names);
    return set;
}

/* ---- What runs --------------------------------------------------------------- */

/* Workers of the simulator: of an all-reduce one, which stands for all. */
static uint32_t run_workers(const sim_jobs *set, size_t job)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < set->job[job].types; i++) sum += set->count[set->job[job].first + i];
    return sum;
}

/* The default covers five steps of each worker, if that many are run. */
static void set_warmup(simulation *s)
{
    const sim_jobs *set = s->jobs;
    sgdsim_length *length = &s->config.length;
    uint64_t least = UINT64_MAX, most = 0;
    for (size_t j = 0; j < set->jobs; j++) {
        const uint64_t workers = run_workers(set, j);
        if (workers < least) least = workers;
        if (workers > most) most = workers;
    }
    if (!s->warmup_given && 5 * most > length->warmup) length->warmup = 5 * most;
    if (length->warmup >= least * length->steps)
        args_fail(OPTION_WARMUP, NULL, "a job completes %lu steps, but the first %lu do not "
                  "count%s: give a smaller number, or more %s",
                  (unsigned long)(least * length->steps), (unsigned long)length->warmup,
                  s->warmup_given ? "" : " by default", NAME_OF(STEPS));
}

int jobs_have_rings(const sim_jobs *set)
{
    for (size_t j = 0; j < set->jobs; j++)
        if (set->job[j].mode == MODE_ALLREDUCE) return 1;
    return 0;
}

void jobs_workers(simulation *s)
{
    const sim_jobs *set = s->jobs;
    sgdsim_workers *w = &s->config.workers;
    uint64_t sum = 0;
    for (size_t j = 0; j < set->jobs; j++) {
        sum += run_workers(set, j);
        w->types += set->job[j].types;
    }
    if (sum > UINT32_MAX) args_fail(OPTION_JOBS, NULL, "has too many workers");
    s->workers = (uint32_t)sum;
    w->count = set->count;
    w->job = set->of;
    w->lead = set->lead;
    w->accelerators = 1;
    s->points = 1 + set->jobs;
    set_warmup(s);
    if (!s->config.links.delay_s) return;
    double *delay_s = (double *)tool_alloc(w->types, sizeof *delay_s);
    for (size_t i = 0; i < w->types; i++) {                /* messages follow each other */
        const sim_job *job = &set->job[set->of[i]];
        const double messages = job->mode == MODE_ALLREDUCE ? 2.0 * (job->workers - 1.0) : 1.0;
        delay_s[i] = s->config.links.delay_s[i] * messages;
    }
    s->config.links.delay_s = delay_s;
}

void jobs_alone(simulation *point, size_t job)
{
    const sim_job *of = &point->jobs->job[job];
    sgdsim_workers *w = &point->config.workers;
    w->types = of->types;
    w->trace += of->first;
    w->count += of->first;
    w->job = NULL;
    w->lead += job;
    point->traces += of->first;
    if (point->config.links.delay_s) point->config.links.delay_s += of->first;
    if (point->config.links.worker_bandwidth_bytes_per_s)
        point->config.links.worker_bandwidth_bytes_per_s += of->first;
    point->workers = run_workers(point->jobs, job);
}

/* ---- Rings -------------------------------------------------------------------- */

/* Ops of a ring's step on one machine's link: what an uplink sends also comes in, by a downlink
 * behind the ops of the trace. twin[i]: its number; 0: op i is no uplink. */
static size_t number_twins(const sgdsim_step *step, uint32_t *twin, size_t *waits)
{
    size_t ops = step->ops;
    *waits = 0;
    for (size_t i = 0; i < step->ops; i++) {
        twin[i] = step->op[i].resource == SGDSIM_UPLINK ? (uint32_t)ops++ : 0;
        *waits += 4 * step->op[i].waits;
    }
    return ops;
}

static sgdsim_step ring_step(const sgdsim_step *step, double factor)
{
    uint32_t *twin = (uint32_t *)tool_alloc(step->ops, sizeof *twin);
    size_t waits, ops = number_twins(step, twin, &waits);
    sgdsim_op *op = (sgdsim_op *)tool_alloc(ops, sizeof *op);
    uint32_t *at = (uint32_t *)tool_alloc(waits, sizeof *at);
    for (size_t i = 0; i < step->ops; i++) {
        op[i] = step->op[i];
        op[i].waits_for = at;
        for (size_t k = 0; k < step->op[i].waits; k++) {
            const uint32_t before = step->op[i].waits_for[k];
            *at++ = before;
            if (twin[before]) *at++ = twin[before];
        }
        op[i].waits = (size_t)(at - op[i].waits_for);
        op[i].bytes *= op[i].resource == SGDSIM_UPLINK ? factor : 0.0;
        if (!twin[i]) continue;
        op[twin[i]] = op[i];
        op[twin[i]].resource = SGDSIM_DOWNLINK;
    }
    for (size_t i = step->ops; i < ops; i++) {                /* one after the other */
        op[i].waits_for = (const uint32_t *)memcpy(at, op[i].waits_for,
                                                   op[i].waits * sizeof *at);
        at += op[i].waits;
    }
    tool_free(twin);
    return (sgdsim_step){.op = op, .ops = ops};
}

size_t jobs_op(const sgdsim_step *step, size_t i)
{
    size_t rank = i - step->ops, op = 0;
    if (i < step->ops) return i;
    for (; op + 1 < step->ops; op++)
        if (step->op[op].resource == SGDSIM_UPLINK && rank-- == 0) break;
    return op;
}

sgdsim_trace jobs_trace(const sim_jobs *set, size_t type, const sgdsim_trace *trace)
{
    const sim_job *job = &set->job[set->of[type]];
    if (job->mode != MODE_ALLREDUCE) return *trace;
    sgdsim_step *step = (sgdsim_step *)tool_alloc(trace->steps, sizeof *step);
    for (size_t k = 0; k < trace->steps; k++)
        step[k] = ring_step(&trace->step[k], 2.0 * (job->workers - 1.0) / job->workers);
    return (sgdsim_trace){.step = step, .steps = trace->steps};
}

/* ---- Results ------------------------------------------------------------------ */

/* Workers that one of the simulator stands for. */
static double stands_for(const sim_job *job)
{
    return job->mode == MODE_ALLREDUCE ? job->workers : 1.0;
}

/* A row a job: with the others, and alone in the point behind. */
void jobs_print(columns *t, const simulation *point)
{
    for (size_t j = 0; j < point->jobs->jobs; j++) {
        const sim_job *job = &point->jobs->job[j];
        const double rate = point->job_batches_per_s[j] * stands_for(job);
        const double half = point->job_ci95_half_width[j] * stands_for(job);
        const double alone = point[1 + j].batches_per_s * stands_for(job);
        columns_row(t);
        column_text(t, ALL, "job", job->name);
        column_text(t, ALL, "mode", mode_words[job->mode]);
        column_whole(t, ALL, "workers", job->workers);
        column_number(t, ALL, "batches_per_s", rate);
        column_round(t, TABLES, "ci95_half_width", 3, half);
        column_number(t, JSON, "ci95_half_width", half);
        column_number(t, ALL, "step_s", job->workers / rate);
        column_number(t, ALL, "alone_batches_per_s", alone);
        column_round(t, ALL, "slowdown", 4, alone / rate);
    }
}
