/* nccl.c - sgdperf import nccl: logs of nccl-tests to a table for --protocols */
#include "base/columns.h"
#include "base/digits.h"
#include "base/file.h"
#include "cmd/import/nccl.h"
#include "import/import.h"
#include "cmd/import/protocol_fit.h"
#include "model/topology.h"

#include <math.h>
#include <string.h>

/* One collective on one number of accelerators: how far off the table is. */
typedef struct nccl_error {
    nccl_point at;            /* of its first point                                 */
    size_t points;
    double mean, most;        /* relative, of the fit's own points                  */
    double left_out;          /* mean, of a fit without them; NAN: there is none    */
} nccl_error;

typedef struct nccl_job {
    nccl_points points;
    protocol_rows rows;
    nccl_error *error;        /* [errors]                                           */
    size_t errors, error_room;
} nccl_job;

/* ---- Errors ---------------------------------------------------------------- */

/* Sizes from 1 MB on: below it an exchange hardly counts in a step. */
static const double least_bytes = 1e6;

static int is_same(const nccl_point *a, const nccl_point *b)
{
    return a->collective == b->collective && a->machines == b->machines && a->gpus == b->gpus;
}

/* The mean and largest error of points like e->at by these rows; NAN: none holds. */
static size_t judge(const nccl_job *j, const nccl_error *e, const protocol_rows *rows,
                    double *mean, double *most)
{
    double sum = 0.0;
    size_t n = 0, i;
    *most = 0.0;
    for (i = 0; i < j->points.count; i++) {
        const nccl_point *p = &j->points.point[i];
        double off;
        if (!is_same(p, &e->at) || p->bytes < least_bytes) continue;
        off = fabs(protocols_time(rows, p) - p->time_s) / p->time_s;
        sum += off;
        if (off > *most) *most = off;
        n++;
    }
    *mean = n > 0 ? sum / (double)n : (double)NAN;
    if (n == 0) *most = (double)NAN;
    return n;
}

static void find_errors(nccl_job *j)
{
    size_t i, k;
    for (i = 0; i < j->points.count; i++) {
        nccl_error e = {.at = j->points.point[i]};
        for (k = 0; k < j->errors && !is_same(&j->error[k].at, &e.at); k++) { }
        if (k == j->errors) *IMPORT_ADD(j->error, j->errors, j->error_room) = e;
    }
    for (k = 0; k < j->errors; k++) {
        nccl_error *e = &j->error[k];
        const sgdpar_topology out = {.machines = e->at.machines, .gpus = e->at.gpus};
        protocol_rows rows;
        double most;
        e->points = judge(j, e, &j->rows, &e->mean, &e->most);
        protocols_fit(&rows, &j->points, &out);
        (void)judge(j, e, &rows, &e->left_out, &most);
        tool_free(rows.protocol);
    }
}

/* ---- Writing --------------------------------------------------------------- */

static void put(FILE *to, double value, char behind)
{
    char text[NUMBER_BYTES];
    fprintf(to, "%s%c", value > 0.0 ? number_write(value, text) : "", behind);
}

static void write_rows(const nccl_job *j, const char *path)
{
    out_file *out = out_open(NAME_OF(PROTOCOLS), path);
    FILE *to = out_stream(out);
    size_t i;
    fprintf(to, "# Fitted by sgdperf import nccl to %lu times of nccl-tests. Links given to "
                "predict are\n# limits beside most_bytes_per_s: declare them as they are or "
                "faster.\n"
                "protocol,collective,algorithm,form,from_bytes,below_bytes,from_machines,"
                "below_machines,base_s,latency_s,local_latency_s,most_bytes_per_s\n",
            (unsigned long)j->points.count);
    for (i = 0; i < j->rows.count; i++) {
        const sgdpar_protocol *p = &j->rows.protocol[i];
        fprintf(to, "nccl-tests,%s,%s,%s,", protocol_collectives[p->collective],
                protocol_algorithms[p->algorithm], protocol_forms[p->form]);
        put(to, p->range.from_bytes, ',');
        put(to, p->range.below_bytes, ',');
        put(to, p->range.from_machines, ',');
        put(to, p->range.below_machines, ',');
        put(to, p->cost.base_s, ',');
        put(to, p->cost.latency_s, ',');
        put(to, p->cost.local_latency_s, ',');
        put(to, p->cost.most_bytes_per_s, '\n');
    }
    out_commit(out);
}

/* ---- Printing -------------------------------------------------------------- */

static void print_rows(output *out, const nccl_job *j)
{
    columns c;
    size_t i;
    c = columns_open(out, JSON, "protocols");
    for (i = 0; c.in == JSON && columns_next(&c, i < j->rows.count); i++) {
        const sgdpar_protocol *p = &j->rows.protocol[i];
        column_text(&c, JSON, "collective", protocol_collectives[p->collective]);
        column_text(&c, JSON, "algorithm", protocol_algorithms[p->algorithm]);
        column_number(&c, JSON, "from_bytes", p->range.from_bytes);
        column_number(&c, JSON, "below_bytes", known_if(p->range.below_bytes > 0.0,
                                                        p->range.below_bytes));
        column_whole(&c, JSON, "from_machines", p->range.from_machines);
        column_number(&c, JSON, "base_s", p->cost.base_s);
        column_number(&c, JSON, "latency_s", p->cost.latency_s);
        column_number(&c, JSON, "local_latency_s", p->cost.local_latency_s);
        column_number(&c, JSON, "most_bytes_per_s", known_if(p->cost.most_bytes_per_s > 0.0,
                                                             p->cost.most_bytes_per_s));
    }
}

static void print_errors(output *out, const nccl_job *j)
{
    columns c;
    size_t i;
    c = columns_open(out, ALL, "errors");
    for (i = 0; columns_next(&c, i < j->errors); i++) {
        const nccl_error *e = &j->error[i];
        column_text(&c, ALL, "collective", protocol_collectives[e->at.collective]);
        column_whole(&c, ALL, "workers", (uint64_t)e->at.machines * e->at.gpus);
        column_whole(&c, ALL, "machines", e->at.machines);
        column_whole(&c, ALL, "points", e->points);
        column_round(&c, ALL, "mean_error", 3, e->mean);
        column_round(&c, ALL, "max_error", 3, e->most);
        column_round(&c, ALL, "left_out_mean_error", 3, e->left_out);
    }
    output_print(out, "errors of sizes from 1 MB on; left_out: by a fit without these workers\n");
}

static void note_left_out(const nccl_points *p)
{
    const size_t out = p->wrong + p->empty + p->cut;
    if (out > 0)
        tool_note("rows-left-out",
                  "%lu row%s left out: %lu with wrong results, %lu without bytes or a time, %lu "
                  "cut off", COUNTED(out), (unsigned long)p->wrong, (unsigned long)p->empty,
                  (unsigned long)p->cut);
    if (p->alone > 0)
        tool_note("left-out", "%lu row%s of one accelerator left out: it exchanges nothing",
                  COUNTED(p->alone));
}

/* Of one number of machines nothing tells how times grow with it. */
static void note_extrapolated(const nccl_job *j)
{
    uint32_t most = 0, second = 0;
    size_t i;
    for (i = 0; i < j->errors; i++) {
        const uint32_t n = j->error[i].at.machines;
        if (n > most) { second = most; most = n; }
        else if (n < most && n > second) second = n;
    }
    if (most < 2 || second < 2)
        tool_note("extrapolated",
                  "the logs hold %s: times of more machines than %lu are a guess; add a log of "
                  "%s machines", most < 2 ? "one machine alone" : "one number of machines beside 1",
                  (unsigned long)most, most < 2 ? "2 and of 4" : "another number of");
}

int import_nccl(const args *a)
{
    static const option_id others[] = {OPTION_VIEW, OPTION_MEASURED_ON, OPTION_BANDWIDTH,
                                       OPTION_WARMUP, OPTION_PROFILE, OPTION_TRACE, OPTION_LAYERS,
                                       OPTION_POINTS, OPTION_CHAKRA};
    const sgdpar_topology none = {0};
    nccl_job j = {0};
    output out = {0};
    const uint32_t gpus = (uint32_t)args_integer(a, OPTION_GPUS, 1, 1000000, 0);
    size_t i;
    args_refuse(a, others, COUNT_OF(others), "cannot be used with logs of nccl-tests");
    for (i = 1; i < a->file_count; i++) {
        stream *s = stream_open(a->files[i]);
        nccl_read(&j.points, s, gpus);
        stream_close(s);
    }
    if (j.points.count == 0)
        tool_fail("%s: no time of two accelerators or more is left", a->files[1]);
    protocols_fit(&j.rows, &j.points, &none);
    find_errors(&j);
    if (args_given(a, OPTION_PROTOCOLS)) write_rows(&j, args_text(a, OPTION_PROTOCOLS, ""));
    note_left_out(&j.points);
    note_extrapolated(&j);
    out.form = args_form(a);
    json_object(&out, NULL);
    json_string(&out, "source", "nccl");
    print_rows(&out, &j);
    print_errors(&out, &j);
    json_end(&out);
    return output_flush(&out, EXIT_DONE);
}
