/* rivals.c - all measured rows by kind of cluster, ours beside simple rivals */
#include "model/rivals.h"

#include "base/file.h"
#include "base/words.h"
#include "files/status.h"
#include "model/job.h"
#include "model/topology.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COLLECTIVES "validation/collectives/"

const char *const rival_words[RIVALS] = {"linear", "amdahl", "usl", "printed"};

/* Kinds of rows whose dataset names none, in the order of the table. */
enum {
    K_INSIDE = 0, K_DECLARED, K_NETWORK, K_MACHINE, K_HIDDEN, K_CALIBRATED, K_JOBS, K_RING,
    K_SERVERS_CALIBRATED, K_SERVERS_DECLARED, K_SERVERS, K_LAYERS, K_ALLREDUCE_INSIDE,
    K_ALLREDUCE, K_ALLREDUCE_SHORT, KINDS
};

static const char *const kinds[KINDS] = {
    [K_INSIDE] = "one machine", [K_DECLARED] = "several machines",
    [K_NETWORK] = "several machines with --network",
    [K_MACHINE] = "several machines from a full one",
    [K_HIDDEN] = "accelerators with --overlap", [K_CALIBRATED] = "accelerators calibrated",
    [K_JOBS] = "several jobs on one network", [K_RING] = "ring with measured inputs",
    [K_SERVERS_CALIBRATED] = "servers calibrated", [K_SERVERS_DECLARED] = "servers declared",
    [K_SERVERS] = "servers with measured inputs", [K_LAYERS] = "layers by their totals",
    [K_ALLREDUCE_INSIDE] = "all-reduce in one machine",
    [K_ALLREDUCE] = "all-reduce between machines", [K_ALLREDUCE_SHORT] = "all-reduce below 1 MiB"
};

/* ---- Rows -------------------------------------------------------------------- */

typedef struct judged {
    const char *kind, *source;
    size_t      order;         /* of the kind; KINDS: one that a dataset names              */
    double      predicted, measured; /* throughputs; of an all-reduce its times         */
    double      rival[RIVALS]; /* 0: none                                                   */
    int         timed;
    int         banded, inside;
} judged;

typedef struct judged_list { judged *row; size_t count, room; } judged_list;

/* kind: NULL, or in place of the kind of this number. */
static judged *add_judged(judged_list *l, const char *source, const char *kind, size_t order)
{
    l->row = tool_one_more(l->row, l->count, &l->room, sizeof *l->row);
    judged *j = &l->row[l->count++];
    memset(j, 0, sizeof *j);
    j->source = source;
    j->order = kind ? words_find(kinds, KINDS, kind) : order;
    j->kind = kind ? kind : kinds[order];
    return j;
}

static size_t kind_of(const validation *v, const dataset_row *r)
{
    const int servers = r->mode != MODE_ALLREDUCE;
    switch (validate_class(v, r)) {
    case BAND_INSIDE:     return K_INSIDE;
    case BAND_NETWORK:    return K_NETWORK;
    case BAND_MACHINE:    return K_MACHINE;
    case BAND_LAYERED:    return K_LAYERS;
    case BAND_CALIBRATED: return servers ? K_SERVERS_CALIBRATED : K_CALIBRATED;
    case BAND_DECLARED:   return servers ? K_SERVERS_DECLARED : K_DECLARED;
    case BAND_MEASURED:
    case BAND_SERVERS:    return servers ? K_SERVERS : K_RING;
    case BAND_CLASSES:    break;
    }
    return r->job.collective.jobs > 1 ? K_JOBS : K_HIDDEN;
}

/* ---- Rivals ------------------------------------------------------------------ */

static const row_list *curve_of(const validation *v, const dataset_row *r)
{
    return &v->of_curve[v->curve[r - v->data.row]];
}

/* The throughput of one worker that a row of the curve has as an input; 0: none. */
static double measured_alone(const validation *v, const dataset_row *r)
{
    const row_list *curve = curve_of(v, r);
    for (size_t i = 0; i < curve->count; i++) {
        const dataset_row *one = &v->data.row[curve->row[i]];
        if (one->workers == 1 && one->role == ROLE_FIT) return one->batches_per_s;
    }
    return 0.0;
}

/* The configuration from which ours starts: one worker, or one full machine; 0: unknown. */
static sgdfit_point smallest_of(const validation *v, const dataset_row *r)
{
    const sgdp_compute *c = &r->job.compute;
    const uint32_t gpus = r->job.machine.gpus;
    sgdfit_point p = {1.0, r->job.servers.count, 0.0};
    sgdp_prediction alone = {0};
    sgdp_job job = validate_job(r, dataset_usual(r));
    if (c->one_worker_step_s > 0.0) {
        if (gpus > 1 && gpus <= r->workers) p.workers = gpus;
        p.batches_per_s = p.workers / c->one_worker_step_s;
    } else if (r->mode == MODE_ALLREDUCE && c->forward_s + c->backward_s > 0.0) {
        p.batches_per_s = 1.0 / (c->forward_s + c->backward_s + c->update_s);
    } else if (r->job.workers.types == 0 && !r->lacks && r->group == DATASET_NONE &&
               job_answer(&job, dataset_usual(r), 1, &alone) == SGDP_OK) {
        p.batches_per_s = alone.batches_per_s;
    } else {
        p.batches_per_s = measured_alone(v, r);
    }
    return p;
}

/* The smallest configuration, and of the row's curve the rows that calibrated ours; smaller: also
 * those below them. Returns how many points these are; at most `room`. */
static size_t points_of(const validation *v, size_t row, int smaller, sgdfit_point *point,
                        size_t room)
{
    const dataset_row *r = &v->data.row[row];
    const row_list *curve = curve_of(v, r);
    const sgdfit_point first = smallest_of(v, r);
    double largest = 0.0;
    size_t n = 0, k;
    if (r->group == DATASET_NONE || !(first.batches_per_s > 0.0)) return 0;
    point[n++] = first;
    for (size_t i = 0; i < v->of_group[r->group].count; i++) {
        const dataset_row *fit = &v->data.row[v->of_group[r->group].row[i]];
        if (fit->role != ROLE_FIT || curve_of(v, fit) != curve) continue;
        if (fit->workers > largest) largest = fit->workers;
        if (n < room) point[n++] = (sgdfit_point){fit->workers, first.servers, fit->batches_per_s};
    }
    for (size_t i = 0; i < curve->count && smaller && n < room; i++) {
        const dataset_row *other = &v->data.row[curve->row[i]];
        if (!(other->workers < largest)) continue;
        for (k = 0; k < n && (uint32_t)point[k].workers != other->workers; k++) {}
        if (k < n) continue;
        point[n++] = (sgdfit_point){other->workers, first.servers, other->batches_per_s};
    }
    return largest > 0.0 ? n : 0;
}

/* A black box's answer; 0: its points do not determine it. */
static double black_box(const validation *v, size_t row, sgdfit_blackbox model)
{
    enum { MOST = 64 };
    const dataset_row *r = &v->data.row[row];
    sgdfit_point point[MOST];
    sgdfit_curve curve;
    const size_t n = points_of(v, row, model == SGDFIT_USL, point, MOST);
    if (n == 0 || points_curve(model, point, n, &curve) != SGDFIT_OK) return 0.0;
    return sgdfit_curve_at(&curve, r->workers, r->job.servers.count);
}

static void add_row(judged_list *l, validation *v, size_t row)
{
    const dataset_row *r = &v->data.row[row];
    const band b = validate_band_at(v, row);
    const sgdfit_point first = smallest_of(v, r);
    judged *j = add_judged(l, r->source, r->kind, kind_of(v, r));
    j->measured = r->batches_per_s;
    j->predicted = validate_predicted(v, row, (size_t)dataset_usual(r));
    j->rival[RIVAL_LINEAR] = first.batches_per_s * r->workers / first.workers;
    j->rival[RIVAL_AMDAHL] = black_box(v, row, SGDFIT_AMDAHL);
    j->rival[RIVAL_USL] = black_box(v, row, SGDFIT_USL);
    j->rival[RIVAL_PRINTED] = r->rival;
    j->banded = band_is_known(b);
    j->inside = j->banded && validate_in_band(v, row);
}

/* ---- Micro-batches ----------------------------------------------------------- */

static double micro_batches(const dataset_row *r)
{
    return csv_number_or(r->file, r->row, csv_column(r->file, "accumulate"), NUMBER_POSITIVE, 0.0);
}

/* A row of more micro-batches, from the two rows of its curve that have fewer: a step is a + b m,
 * the form of Amdahl's law with m for workers, and m micro-batches a step for the throughput. */
static void add_third(judged_list *l, const validation *v, size_t row)
{
    const dataset_row *r = &v->data.row[row];
    const double m = micro_batches(r);
    sgdfit_point point[2];
    sgdfit_curve line;
    const row_list *curve = curve_of(v, r);
    size_t n = 0;
    for (size_t i = 0; i < curve->count && n < 3; i++) {
        const dataset_row *other = &v->data.row[curve->row[i]];
        const double k = micro_batches(other);
        if (!(k < m)) continue;
        if (n < 2) point[n] = (sgdfit_point){k, 0.0, k * other->batches_per_s};
        n++;
    }
    if (n != 2 || points_curve(SGDFIT_AMDAHL, point, n, &line) != SGDFIT_OK) return;
    judged *j = add_judged(l, r->source, r->kind, KINDS);
    j->measured = r->batches_per_s;
    j->predicted = sgdfit_curve_at(&line, m, 0.0) / m;
    j->rival[RIVAL_PRINTED] = r->rival;
}

/* ---- All-reduces ------------------------------------------------------------- */

/* The machines of a table, of tables.csv. */
typedef struct allreduce_table { const char *name; sgdpar_network on; } allreduce_table;

static allreduce_table *read_tables(size_t *count)
{
    const csv_table *t = csv_read(COLLECTIVES "tables.csv", 0);
    const int name = csv_require(t, "table"), file = csv_require(t, "protocols");
    const int between = csv_require(t, "bandwidth_bytes_per_s");
    const int inside = csv_require(t, "local_bandwidth_bytes_per_s");
    const int latency = csv_require(t, "latency_s");
    allreduce_table *table = (allreduce_table *)tool_alloc(t->rows, sizeof *table);
    for (size_t i = 0; i < t->rows; i++) {
        sgdpar_topology *on = &table[i].on.topology;
        char path[256];
        snprintf(path, sizeof path, COLLECTIVES "%s", csv_text(t, i, file));
        protocol_list list = protocols_of(csv_read(path, 0));
        table[i].name = csv_text(t, i, name);
        table[i].on.protocol = list.protocol;
        table[i].on.protocols = list.count;
        on->bandwidth_bytes_per_s = csv_number_or(t, i, between, NUMBER_POSITIVE, 0.0);
        on->local_bandwidth_bytes_per_s = csv_number(t, i, inside, NUMBER_POSITIVE);
        on->latency_s = csv_number_or(t, i, latency, NUMBER_NON_NEGATIVE, 0.0);
    }
    *count = t->rows;
    return table;
}

static void add_allreduces(judged_list *l, const char *path)
{
    const double least = 1048576.0;
    const csv_table *t = csv_read(path, 0);
    const int name = csv_require(t, "table"), machines = csv_require(t, "machines");
    const int gpus = csv_require(t, "gpus"), bytes = csv_require(t, "bytes");
    const int time = csv_require(t, "time_us");
    size_t tables, i;
    allreduce_table *table = read_tables(&tables);
    for (size_t row = 0; row < t->rows; row++) {
        const double size = csv_number(t, row, bytes, NUMBER_POSITIVE);
        const char *of = csv_text(t, row, name);
        double time_s = 0.0;
        for (i = 0; i < tables && strcmp(table[i].name, of) != 0; i++) {}
        if (i == tables) csv_fail(t, row, name, "'%s' is not in " COLLECTIVES "tables.csv", of);
        table[i].on.topology.machines = (uint32_t)csv_integer(t, row, machines, 1, 1000000);
        table[i].on.topology.gpus = (uint32_t)csv_integer(t, row, gpus, 1, 1000000);
        tool_check_parallel(sgdpar_best_protocol(SGDPAR_COLLECTIVE_ALL_REDUCE, &table[i].on, size,
                                                 NULL, &time_s), of);
        judged *j = add_judged(l, of, NULL, size < least ? K_ALLREDUCE_SHORT
                                      : table[i].on.topology.machines > 1 ? K_ALLREDUCE
                                                                          : K_ALLREDUCE_INSIDE);
        j->timed = 1;
        j->measured = csv_number(t, row, time, NUMBER_POSITIVE);
        j->predicted = 1e6 * time_s;
    }
}

/* ---- Lines ------------------------------------------------------------------- */

static int compare_judged(const void *a, const void *b)
{
    const judged *x = (const judged *)a, *y = (const judged *)b;
    if (x->order != y->order) return x->order < y->order ? -1 : 1;
    return strcmp(x->kind, y->kind) != 0 ? strcmp(x->kind, y->kind) : strcmp(x->source, y->source);
}

static void add_to_line(rival_line *line, const judged *j)
{
    const double error = fabs(relative_error(j->predicted, j->measured));
    line->rows++;
    line->error += error;
    line->fast += j->timed ? j->predicted < j->measured : j->predicted > j->measured;
    line->banded += j->banded != 0;
    line->inside += j->inside != 0;
    for (size_t k = 0; k < RIVALS; k++) {
        if (!(j->rival[k] > 0.0)) continue;
        line->rival[k].rows++;
        line->rival[k].ours += error;
        line->rival[k].theirs += fabs(relative_error(j->rival[k], j->measured));
    }
}

/* Sums to means. */
static void close_line(rival_line *line)
{
    line->error /= (double)line->rows;
    for (size_t k = 0; k < RIVALS; k++) {
        rival_pair *p = &line->rival[k];
        if (p->rows == 0) continue;
        p->ours /= (double)p->rows;
        p->theirs /= (double)p->rows;
    }
}

/* Sums of the rows, which are sorted; by_source: a line for each source of a kind. */
static rival_line *make_lines(const judged_list *l, int by_source, size_t *lines)
{
    rival_line *line = (rival_line *)tool_alloc(l->count, sizeof *line);
    size_t i;
    for (*lines = i = 0; i < l->count; i++) {
        const judged *j = &l->row[i], *last = i > 0 ? &l->row[i - 1] : NULL;
        const int kind = !last || strcmp(last->kind, j->kind) != 0;
        const int source = kind || strcmp(last->source, j->source) != 0;
        if (kind || (by_source && source)) {
            line[*lines].kind = j->kind;
            line[(*lines)++].source = by_source ? j->source : NULL;
        }
        line[*lines - 1].sources += source != 0;
        add_to_line(&line[*lines - 1], j);
    }
    for (i = 0; i < *lines; i++) close_line(&line[i]);
    return line;
}

/* A measurement may stand in several datasets. */
enum { KEY = 512 };

static const char *measurement_of(const dataset_row *r, char key[KEY])
{
    snprintf(key, KEY, "%s %.17g", r->point, r->batches_per_s);
    return key;
}

void rivals_read(rival_table *f, validation *v, int everything)
{
    static const char *const measured[] = {
        COLLECTIVES "measured/nccl_a100.csv", COLLECTIVES "measured/nccl_tests.csv"
    };
    judged_list l = {0};
    name_index points = {0}, sources = {0};
    char key[KEY];
    size_t before;
    memset(f, 0, sizeof *f);
    for (size_t i = 0; i < v->data.rows; i++) {
        const dataset_row *r = &v->data.row[i];
        before = l.count;
        if (!validate_is_scored(v, i)) {
            if (r->kind && micro_batches(r) > 0.0) add_third(&l, v, i);
        } else if (validate_predicted(v, i, (size_t)dataset_usual(r)) > 0.0) {
            add_row(&l, v, i);
        }
        if (l.count > before) (void)names_number(&points, measurement_of(r, key));
    }
    f->measurements = points.count;
    before = l.count;
    for (size_t i = 0; i < COUNT_OF(measured) && everything; i++)
        if (file_is_there(measured[i])) add_allreduces(&l, measured[i]);
    f->measurements += l.count - before;
    if (l.count == 0) return;
    for (size_t i = 0; i < l.count; i++) (void)names_number(&sources, l.row[i].source);
    f->sources = sources.count;
    names_free(&points);
    names_free(&sources);
    qsort(l.row, l.count, sizeof *l.row, compare_judged);
    f->line = make_lines(&l, 0, &f->lines);
    f->by_source = make_lines(&l, 1, &f->source_lines);
}
