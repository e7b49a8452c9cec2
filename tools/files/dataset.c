/* dataset.c - files of measured rows: their datasets and groups */
#define _POSIX_C_SOURCE 200809L /* opendir */

#include "files/dataset.h"
#include "files/exchange.h"

#include <dirent.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Numbers of a job. An empty cell leaves its field 0. */
enum dataset_number {
    FORWARD = 0, BACKWARD, UPDATE, MODEL_BYTES, BANDWIDTH, BATCH, STEP, UPLINK, DOWNLINK,
    LATENCY, FLOW_CAP, LOCAL_BANDWIDTH, WORKER_BANDWIDTH, DELAY,
    PORT_BUFFER, CV, NUMBERS
};

typedef struct dataset_columns { /* of one file */
    const csv_table *file;
    int dataset, point, mode, workers, servers, overlap, measured;
    int fit, group, role, gpus, types, layers, steps, inputs, pool, curve;
    int number[NUMBERS];
} dataset_columns;

/* ---- How a row was run -------------------------------------------------------- */

static const char *word_of(const dataset_row *r, const char *name)
{
    const int column = csv_column(r->file, name);
    return csv_is_empty(r->file, r->row, column) ? "" : csv_text(r->file, r->row, column);
}

static double number_of(const dataset_row *r, const char *name, number_rule rule)
{
    return csv_number_or(r->file, r->row, csv_column(r->file, name), rule, 0.0);
}

enum { FOREIGN_TREE = 0, FOREIGN_SSP, FOREIGN_DURATIONS, FOREIGN_EVERY, FOREIGN_BACKUP,
       FOREIGN_JOBS, FOREIGN_KINDS };

/* Runs that no model knows, and the column that tells. */
static const struct { const char *column, *is; } foreign_kinds[FOREIGN_KINDS] = {
    {"emulated", "tree"}, {"emulated", "ssp"}, {"durations", "computations that are replayed"},
    {"every", "several mini-batches an exchange"}, {"backup", "backup workers"},
    {"jobs", "several jobs on the same links"}
};

static void find_foreign(dataset_row *r)
{
    const char *emulated = word_of(r, "emulated");
    size_t is = FOREIGN_KINDS;
    if (strcmp(emulated, "tree") == 0) is = FOREIGN_TREE;
    else if (strcmp(emulated, "ssp") == 0) is = FOREIGN_SSP;
    else if (*word_of(r, "durations")) is = FOREIGN_DURATIONS;
    else if (number_of(r, "every", NUMBER_NON_NEGATIVE) > 1.0) is = FOREIGN_EVERY;
    else if (number_of(r, "backup", NUMBER_NON_NEGATIVE) > 0.0) is = FOREIGN_BACKUP;
    else if (number_of(r, "jobs", NUMBER_NON_NEGATIVE) > 1.0 && r->mode != MODE_ALLREDUCE)
        is = FOREIGN_JOBS;
    if (is == FOREIGN_KINDS) return;
    r->foreign = foreign_kinds[is].column;
    r->foreign_is = foreign_kinds[is].is;
}

void dataset_note_foreign(const dataset_list *list, train_mode mode)
{
    char text[400] = "";
    size_t rows = 0, i, k;
    for (k = 0; k < FOREIGN_KINDS; k++) {
        size_t of_kind = 0;
        for (i = 0; i < list->rows; i++) {
            const dataset_row *r = &list->row[i];
            of_kind += r->foreign_is && strcmp(r->foreign_is, foreign_kinds[k].is) == 0 &&
                       (mode == MODE_COUNT || r->mode == mode);
        }
        if (of_kind == 0) continue;
        if (rows > 0) strcat(text, ", ");
        strcat(text, foreign_kinds[k].is);
        rows += of_kind;
    }
    if (rows > 0)
        tool_note("rows-without-model", "%lu row%s left out: no model of %s", (unsigned long)rows,
                  rows == 1 ? " is" : "s are", text);
}

/* Each server's part of the model, if the row tells. */
static void read_shares(dataset_row *r)
{
    const char *text = word_of(r, "shares");
    double *share, sum = 0.0;
    char **part;
    size_t parts, i;
    if (!*text) return;
    parts = args_split(text, ' ', &part);
    share = (double *)tool_alloc(parts, sizeof *share);
    for (i = 0; i < parts; i++) {
        if (parts != r->job.servers.count || number_parse(part[i], NUMBER_FRACTION, &share[i]))
            csv_fail(r->file, r->row, csv_column(r->file, "shares"),
                     "'%s' is not a fraction for each server, separated by blanks", text);
        sum += share[i];
    }
    if (!(sum > 1.0 - 1e-6 && sum < 1.0 + 1e-6))
        csv_fail(r->file, r->row, csv_column(r->file, "shares"), "'%s' adds up to %g", text, sum);
    for (i = 0; i < parts; i++) share[i] /= sum;
    r->job.servers.shares = share;
}

/* Only so many workers are far away, 0: all of them. Two types of workers. */
static void read_delayed(dataset_row *r)
{
    const int column = csv_column(r->file, "delayed_workers");
    const uint64_t far = csv_integer_or(r->file, r->row, column, 0, r->workers, r->workers);
    sgdp_compute *compute = &r->job.compute;
    double *delay_s = &r->job.links.delay_s;
    sgdp_worker_type *type;
    if (far == 0 || far == r->workers || r->job.workers.types > 0 || !(*delay_s > 0.0)) return;
    type = (sgdp_worker_type *)tool_alloc(2, sizeof *type);
    type[0].count = (uint32_t)far;
    type[1].count = r->workers - (uint32_t)far;
    type[0].forward_s = type[1].forward_s = compute->forward_s;
    type[0].backward_s = type[1].backward_s = compute->backward_s;
    type[0].delay_s = *delay_s;
    compute->forward_s = compute->backward_s = *delay_s = 0.0;
    r->job.workers.type = type;
    r->job.workers.types = 2;
}

/* Of a row whose job is read: how it was run. */
static void dataset_read_run(dataset_row *r)
{
    static const char *const update_words[] = {"queued", "separate"};
    const int jitter = csv_column(r->file, "jitter"), updates = csv_column(r->file, "updates");
    const char *shape_words[SGDP_SHAPE_COUNT + 1];
    size_t i;
    for (i = 0; i < SGDP_SHAPE_COUNT; i++) shape_words[i] = sgdp_shape_text((sgdp_shape)i);
    shape_words[SGDP_SHAPE_COUNT] = "none";
    if (!csv_is_empty(r->file, r->row, jitter)) {
        i = csv_choice(r->file, r->row, jitter, shape_words, SGDP_SHAPE_COUNT + 1);
        if (i < SGDP_SHAPE_COUNT) r->job.compute.vary.shape = (sgdp_shape)i;
        else r->job.compute.vary.cv = 0.0;
    }
    if (!csv_is_empty(r->file, r->row, updates))
        r->job.servers.separate_updates =
            csv_choice(r->file, r->row, updates, update_words, COUNT_OF(update_words)) == 1;
    if (r->mode == MODE_ALLREDUCE)
        r->job.collective.jobs = (uint32_t)csv_integer_or(
            r->file, r->row, csv_column(r->file, "jobs"), 1, 100000, 1);
    read_shares(r);
    read_delayed(r);
    find_foreign(r);
    r->placed = *word_of(r, "place") != '\0';
}

/* ---- Rows --------------------------------------------------------------------- */

const char *const dataset_role_names[ROLE_COUNT] = {"", "fit", "score"};
const char *const dataset_fit_names[FIT_COUNT] = {
    "", "server", "bandwidth", "latency", "threshold"
};

enum {
    DATASET_MOST_WORKERS = 1000000, /* more make the exact models slow               */
    DATASET_MOST_STEPS = 1000000
};

static const char *const inputs_names[] = {"", "measured", "declared"};

/* ---- Rows: columns ------------------------------------------------------------ */

#define IN_COMPUTE(field) offsetof(sgdp_job, compute.field)
#define IN_LINKS(field)   offsetof(sgdp_job, links.field)
static const struct {
    const char *name;
    number_rule rule;
    int         required;     /* the column, not the cell                           */
    size_t      place;        /* of its double in a job                             */
} numbers[NUMBERS] = {
    {"forward_s",                    NUMBER_NON_NEGATIVE, 1, IN_COMPUTE(forward_s)},
    {"backward_s",                   NUMBER_NON_NEGATIVE, 1, IN_COMPUTE(backward_s)},
    {"update_s",                     NUMBER_NON_NEGATIVE, 1, IN_COMPUTE(update_s)},
    {"model_bytes",                  NUMBER_NON_NEGATIVE, 1, offsetof(sgdp_job, model_bytes)},
    {"bandwidth_bytes_per_s",        NUMBER_POSITIVE,     1, IN_LINKS(bandwidth_bytes_per_s)},
    {"batch",                        NUMBER_POSITIVE,     1, IN_COMPUTE(batch)},
    {"one_worker_step_s",            NUMBER_POSITIVE,     0, IN_COMPUTE(one_worker_step_s)},
    {"uplink_s",                     NUMBER_NON_NEGATIVE, 0, IN_LINKS(uplink_s)},
    {"downlink_s",                   NUMBER_NON_NEGATIVE, 0, IN_LINKS(downlink_s)},
    {"latency_s",                    NUMBER_NON_NEGATIVE, 0, IN_LINKS(latency_s)},
    {"flow_cap_bytes_per_s",         NUMBER_POSITIVE,     0, IN_LINKS(flow_cap_bytes_per_s)},
    {"local_bandwidth_bytes_per_s",  NUMBER_POSITIVE,     0,
     offsetof(sgdp_job, machine.local_bandwidth_bytes_per_s)},
    {"worker_bandwidth_bytes_per_s", NUMBER_POSITIVE,     0,
     IN_LINKS(worker_bandwidth_bytes_per_s)},
    {"delay_s",                      NUMBER_NON_NEGATIVE, 0, IN_LINKS(delay_s)},
    {"port_buffer_bytes",            NUMBER_POSITIVE,     0, IN_LINKS(port_buffer_bytes)},
    {"compute_cv",                   NUMBER_NON_NEGATIVE, 0, IN_COMPUTE(vary.cv)},
};
#undef IN_COMPUTE
#undef IN_LINKS

/* The columns of a file, or fails. */
static dataset_columns dataset_find_columns(const csv_table *t)
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

/* ---- Rows: a row's job -------------------------------------------------------- */

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
            (i == DELAY && r->job.links.delay_s > 0.0))
            csv_fail(t, r->row, c->number[i], "not beside column 'worker_types'");
    r->job.workers.types = count;
    r->job.workers.type = type;
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
    if (server && r->job.servers.count == 0) return "servers";
    if (server && !KNOWN(UPDATE) && fit != FIT_SERVER) return numbers[UPDATE].name;
    if (r->job.workers.types == 0 && KNOWN(FORWARD) != KNOWN(BACKWARD))
        return numbers[KNOWN(FORWARD) ? BACKWARD : FORWARD].name;
    if (r->job.workers.types == 0 && !KNOWN(FORWARD) && !KNOWN(STEP)) return numbers[FORWARD].name;
    if (r->job.machine.gpus > 1 && !KNOWN(STEP) && !KNOWN(LOCAL_BANDWIDTH))
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
    r->job.servers.count = (uint32_t)csv_integer_or(t, r->row, c->servers, 1, UINT32_MAX, 0);
    r->job.collective.exchange = exchange_of;
    r->job.machine.gpus = (uint32_t)csv_integer_or(t, r->row, c->gpus, 1, UINT32_MAX, 1);
    if (overlap_known && csv_integer(t, r->row, c->overlap, 0, 1) == 1)
        r->job.overlap.rule = SGDP_OVERLAP_ONE_PASS;
    r->varies = (known >> CV & 1U) != 0;
    read_types(r, c);
    dataset_read_run(r);
    r->lacks = find_lack(r, known, overlap_known, fit);
}

/* ---- Rows: a row -------------------------------------------------------------- */

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

/* Row r->row of r->file, all but its dataset and group; returns what its group fits. */
static dataset_fit dataset_read_row(dataset_row *r, const dataset_columns *c)
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

/* Do two rows differ in workers, servers and batch only, as far as models can tell? */
static int dataset_same_surface(const dataset_row *a, const dataset_row *b)
{
    sgdp_job x = a->job, y = b->job;
    size_t i;
    for (i = 0; i < NUMBERS; i++)
        if (i != BATCH && !same_number(*job_field(&x, i), *job_field(&y, i)))
            return 0;
    return a->dataset == b->dataset && x.machine.gpus == y.machine.gpus &&
           x.overlap.rule == y.overlap.rule && x.workers.types == 0 && y.workers.types == 0;
}

/* ---- Datasets: datasets and groups -------------------------------------------- */

/* The rows while they are read, and what only reading needs to know of each. */
typedef struct dataset_reader {
    dataset_list    *list;
    dataset_columns *columns; /* [files]                                            */
    size_t          *file;    /* [rows] index of the row's file                     */
    dataset_fit     *fit;     /* [rows]                                             */
    size_t          *first;   /* [names] row where a name appears                   */
} dataset_reader;

/* A row's name of its dataset or group. */
typedef struct dataset_key {
    const char *name;
    size_t      file;         /* in which the name holds                            */
    size_t      row;          /* of the list                                        */
} dataset_key;

static int compare_names(const dataset_key *x, const dataset_key *y)
{
    if (x->file != y->file) return (x->file > y->file) - (x->file < y->file);
    return strcmp(x->name, y->name);
}

static int compare_keys(const void *a, const void *b)
{
    const dataset_key *x = (const dataset_key *)a, *y = (const dataset_key *)b;
    const int order = compare_names(x, y);
    return order != 0 ? order : (x->row > y->row) - (x->row < y->row);
}

/* Numbers the names of key[keys] in order of their first rows: id[row], and
 * first[names]. Returns how many names there are. */
static size_t number_names(dataset_key *key, size_t keys, size_t *id, dataset_reader *reader)
{
    const size_t rows = reader->list->rows;
    size_t *leader = (size_t *)tool_alloc(rows, sizeof *leader), names = 0, i;
    for (i = 0; i < rows; i++) leader[i] = id[i] = DATASET_NONE;
    qsort(key, keys, sizeof *key, compare_keys);
    for (i = 0; i < keys; i++) {
        const int again = i > 0 && compare_names(&key[i - 1], &key[i]) == 0;
        leader[key[i].row] = again ? leader[key[i - 1].row] : key[i].row;
    }
    for (i = 0; i < rows; i++) {
        if (leader[i] == DATASET_NONE) continue;
        if (leader[i] == i) reader->first[names++] = i;
        id[i] = leader[i] == i ? names - 1 : id[leader[i]];
    }
    return names;
}

static const dataset_columns *columns_of(const dataset_reader *reader, size_t row)
{
    return &reader->columns[reader->file[row]];
}

static const char *row_text(const dataset_row *r, int column)
{
    return csv_text(r->file, r->row, column);
}

static unsigned long row_line(const dataset_row *r)
{
    return (unsigned long)csv_line(r->file, r->row);
}

static void make_datasets(dataset_reader *reader)
{
    dataset_list *list = reader->list;
    dataset_key *key = (dataset_key *)tool_alloc(list->rows, sizeof *key);
    size_t *id = (size_t *)tool_alloc(list->rows, sizeof *id), i;
    for (i = 0; i < list->rows; i++) {
        key[i].name = row_text(&list->row[i], columns_of(reader, i)->dataset);
        key[i].row = i;
    }
    list->datasets = number_names(key, list->rows, id, reader);
    list->name = (const char **)tool_alloc(list->datasets, sizeof *list->name);
    for (i = 0; i < list->rows; i++) {
        const dataset_columns *c = columns_of(reader, i);
        dataset_row *r = &list->row[i];
        const dataset_row *leader = &list->row[reader->first[id[i]]];
        r->dataset = id[i];
        list->name[id[i]] = row_text(r, c->dataset);
        if (r->file != leader->file)
            csv_fail(r->file, r->row, c->dataset, "'%s' also stands in %s",
                     row_text(r, c->dataset), leader->file->name);
        if (r->mode != leader->mode)
            csv_fail(r->file, r->row, c->mode, "'%s', but dataset '%s' is %s in line %lu",
                     mode_words[r->mode], row_text(r, c->dataset),
                     mode_words[leader->mode], row_line(leader));
    }
}

/* A row's group, like that of the group's first row in what all must share. */
static void join_group(dataset_reader *reader, size_t row)
{
    dataset_row *r = &reader->list->row[row];
    dataset_group *g = &reader->list->group[r->group];
    const size_t first = reader->first[r->group];
    const dataset_row *leader = &reader->list->row[first];
    const dataset_columns *c = columns_of(reader, row);
    if (row == first) {
        g->name = row_text(r, c->group);
        g->fit = reader->fit[row];
        g->mode = r->mode;
        g->one_surface = g->one_curve = 1;
    }
    if (reader->fit[row] != g->fit)
        csv_fail(r->file, r->row, c->fit, "'%s', but group '%s' has '%s' in line %lu",
                 dataset_fit_names[reader->fit[row]], g->name, dataset_fit_names[g->fit],
                 row_line(leader));
    if (r->mode != g->mode)
        csv_fail(r->file, r->row, c->mode, "'%s', but group '%s' is %s in line %lu",
                 mode_words[r->mode], g->name, mode_words[g->mode],
                 row_line(leader));
    if (!dataset_same_surface(r, leader)) g->one_surface = g->one_curve = 0;
    if (r->job.servers.count != leader->job.servers.count) g->one_curve = 0;
}

static void make_groups(dataset_reader *reader)
{
    dataset_list *list = reader->list;
    dataset_key *key = (dataset_key *)tool_alloc(list->rows, sizeof *key);
    size_t *id = (size_t *)tool_alloc(list->rows, sizeof *id), keys = 0, i;
    unsigned char *fitted;
    for (i = 0; i < list->rows; i++) {
        const dataset_row *r = &list->row[i];
        if (csv_is_empty(r->file, r->row, columns_of(reader, i)->group)) continue;
        key[keys].name = row_text(r, columns_of(reader, i)->group);
        key[keys].file = reader->file[i];
        key[keys++].row = i;
    }
    list->groups = number_names(key, keys, id, reader);
    list->group = (dataset_group *)tool_alloc(list->groups, sizeof *list->group);
    fitted = (unsigned char *)tool_alloc(list->groups, 1);
    for (i = 0; i < list->rows; i++) {
        list->row[i].group = id[i];
        if (id[i] == DATASET_NONE) continue;
        join_group(reader, i);
        if (list->row[i].role == ROLE_FIT) fitted[id[i]] = 1;
    }
    for (i = 0; i < list->rows; i++) {
        const dataset_row *r = &list->row[i];
        if (r->role == ROLE_SCORE && !fitted[r->group])
            csv_fail(r->file, r->row, columns_of(reader, i)->group,
                     "no row of '%s' has the role fit", list->group[r->group].name);
    }
}

/* ---- Datasets: files ---------------------------------------------------------- */

void dataset_read(dataset_list *list, char *const *path, size_t files)
{
    dataset_reader reader;
    size_t i, row, n = 0;
    reader.list = list;
    reader.columns = (dataset_columns *)tool_alloc(files, sizeof *reader.columns);
    list->rows = 0;
    for (i = 0; i < files; i++) {
        reader.columns[i] = dataset_find_columns(csv_read(path[i], 0));
        list->rows += reader.columns[i].file->rows;
    }
    reader.file = (size_t *)tool_alloc(list->rows, sizeof *reader.file);
    reader.fit = (dataset_fit *)tool_alloc(list->rows, sizeof *reader.fit);
    reader.first = (size_t *)tool_alloc(list->rows, sizeof *reader.first);
    list->row = (dataset_row *)tool_alloc(list->rows, sizeof *list->row);
    for (i = 0; i < files; i++)
        for (row = 0; row < reader.columns[i].file->rows; row++, n++) {
            reader.file[n] = i;
            list->row[n].file = reader.columns[i].file;
            list->row[n].row = row;
            reader.fit[n] = dataset_read_row(&list->row[n], &reader.columns[i]);
        }
    make_datasets(&reader);
    make_groups(&reader);
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

size_t dataset_files(const char *folder, char ***path)
{
    static const char ending[] = ".csv";
    DIR *entries = opendir(folder);
    const struct dirent *entry;
    size_t count = 0, room = 0;
    *path = NULL;
    if (!entries) tool_fail("%s: %s", folder, strerror(errno));
    while ((entry = readdir(entries)) != NULL) {
        const size_t length = strlen(entry->d_name);
        char *text;
        if (length < sizeof ending || *entry->d_name == '.' ||
            strcmp(entry->d_name + length - (sizeof ending - 1), ending) != 0)
            continue;
        text = (char *)tool_alloc(strlen(folder) + length + 2, 1);
        sprintf(text, "%s/%s", folder, entry->d_name);
        if (count == room)
            *path = (char **)tool_grow(*path, count, &room, count + 1, sizeof **path);
        (*path)[count++] = text;
    }
    closedir(entries);
    if (count == 0) tool_fail("%s: no file ends in %s", folder, ending);
    qsort(*path, count, sizeof **path, compare_paths);
    return count;
}
