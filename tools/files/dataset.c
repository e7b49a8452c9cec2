/* dataset.c - files of measured rows: their datasets and groups */
#define _POSIX_C_SOURCE 200809L /* opendir */

#include "files/dataset.h"
#include "files/exchange.h"
#include "files/networks.h"

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
    PORT_BUFFER, INPUT_RATE, SERVER_COST, CV, NUMBERS
};

/* What tells the rest; the first of them every file has. */
enum dataset_column {
    AT_DATASET = 0, AT_POINT, AT_MODE, AT_WORKERS, AT_SERVERS, AT_OVERLAP, AT_MEASURED,
    REQUIRED, AT_FIT = REQUIRED, AT_GROUP, AT_ROLE, AT_GPUS, AT_TYPES, AT_LAYERS, AT_INPUTS,
    AT_POOL, AT_CURVE, AT_STEPS, AT_SOURCE, AT_KIND, AT_MACHINES, AT_RIVAL, COLUMNS
};

static const char *const column_names[COLUMNS] = {
    "dataset", "point", "mode", "workers", "servers", "overlap", "batches_per_s", "fit", "group",
    "role", "gpus", "worker_types", "layers", "inputs", "pool", "curve", "steps", "source", "kind",
    "machines", "rival_batches_per_s"
};

typedef struct dataset_columns { /* of one file */
    const csv_table *file;
    int at[COLUMNS], number[NUMBERS];
} dataset_columns;

/* ---- How a row was run -------------------------------------------------------- */

static const char *word_of(const dataset_row *r, const char *name)
{
    const int column = csv_column(r->file, name);
    return csv_text_or(r->file, r->row, column, "");
}

static double number_of(const dataset_row *r, const char *name, number_rule rule)
{
    return csv_number_or(r->file, r->row, csv_column(r->file, name), rule, 0.0);
}

/* Runs that no model knows, and the cell that tells: this word, any one, or a larger number. */
static const struct { const char *column, *word; double above; const char *is; } foreign[] = {
    {"emulated", "tree", 0.0, "tree"}, {"emulated", "ssp", 0.0, "ssp"},
    {"durations", "", 0.0, "computations that are replayed"},
    {"every", NULL, 1.0, "several mini-batches an exchange"},
    {"backup", NULL, 0.0, "backup workers"}, {"jobs", NULL, 1.0, "several jobs on the same links"}
};

static int is_foreign(const dataset_row *r, size_t i)
{
    const char *word = foreign[i].word, *column = foreign[i].column;
    if (word) return *word ? strcmp(word_of(r, column), word) == 0 : *word_of(r, column) != '\0';
    return number_of(r, column, NUMBER_NON_NEGATIVE) > foreign[i].above &&
           (strcmp(column, "jobs") != 0 || r->mode != MODE_ALLREDUCE);
}

static void find_foreign(dataset_row *r)
{
    size_t i = 0;
    while (i < COUNT_OF(foreign) && !is_foreign(r, i)) i++;
    if (i == COUNT_OF(foreign)) return;
    r->foreign = foreign[i].column;
    r->foreign_is = foreign[i].is;
}

void dataset_note_foreign(const dataset_list *list, train_mode mode)
{
    char text[400] = "";
    size_t rows = 0;
    for (size_t k = 0; k < COUNT_OF(foreign); k++) {
        size_t of_kind = 0;
        for (size_t i = 0; i < list->rows; i++) {
            const dataset_row *r = &list->row[i];
            of_kind += r->foreign_is && strcmp(r->foreign_is, foreign[k].is) == 0 &&
                       (mode == MODE_COUNT || r->mode == mode);
        }
        if (of_kind == 0) continue;
        if (rows > 0) strcat(text, ", ");
        strcat(text, foreign[k].is);
        rows += of_kind;
    }
    if (rows > 0)
        tool_note("rows-without-model", "%lu row%s left out: no model describes %s",
                  (unsigned long)rows,
                  rows == 1 ? " is" : "s are", text);
}

sgdp_model dataset_usual(const dataset_row *r)
{
    return mode_usual_model(r->mode, r->declared && !mode_overlaps(&r->job));
}

/* Each server's part of the model, if the row tells. */
static void read_shares(dataset_row *r)
{
    const char *text = word_of(r, "shares");
    double *share, sum = 0.0;
    char **part;
    if (!*text) return;
    size_t parts = args_split(text, ' ', &part);
    share = tool_alloc(parts, sizeof *share);
    for (size_t i = 0; i < parts; i++) {
        if (parts != r->job.servers.count || number_parse(part[i], NUMBER_FRACTION, &share[i]))
            csv_fail(r->file, r->row, csv_column(r->file, "shares"),
                     "'%s' is not a fraction per server, separated by blanks", text);
        sum += share[i];
    }
    if (!(sum > 1.0 - 1e-6 && sum < 1.0 + 1e-6))
        csv_fail(r->file, r->row, csv_column(r->file, "shares"), "'%s' adds up to %g, not 1",
                                             text, sum);
    for (size_t i = 0; i < parts; i++) share[i] /= sum;
    r->job.servers.shares = share;
}

/* Only so many workers are far away, 0: all of them. Two types of workers. */
static void read_delayed(dataset_row *r)
{
    const int column = csv_column(r->file, "delayed_workers");
    const uint64_t far = csv_integer_or(r->file, r->row, column, 0, r->workers, r->workers);
    sgdp_compute *compute = &r->job.compute;
    double *delay_s = &r->job.links.delay_s;
    if (far == 0 || far == r->workers || r->job.workers.types > 0 || !(*delay_s > 0.0)) return;
    sgdp_worker_type *type = tool_alloc(2, sizeof *type);
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
    "", "server", "bandwidth", "latency", "threshold", "exposure"
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
    {"input_rate",                   NUMBER_NON_NEGATIVE, 0,
     offsetof(sgdp_job, machine.input_examples_per_s)},
    {"server_cost_s",                NUMBER_NON_NEGATIVE, 0,
     offsetof(sgdp_job, servers.message_s)},
    {"compute_cv",                   NUMBER_NON_NEGATIVE, 0, IN_COMPUTE(vary.cv)},
};
#undef IN_COMPUTE
#undef IN_LINKS

/* The columns of a file, or fails. */
static dataset_columns dataset_find_columns(const csv_table *t)
{
    static const int key_columns[] = {AT_POINT, AT_DATASET};
    dataset_columns c = {.file = t};
    int key[COUNT_OF(key_columns)];
    if (csv_find(t, "dataset") == CSV_NONE && csv_find(t, "point") == CSV_NONE &&
        csv_find(t, "mode") == CSV_NONE &&
        csv_find(t, "workers") != CSV_NONE && csv_find(t, "batches_per_s") != CSV_NONE)
        tool_fail("%s:%lu: columns 'dataset', 'point', 'mode' are missing: sgdperf fit takes a "
                  "table of workers and batches_per_s alone", t->name,
                  (unsigned long)t->header_line);
    csv_require_all(t, column_names, REQUIRED);
    for (size_t i = 0; i < COLUMNS; i++)
        c.at[i] = i < REQUIRED ? csv_require(t, column_names[i]) : csv_column(t, column_names[i]);
    for (size_t i = 0; i < NUMBERS; i++)
        c.number[i] = numbers[i].required ? csv_require(t, numbers[i].name)
                                          : csv_column(t, numbers[i].name);
    for (size_t i = 0; i < COUNT_OF(key); i++) key[i] = c.at[key_columns[i]];
    csv_unique(t, key, COUNT_OF(key));
    return c;
}

/* NULL: there is none. */
static const char *text_or_none(const csv_table *t, size_t row, int column)
{
    return csv_is_empty(t, row, column) ? NULL : csv_text(t, row, column);
}

static const char *text_of(const csv_table *t, size_t row, int column)
{
    if (csv_is_empty(t, row, column)) csv_fail(t, row, column, "the cell is empty");
    return csv_text(t, row, column);
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
    uint64_t sum = 0;
    char **words, **part;
    if (csv_is_empty(t, r->row, c->at[AT_TYPES])) return;
    size_t count = args_split(csv_text(t, r->row, c->at[AT_TYPES]), ' ', &words);
    sgdp_worker_type *type = tool_alloc(count, sizeof *type);
    for (size_t i = 0; i < count; i++) {
        uint64_t workers = 0;
        const size_t parts = args_split(words[i], ':', &part);
        if (parts < 3 || parts > 4 ||
            number_whole(part[0], 1, UINT32_MAX, &workers) ||
            number_parse(part[1], NUMBER_NON_NEGATIVE, &type[i].forward_s) ||
            number_parse(part[2], NUMBER_NON_NEGATIVE, &type[i].backward_s) ||
            (parts == 4 && number_parse(part[3], NUMBER_NON_NEGATIVE, &type[i].delay_s)))
            csv_fail(t, r->row, c->at[AT_TYPES], "'%s' %s", words[i], form);
        type[i].count = (uint32_t)workers;
        sum += workers;
    }
    if (sum != r->workers)
        csv_fail(t, r->row, c->at[AT_TYPES], "the types have %lu workers, but column 'workers' has "
                                             "%lu",
                 (unsigned long)sum, (unsigned long)r->workers);
    for (size_t i = 0; i < NUMBERS; i++)
        if (((i == FORWARD || i == BACKWARD || i == STEP) &&
             !csv_is_empty(t, r->row, c->number[i])) ||
            (i == DELAY && r->job.links.delay_s > 0.0))
            csv_fail(t, r->row, c->number[i], "cannot be used beside column 'worker_types'");
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
    if (r->job.machine.input_examples_per_s > 0.0 && !KNOWN(BATCH)) return numbers[BATCH].name;
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

/* What kinds of links and software say, as the bits of what is known. A stack stands in place of
 * an overlap. */
static unsigned read_kinds(dataset_row *r)
{
    const int allreduce = r->mode == MODE_ALLREDUCE;
    const job_kinds k = kinds_read(NULL, r->file, r->row);
    if (allreduce && k.stack && r->job.overlap.rule != SGDP_OVERLAP_NONE)
        csv_fail(r->file, r->row, csv_column(r->file, "stack"),
                 "'%s', but column 'overlap' is 1: a stack sets the overlap; leave one of the two "
                 "cells empty",
                 k.stack->name);
    const network *lacks = kinds_apply(&k, allreduce, &r->job);
    if (lacks)
        csv_fail(r->file, r->row, csv_column(r->file, lacks == k.between ? "network"
                                                                         : "local_network"),
                 NETWORK_HAS_NO_LINE, lacks->name);
    r->network = k.between;
    if (k.between || ((k.inside || k.stack) && *word_of(r, "inputs") == '\0')) r->declared = 1;
    return (k.between ? 1U << BANDWIDTH : 0U) | (k.inside ? 1U << LOCAL_BANDWIDTH : 0U);
}

/* Columns that not every row reads: in which modes it does, and only beside which other one. */
enum { OF_SERVERS = 1 << MODE_ASYNC | 1 << MODE_SYNC, OF_ALLREDUCE = 1 << MODE_ALLREDUCE };
static const struct { const char *column; int modes; const char *beside; } limited[] = {
    {"server_cost_s", OF_SERVERS, NULL},      {"servers", OF_SERVERS, NULL},
    {"shares", OF_SERVERS, NULL},             {"delay_s", OF_SERVERS, NULL},
    {"port_buffer_bytes", OF_SERVERS, "delay_s"},
    {"delayed_workers", OF_SERVERS, "delay_s"},
    {"latency_s", OF_ALLREDUCE, NULL},        {"stack", OF_ALLREDUCE, NULL},
    {"local_network", OF_SERVERS | OF_ALLREDUCE, "gpus"},
    {"local_bandwidth_bytes_per_s", OF_SERVERS | OF_ALLREDUCE, "gpus"},
    {"exposure", 0, NULL},       {"growth", 0, NULL},      {"growth_between", 0, NULL},
    {"overlap_exponent", 0, NULL}, {"measured_on", 0, NULL}, {"fixed_s", 0, NULL} /* of profiles */
};

/* Does the number of a cell change nothing: 0, or one server or worker? */
static int is_neutral(const char *column, const char *word)
{
    const int count = strcmp(column, "servers") == 0 || strcmp(column, "measured_on") == 0;
    double value = 0.0;
    return !number_parse(word, NUMBER_NON_NEGATIVE, &value) && value <= count;
}

/* Refuses a cell that nothing would read. */
static void refuse_unread(const dataset_row *r)
{
    for (size_t i = 0; i < COUNT_OF(limited); i++) {
        const char *column = limited[i].column, *word = word_of(r, column);
        const char *beside = limited[i].beside, *mode = mode_words[r->mode];
        const int at = csv_column(r->file, column), read = limited[i].modes >> r->mode & 1;
        const int types = beside && strcmp(beside, "delay_s") == 0 && r->job.workers.types > 0;
        if (*word == '\0' || is_neutral(column, word)) continue;
        if (limited[i].modes == 0)
            csv_fail(r->file, r->row, at, "'%s', but only profiles have this column, not datasets: "
                                          "remove the column", word);
        if (!read)
            csv_fail(r->file, r->row, at, "'%s', but mode %s does not use the value: empty the "
                                          "cell", word, mode);
        if (beside && !types && *word_of(r, beside) == '\0')
            csv_fail(r->file, r->row, at, "'%s', but the value counts only beside column '%s', "
                                          "which is empty", word, beside);
    }
}

static void read_job(dataset_row *r, const dataset_columns *c, dataset_fit fit)
{
    const csv_table *t = r->file;
    const int overlap_known = !csv_is_empty(t, r->row, c->at[AT_OVERLAP]);
    unsigned known = 0;
    for (size_t i = 0; i < NUMBERS; i++) {
        double *field = job_field(&r->job, i);
        if (csv_is_empty(t, r->row, c->number[i])) continue;
        *field = csv_number(t, r->row, c->number[i], numbers[i].rule);
        known |= 1U << i;
        /* A transfer known to take no time; to a job, 0 would be one of model_bytes. */
        if ((i == UPLINK || i == DOWNLINK) && !(*field > 0.0)) *field = 1e-12;
    }
    r->job.servers.count = (uint32_t)csv_integer_or(t, r->row, c->at[AT_SERVERS], 1, UINT32_MAX, 0);
    r->job.collective.exchange = exchange_of;
    r->job.machine.gpus = (uint32_t)csv_integer_or(t, r->row, c->at[AT_GPUS], 1, UINT32_MAX, 1);
    if (overlap_known && csv_integer(t, r->row, c->at[AT_OVERLAP], 0, 1) == 1)
        r->job.overlap.rule = SGDP_OVERLAP_ONE_PASS;
    known |= read_kinds(r);
    r->varies = (known >> CV & 1U) != 0;
    read_types(r, c);
    refuse_unread(r);
    dataset_read_run(r);
    r->lacks = find_lack(r, known, overlap_known, fit);
}

/* ---- Rows: a row -------------------------------------------------------------- */

/* Of a point whose row does not name its curve. */
static char *curve_name(const char *point, const char *dataset, uint32_t workers)
{
    char number[16], *name = tool_alloc(strlen(point) + strlen(dataset) + 1, 1);
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

/* Role, group and fit of a row go together, or not. */
static void check_fit(const dataset_row *r, const dataset_columns *c, dataset_fit fit)
{
    const csv_table *t = r->file;
    const int grouped = !csv_is_empty(t, r->row, c->at[AT_GROUP]);
    if (fit != FIT_NONE && !grouped)
        csv_fail(t, r->row, c->at[AT_FIT], "'%s', but the row belongs to no group: fill column "
                                           "'group'",
                 dataset_fit_names[fit]);
    if (fit != FIT_NONE && r->role == ROLE_NONE)
        csv_fail(t, r->row, c->at[AT_FIT], "'%s', but the row has no role: give role "
                                           "'fit' or 'score'",
                 dataset_fit_names[fit]);
    if (r->role == ROLE_SCORE && !grouped)
        csv_fail(t, r->row, c->at[AT_ROLE], "'score', but the row belongs to no group: fill column "
                 "'group', or leave column 'role' empty");
    if ((fit == FIT_THRESHOLD && r->mode != MODE_ASYNC) ||
        ((fit == FIT_LATENCY || fit == FIT_EXPOSURE) && r->mode != MODE_ALLREDUCE))
        csv_fail(t, r->row, c->at[AT_FIT], "no model of mode %s has the input %s",
                 mode_words[r->mode], dataset_fit_names[fit]);
}

/* Row r->row of r->file, all but its dataset and group; returns what its group fits. */
static dataset_fit dataset_read_row(dataset_row *r, const dataset_columns *c)
{
    const csv_table *t = r->file;
    const int *at = c->at;
    const size_t row = r->row;
    const char *dataset = text_of(t, row, at[AT_DATASET]), *layers;
    r->point = text_of(t, row, at[AT_POINT]);
    r->mode = (train_mode)csv_choice(t, row, at[AT_MODE], mode_words, MODE_COUNT);
    r->workers = (uint32_t)csv_integer(t, row, at[AT_WORKERS], 1, DATASET_MOST_WORKERS);
    r->batches_per_s = csv_number(t, row, at[AT_MEASURED], NUMBER_POSITIVE);
    r->curve = text_or_none(t, row, at[AT_CURVE]);
    if (!r->curve) r->curve = curve_name(r->point, dataset, r->workers);
    r->role = (dataset_role)choice_or_none(t, row, at[AT_ROLE], dataset_role_names, ROLE_COUNT);
    r->steps = (size_t)csv_integer_or(t, row, at[AT_STEPS], 1, DATASET_MOST_STEPS, 0);
    r->pool = text_or_none(t, row, at[AT_POOL]);
    r->source = text_or_none(t, row, at[AT_SOURCE]);
    if (!r->source) r->source = dataset;
    r->kind = text_or_none(t, row, at[AT_KIND]);
    r->machines = (uint32_t)csv_integer_or(t, row, at[AT_MACHINES], 1, r->workers, 0);
    r->rival = csv_number_or(t, row, at[AT_RIVAL], NUMBER_POSITIVE, 0.0);
    r->declared = choice_or_none(t, row, at[AT_INPUTS], inputs_names, COUNT_OF(inputs_names)) == 2;
    layers = text_or_none(t, row, at[AT_LAYERS]);
    if (layers) r->layers = csv_beside(t, layers);
    dataset_fit fit = (dataset_fit)choice_or_none(t, row, at[AT_FIT], dataset_fit_names, FIT_COUNT);
    check_fit(r, c, fit);
    read_job(r, c, fit);
    if (fit == FIT_EXPOSURE && r->job.overlap.rule != SGDP_OVERLAP_NONE)
        csv_fail(t, row, at[AT_OVERLAP], "1, but an exposure is given, too, which describes the "
                                         "same effect: remove one of the two");
    return fit;
}

static int same_number(double a, double b) { return a <= b && a >= b; }

/* Do two rows differ in workers, servers and batch only, as far as models can tell? */
static int dataset_same_surface(const dataset_row *a, const dataset_row *b)
{
    sgdp_job x = a->job, y = b->job;
    for (size_t i = 0; i < NUMBERS; i++)
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

/* The number of a row's name of its dataset or group, in order of their first rows. */
static size_t number_name(dataset_reader *reader, name_index *names, const char *name, size_t row)
{
    size_t id = 0;
    const int known = names_add(names, name, strlen(name), &id);
    if (known == NAMES_FULL) tool_fail("out of memory");
    if (known == NAMES_NEW) reader->first[id] = row;
    return id;
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
    static name_index names;           /* what a run that failed has left is released */
    dataset_list *list = reader->list;
    names_free(&names);
    list->name = tool_alloc(list->rows, sizeof *list->name);
    for (size_t i = 0; i < list->rows; i++) {
        const dataset_columns *c = columns_of(reader, i);
        dataset_row *r = &list->row[i];
        const char *name = row_text(r, c->at[AT_DATASET]);
        r->dataset = number_name(reader, &names, name, i);
        const dataset_row *leader = &list->row[reader->first[r->dataset]];
        list->name[r->dataset] = name;
        if (r->file != leader->file)
            csv_fail(r->file, r->row, c->at[AT_DATASET], "dataset '%s' also occurs in %s", name,
                     leader->file->name);
        if (r->mode != leader->mode)
            csv_fail(r->file, r->row, c->at[AT_MODE], "'%s', but dataset '%s' is %s in line %lu: "
                                                      "all rows of a dataset need the same value",
                     mode_words[r->mode], name, mode_words[leader->mode], row_line(leader));
    }
    list->datasets = names.count;
    names_free(&names);
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
        g->name = row_text(r, c->at[AT_GROUP]);
        g->fit = reader->fit[row];
        g->mode = r->mode;
        g->one_surface = g->one_curve = 1;
    }
    if (reader->fit[row] != g->fit)
        csv_fail(r->file, r->row, c->at[AT_FIT], "'%s', but group '%s' has '%s' in line %lu: all "
                                                 "rows of a group need the same value",
                 dataset_fit_names[reader->fit[row]], g->name, dataset_fit_names[g->fit],
                 row_line(leader));
    if (r->mode != g->mode)
        csv_fail(r->file, r->row, c->at[AT_MODE], "'%s', but group '%s' is %s in line %lu: all "
                                                  "rows of a group need the same value",
                 mode_words[r->mode], g->name, mode_words[g->mode],
                 row_line(leader));
    if (!dataset_same_surface(r, leader)) g->one_surface = g->one_curve = 0;
    if (r->job.servers.count != leader->job.servers.count) g->one_curve = 0;
}

/* A group's name holds in its file. */
static void make_groups(dataset_reader *reader)
{
    static name_index names;           /* what a run that failed has left is released */
    dataset_list *list = reader->list;
    unsigned char *fitted = tool_alloc(list->rows, 1);
    names_free(&names);
    list->group = tool_alloc(list->rows, sizeof *list->group);
    for (size_t i = 0; i < list->rows; i++) {
        dataset_row *r = &list->row[i];
        const int column = columns_of(reader, i)->at[AT_GROUP];
        const char *name = csv_is_empty(r->file, r->row, column) ? NULL : row_text(r, column);
        r->group = DATASET_NONE;
        if (!name) continue;
        r->group = number_name(reader, &names,
                               tool_text("%lu %s", (unsigned long)reader->file[i], name), i);
        join_group(reader, i);
        if (r->role == ROLE_FIT) fitted[r->group] = 1;
    }
    list->groups = names.count;
    names_free(&names);
    for (size_t i = 0; i < list->rows; i++) {
        const dataset_row *r = &list->row[i];
        if (r->role == ROLE_SCORE && !fitted[r->group])
            csv_fail(r->file, r->row, columns_of(reader, i)->at[AT_GROUP],
                     "no row of group '%s' has role 'fit'", list->group[r->group].name);
    }
}

/* ---- Datasets: files ---------------------------------------------------------- */

void dataset_read(dataset_list *list, char *const *path, size_t files)
{
    dataset_reader reader;
    size_t n = 0;
    reader.list = list;
    reader.columns = tool_alloc(files, sizeof *reader.columns);
    list->rows = 0;
    for (size_t i = 0; i < files; i++) {
        reader.columns[i] = dataset_find_columns(csv_read(path[i], 0));
        list->rows += reader.columns[i].file->rows;
    }
    reader.file = tool_alloc(list->rows, sizeof *reader.file);
    reader.fit = tool_alloc(list->rows, sizeof *reader.fit);
    reader.first = tool_alloc(list->rows, sizeof *reader.first);
    list->row = tool_alloc(list->rows, sizeof *list->row);
    for (size_t i = 0; i < files; i++)
        for (size_t row = 0; row < reader.columns[i].file->rows; row++, n++) {
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
        if (length < sizeof ending || *entry->d_name == '.' ||
            strcmp(entry->d_name + length - (sizeof ending - 1), ending) != 0)
            continue;
        char *text = tool_alloc(strlen(folder) + length + 2, 1);
        sprintf(text, "%s/%s", folder, entry->d_name);
        *path = tool_one_more(*path, count, &room, sizeof **path);
        (*path)[count++] = text;
    }
    closedir(entries);
    if (count == 0) tool_fail("%s: no file ends in %s", folder, ending);
    qsort(*path, count, sizeof **path, compare_paths);
    return count;
}
