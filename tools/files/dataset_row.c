/* dataset_row.c - one row of a file of measured rows */
#include "files/dataset_row.h"


#include <stddef.h>
#include <stdio.h>
#include <string.h>

const char *const dataset_role_names[ROLE_COUNT] = {"", "fit", "score"};
const char *const dataset_fit_names[FIT_COUNT] = {
    "", "server", "bandwidth", "latency", "threshold"
};

enum {
    DATASET_MOST_WORKERS = 1000000, /* more make the exact models slow               */
    DATASET_MOST_STEPS = 1000000
};

static const char *const inputs_names[] = {"", "measured", "declared"};

/* ---- Columns --------------------------------------------------------------- */

#define IN_JOB(field) offsetof(sgdp_job, field)
static const struct {
    const char *name;
    number_rule rule;
    int         required;     /* the column, not the cell                           */
    size_t      place;        /* of its double in a job                             */
} numbers[NUMBERS] = {
    {"forward_s",                    NUMBER_NON_NEGATIVE, 1, IN_JOB(forward_s)},
    {"backward_s",                   NUMBER_NON_NEGATIVE, 1, IN_JOB(backward_s)},
    {"update_s",                     NUMBER_NON_NEGATIVE, 1, IN_JOB(update_s)},
    {"model_bytes",                  NUMBER_NON_NEGATIVE, 1, IN_JOB(model_bytes)},
    {"bandwidth_bytes_per_s",        NUMBER_POSITIVE,     1, IN_JOB(bandwidth_bytes_per_s)},
    {"batch",                        NUMBER_POSITIVE,     1, IN_JOB(batch)},
    {"one_worker_step_s",            NUMBER_POSITIVE,     0, IN_JOB(one_worker_step_s)},
    {"uplink_s",                     NUMBER_NON_NEGATIVE, 0, IN_JOB(uplink_s)},
    {"downlink_s",                   NUMBER_NON_NEGATIVE, 0, IN_JOB(downlink_s)},
    {"latency_s",                    NUMBER_NON_NEGATIVE, 0, IN_JOB(latency_s)},
    {"flow_cap_bytes_per_s",         NUMBER_POSITIVE,     0, IN_JOB(flow_cap_bytes_per_s)},
    {"local_bandwidth_bytes_per_s",  NUMBER_POSITIVE,     0, IN_JOB(local_bandwidth_bytes_per_s)},
    {"worker_bandwidth_bytes_per_s", NUMBER_POSITIVE,     0, IN_JOB(worker_bandwidth_bytes_per_s)},
    {"delay_s",                      NUMBER_NON_NEGATIVE, 0, IN_JOB(delay_s)},
    {"port_buffer_bytes",            NUMBER_POSITIVE,     0, IN_JOB(port_buffer_bytes)},
    {"compute_cv",                   NUMBER_NON_NEGATIVE, 0, IN_JOB(vary.cv)},
};
#undef IN_JOB

dataset_columns dataset_find_columns(const csv_table *t)
{
    dataset_columns c;
    int key[2];
    size_t i;
    c.file = t;
    c.dataset = csv_require(t, "dataset");
    c.point = csv_require(t, "point");
    c.mode = csv_require(t, "mode");
    c.workers = csv_require(t, "workers");
    c.servers = csv_require(t, "servers");
    c.overlap = csv_require(t, "overlap");
    c.measured = csv_require(t, "batches_per_s");
    c.fit = csv_column(t, "fit");
    c.group = csv_column(t, "group");
    c.role = csv_column(t, "role");
    c.gpus = csv_column(t, "gpus");
    c.types = csv_column(t, "worker_types");
    c.layers = csv_column(t, "layers");
    c.inputs = csv_column(t, "inputs");
    c.pool = csv_column(t, "pool");
    c.curve = csv_column(t, "curve");
    c.steps = csv_column(t, "steps");
    for (i = 0; i < NUMBERS; i++)
        c.number[i] = numbers[i].required ? csv_require(t, numbers[i].name)
                                          : csv_column(t, numbers[i].name);
    key[0] = c.point;
    key[1] = c.dataset;
    csv_unique(t, key, COUNT_OF(key));
    return c;
}

/* The index of a cell's word, 0 for an empty cell; words[0] is "". */
static size_t choice_or_none(const csv_table *t, size_t row, int column,
                             const char *const *words, size_t count)
{
    return csv_is_empty(t, row, column) ? 0
                                        : csv_choice(t, row, column, words + 1, count - 1) + 1;
}

/* ---- A row's job ----------------------------------------------------------- */

static double *job_field(sgdp_job *job, size_t number)
{
    return (double *)(void *)((char *)job + numbers[number].place);
}

/* "COUNT:FORWARD:BACKWARD[:DELAY] ..." */
static void read_types(dataset_row *r, const dataset_columns *c)
{
    static const char form[] =
        "is not COUNT:FORWARD:BACKWARD[:DELAY], seconds, separated by blanks";
    const csv_table *t = r->file;
    sgdp_worker_type *type;
    uint64_t sum = 0;
    char **words, **part;
    size_t count, i;
    if (csv_is_empty(t, r->row, c->types)) return;
    count = args_split(csv_text(t, r->row, c->types), ' ', &words);
    type = (sgdp_worker_type *)tool_alloc(count, sizeof *type);
    for (i = 0; i < count; i++) {
        uint64_t workers = 0;
        const size_t parts = args_split(words[i], ':', &part);
        if (parts < 3 || parts > 4 ||
            number_whole(part[0], 1, UINT32_MAX, &workers) ||
            number_parse(part[1], NUMBER_NON_NEGATIVE, &type[i].forward_s) ||
            number_parse(part[2], NUMBER_NON_NEGATIVE, &type[i].backward_s) ||
            (parts == 4 && number_parse(part[3], NUMBER_NON_NEGATIVE, &type[i].delay_s)))
            csv_fail(t, r->row, c->types, "'%s' %s", words[i], form);
        type[i].count = (uint32_t)workers;
        sum += workers;
    }
    if (sum != r->workers)
        csv_fail(t, r->row, c->types, "%lu workers, but %lu in column 'workers'",
                 (unsigned long)sum, (unsigned long)r->workers);
    for (i = 0; i < NUMBERS; i++)
        if (((i == FORWARD || i == BACKWARD || i == STEP) &&
             !csv_is_empty(t, r->row, c->number[i])) ||
            (i == DELAY && r->job.delay_s > 0.0))
            csv_fail(t, r->row, c->number[i], "not beside column 'worker_types'");
    r->job.types = count;
    r->job.type = type;
}

/* The first of the columns that a profile misses. known: a bit for each number. */
static const char *find_lack(const dataset_row *r, unsigned known, int overlap_known,
                             dataset_fit fit)
{
#define KNOWN(number) ((known >> (number) & 1U) != 0)
    const int server = r->mode != MODE_ALLREDUCE;
    const int timed = server ? KNOWN(UPLINK) && KNOWN(DOWNLINK)
                             : KNOWN(UPLINK) || KNOWN(DOWNLINK);
    if (!overlap_known) return "overlap";
    if (server && r->job.servers == 0) return "servers";
    if (server && !KNOWN(UPDATE) && fit != FIT_SERVER) return numbers[UPDATE].name;
    if (r->job.types == 0 && KNOWN(FORWARD) != KNOWN(BACKWARD))
        return numbers[KNOWN(FORWARD) ? BACKWARD : FORWARD].name;
    if (r->job.types == 0 && !KNOWN(FORWARD) && !KNOWN(STEP)) return numbers[FORWARD].name;
    if (r->job.gpus > 1 && !KNOWN(STEP) && !KNOWN(LOCAL_BANDWIDTH))
        return numbers[LOCAL_BANDWIDTH].name;
    if ((KNOWN(WORKER_BANDWIDTH) || KNOWN(FLOW_CAP)) && !KNOWN(BANDWIDTH) &&
        fit != FIT_BANDWIDTH)
        return numbers[BANDWIDTH].name;
    if (timed) return NULL;
    if (!KNOWN(MODEL_BYTES)) return numbers[MODEL_BYTES].name;
    if (r->job.model_bytes > 0.0 && !KNOWN(BANDWIDTH) && fit != FIT_BANDWIDTH)
        return numbers[BANDWIDTH].name;
    return NULL;
#undef KNOWN
}

static void read_job(dataset_row *r, const dataset_columns *c, dataset_fit fit)
{
    const csv_table *t = r->file;
    const int overlap_known = !csv_is_empty(t, r->row, c->overlap);
    unsigned known = 0;
    size_t i;
    for (i = 0; i < NUMBERS; i++) {
        double *field = job_field(&r->job, i);
        if (csv_is_empty(t, r->row, c->number[i])) continue;
        *field = csv_number(t, r->row, c->number[i], numbers[i].rule);
        known |= 1U << i;
        /* A transfer known to take no time; to a job, 0 would be one of model_bytes. */
        if ((i == UPLINK || i == DOWNLINK) && !(*field > 0.0)) *field = 1e-12;
    }
    r->job.servers = (uint32_t)csv_integer_or(t, r->row, c->servers, 1, UINT32_MAX, 0);
    r->job.gpus = (uint32_t)csv_integer_or(t, r->row, c->gpus, 1, UINT32_MAX, 1);
    if (overlap_known && csv_integer(t, r->row, c->overlap, 0, 1) == 1)
        r->job.overlap = SGDP_OVERLAP_ONE_PASS;
    r->varies = (known >> CV & 1U) != 0;
    read_types(r, c);
    dataset_read_run(r);
    r->lacks = find_lack(r, known, overlap_known, fit);
}

/* ---- A row ----------------------------------------------------------------- */

/* Of a point whose row does not name its curve. */
static char *curve_name(const char *point, const char *dataset, uint32_t workers)
{
    char number[16], *name = (char *)tool_alloc(strlen(point) + strlen(dataset) + 1, 1);
    size_t length = strlen(point), tail;
    snprintf(number, sizeof number, "%lu", (unsigned long)workers);
    tail = strlen(number);
    strcpy(name, point);
    if (length >= tail && strcmp(name + length - tail, number) == 0) {
        length -= tail;
        if (length > 0 && name[length - 1] == 'k') length--;
        if (length > 0 && (name[length - 1] == '-' || name[length - 1] == '_')) length--;
        name[length] = '\0';
    }
    return length > 0 ? name : strcpy(name, dataset);
}

/* A path given in a file, relative to its folder; stdin is in the current one. */
static const char *path_beside(const csv_table *t, const char *path)
{
    const char *slash = strrchr(t->name, '/');
    const size_t folder = slash && *path != '/' ? (size_t)(slash - t->name) + 1 : 0;
    char *text = (char *)tool_alloc(folder + strlen(path) + 1, 1);
    memcpy(text, t->name, folder);
    return strcpy(text + folder, path) - folder;
}

/* Role, group and fit of a row go together, or not. */
static void check_fit(const dataset_row *r, const dataset_columns *c, dataset_fit fit)
{
    const csv_table *t = r->file;
    const int grouped = !csv_is_empty(t, r->row, c->group);
    if (fit != FIT_NONE && !grouped)
        csv_fail(t, r->row, c->fit, "'%s', but the row belongs to no group",
                 dataset_fit_names[fit]);
    if (fit != FIT_NONE && r->role == ROLE_NONE)
        csv_fail(t, r->row, c->fit, "'%s', but the row has no role", dataset_fit_names[fit]);
    if (r->role == ROLE_SCORE && !grouped)
        csv_fail(t, r->row, c->role, "'score', but the row belongs to no group: fill column "
                 "'group', or leave column 'role' empty, or out");
    if ((fit == FIT_THRESHOLD && r->mode != MODE_ASYNC) ||
        (fit == FIT_LATENCY && r->mode != MODE_ALLREDUCE))
        csv_fail(t, r->row, c->fit, "no model of mode %s has a %s",
                 mode_words[r->mode], dataset_fit_names[fit]);
}

dataset_fit dataset_read_row(dataset_row *r, const dataset_columns *c)
{
    const csv_table *t = r->file;
    const size_t row = r->row;
    dataset_fit fit;
    if (csv_is_empty(t, row, c->dataset)) csv_fail(t, row, c->dataset, "the cell is empty");
    if (csv_is_empty(t, row, c->point)) csv_fail(t, row, c->point, "the cell is empty");
    r->point = csv_text(t, row, c->point);
    r->mode = (train_mode)csv_choice(t, row, c->mode, mode_words, MODE_COUNT);
    r->workers = (uint32_t)csv_integer(t, row, c->workers, 1, DATASET_MOST_WORKERS);
    r->batches_per_s = csv_number(t, row, c->measured, NUMBER_POSITIVE);
    r->curve = csv_is_empty(t, row, c->curve)
                   ? curve_name(r->point, csv_text(t, row, c->dataset), r->workers)
                   : csv_text(t, row, c->curve);
    r->role = (dataset_role)choice_or_none(t, row, c->role, dataset_role_names, ROLE_COUNT);
    r->steps = (size_t)csv_integer_or(t, row, c->steps, 1, DATASET_MOST_STEPS, 0);
    if (!csv_is_empty(t, row, c->pool)) r->pool = csv_text(t, row, c->pool);
    r->declared = choice_or_none(t, row, c->inputs, inputs_names, COUNT_OF(inputs_names)) == 2;
    if (!csv_is_empty(t, row, c->layers)) r->layers = path_beside(t, csv_text(t, row, c->layers));
    fit = (dataset_fit)choice_or_none(t, row, c->fit, dataset_fit_names, FIT_COUNT);
    check_fit(r, c, fit);
    read_job(r, c, fit);
    return fit;
}

static int same_number(double a, double b) { return a <= b && a >= b; }

int dataset_same_surface(const dataset_row *a, const dataset_row *b)
{
    sgdp_job x = a->job, y = b->job;
    size_t i;
    for (i = 0; i < NUMBERS; i++)
        if (i != BATCH && !same_number(*job_field(&x, i), *job_field(&y, i)))
            return 0;
    return a->dataset == b->dataset && x.gpus == y.gpus && x.overlap == y.overlap &&
           x.types == 0 && y.types == 0;
}
