/* fit.c - sgdperf balance fit: measured times of batches to curves */
#include "base/columns.h"
#include "cmd/balance/balance.h"

#include <string.h>

static const option_use uses[] = {
    ABOUT(
    "usage: sgdperf balance fit POINTS.csv [option ...]\n"
    "\n"
    "Fits the curve of the time of a batch of x samples to measured times.\n"
    "\n"
    "The curve max(floor_s, launch_s + slope_s x) + communication_s of each worker is\n"
    "fitted by least squares: a constant up to one of the batches, or up to none, and\n"
    "a line above it. POINTS.csv (- is stdin) has one row per measurement, in any\n"
    "order, at least 3 and 2 batches a worker:\n"
    "  worker   name\n"
    "  batch    samples\n"
    "  time_s   seconds from the start of the batch until its gradient has arrived\n"
    "\n"
    "What is known\n"),
    USE(COMMUNICATION),
    HEADING("Output"),
    USE_HELP(FORMAT, "output format: table, csv (input of sgdperf balance gpu) or json", "table"),
    SECTION("Units",
    TIME_UNITS
    "\n"
    "deviation_s is the root of the mean squared error.\n"),
    SECTION("Example",
    "  $ printf '%s\\n' worker,batch,time_s gpu,8,0.5 gpu,16,0.5 gpu,32,0.7 \\\n"
    "      gpu,64,1.2 gpu,96,1.7 | sgdperf balance fit - --communication 100ms\n"
    "  worker  launch_s   slope_s  floor_s  communication_s  points  deviation_s\n"
    "  gpu          0.1  0.015625      0.4              0.1       5            0\n")
};

/* The points of all workers, those of one behind each other. */
typedef struct point_list {
    const csv_table *file;
    int        column[3];     /* worker, batch, time_s                              */
    name_index names;
    size_t    *owner;         /* [rows]                                             */
    uint32_t  *batch;         /* [rows] of the worker under way                     */
    double    *time_s;
} point_list;

typedef struct fitted { sgdbal_worker worker; double deviation_s; size_t points; } fitted;

static void read_points(point_list *p, const char *path)
{
    const csv_table *t = csv_read(path, 0);
    memset(p, 0, sizeof *p);
    p->file = t;
    CSV_REQUIRE(t, "worker", "batch", "time_s");
    p->column[0] = csv_require(t, "worker");
    p->column[1] = csv_require(t, "batch");
    p->column[2] = csv_require(t, "time_s");
    p->owner = (size_t *)tool_alloc(t->rows, sizeof *p->owner);
    p->batch = (uint32_t *)tool_alloc(t->rows, sizeof *p->batch);
    p->time_s = (double *)tool_alloc(t->rows, sizeof *p->time_s);
    for (size_t i = 0; i < t->rows; i++) {
        (void)name_add(&p->names, t, i, p->column[0], csv_text(t, i, p->column[0]), &p->owner[i]);
        (void)csv_integer(t, i, p->column[1], 1, UINT32_MAX);
        (void)csv_number(t, i, p->column[2], NUMBER_POSITIVE);
    }
}

/* Fails at the first row of the worker, or at the one whose time is too short. */
TOOL_NORETURN static void fail_fit(const point_list *p, size_t worker, double communication_s,
                                   sgdbal_status status)
{
    const char *name = names_text(&p->names, worker);
    size_t first = p->file->rows;
    for (size_t i = p->file->rows; i-- > 0; ) {
        if (p->owner[i] != worker) continue;
        first = i;
        if (csv_number(p->file, i, p->column[2], NUMBER_POSITIVE) < communication_s)
            csv_fail(p->file, i, p->column[2], "%s is less than the %g s of --communication",
                     csv_text(p->file, i, p->column[2]), communication_s);
    }
    if (status == SGDBAL_TOO_FEW_POINTS)
        csv_fail(p->file, first, p->column[0], "worker '%s' needs at least 3 points with at least "
                                               "2 different batches",
                 name);
    csv_fail(p->file, first, p->column[0], "'%s': %s", name, sgdbal_status_text(status));
}

static void fit_worker(const point_list *p, size_t worker, double communication_s, fitted *f)
{
    sgdbal_status status;
    f->points = 0;
    for (size_t i = 0; i < p->file->rows; i++) {
        if (p->owner[i] != worker) continue;
        p->batch[f->points] = (uint32_t)csv_integer(p->file, i, p->column[1], 1, UINT32_MAX);
        p->time_s[f->points++] = csv_number(p->file, i, p->column[2], NUMBER_POSITIVE);
    }
    status = sgdbal_worker_fit(p->batch, p->time_s, f->points, communication_s, &f->worker,
                               &f->deviation_s);
    if (status != SGDBAL_OK) fail_fit(p, worker, communication_s, status);
}

static void print(output *out, const point_list *p, const fitted *f)
{
    json_object(out, NULL);
    columns c = columns_open(out, ALL, "curves");
    for (size_t i = 0; columns_next(&c, i < p->names.count); i++) {
        column_text(&c, ALL, "worker", names_text(&p->names, i));
        column_number(&c, ALL, "launch_s", f[i].worker.launch_s);
        column_number(&c, ALL, "slope_s", f[i].worker.slope_s);
        column_number(&c, ALL, "floor_s", f[i].worker.floor_s);
        column_number(&c, ALL, "communication_s", f[i].worker.communication_s);
        column_whole(&c, ALL, "points", f[i].points);
        column_round(&c, ALL, "deviation_s", 3, f[i].deviation_s);
    }
    json_end(out);
}

static int run(args *a)
{
    static point_list points;
    output out = {.form = args_form(a)};
    double communication_s = args_number(a, OPTION_COMMUNICATION, 0.0);
    read_points(&points, a->files[0]);
    fitted *f = (fitted *)tool_alloc(points.names.count, sizeof *f);
    for (size_t i = 0; i < points.names.count; i++) fit_worker(&points, i, communication_s, &f[i]);
    print(&out, &points, f);
    return output_flush(&out, EXIT_DONE);
}

const args_command command_balance_fit = {"fit", NULL, run, uses,
                                          COUNT_OF(uses), NULL, 0, 1, 1, NULL, 0,
                                          EACH(OPTION_COMMUNICATION, OPTION_FORMAT)};
