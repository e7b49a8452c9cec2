/* points.c - measured points of a curve: reading them, errors of predictions */
#include "files/points.h"
#include "base/columns.h"
#include "files/status.h"

#include <string.h>

static const char *const role_names[POINT_ROLES] = {"fit", "score"};

const char *point_role_text(point_role role) { return role_names[role]; }

point_role point_role_of(const csv_table *t, size_t row, int column)
{
    return csv_is_empty(t, row, column) ? POINT_FIT
                                        : (point_role)csv_choice(t, row, column, role_names,
                                                                 POINT_ROLES);
}

void points_read(point_set *points, const char *path)
{
    const csv_table *t = csv_read(path, 0);
    CSV_REQUIRE(t, "workers", "batches_per_s");
    const int workers = csv_require(t, "workers"), rate = csv_require(t, "batches_per_s");
    const int role = csv_column(t, "role"), servers = csv_column(t, "servers");
    const int curve = csv_column(t, "job") == CSV_NONE ? csv_column(t, "curve") : CSV_NONE;
    memset(points, 0, sizeof *points);
    points->file = t;
    points->count = t->rows;
    points->workers = tool_alloc(t->rows, sizeof *points->workers);
    points->batches_per_s = tool_alloc(t->rows, sizeof *points->batches_per_s);
    points->role = tool_alloc(t->rows, sizeof *points->role);
    if (servers != CSV_NONE)
        points->servers = tool_alloc(t->rows, sizeof *points->servers);
    for (size_t i = 0; i < t->rows; i++) {
        if (curve != CSV_NONE && strcmp(csv_text(t, i, curve), csv_text(t, 0, curve)) != 0)
            csv_fail(t, i, curve, "'%s', but '%s' in line %lu: the file must have points of one "
                                  "curve only",
                     csv_text(t, i, curve), csv_text(t, 0, curve),
                     (unsigned long)csv_line(t, 0));
        points->workers[i] = (uint32_t)csv_integer(t, i, workers, 1, UINT32_MAX);
        points->batches_per_s[i] = csv_number(t, i, rate, NUMBER_POSITIVE);
        if (servers != CSV_NONE)
            points->servers[i] = (uint32_t)csv_integer(t, i, servers, 1, UINT32_MAX);
        if (role != CSV_NONE)
            points->role[i] = (point_role)csv_choice(t, i, role, role_names, POINT_ROLES);
        points->in_role[points->role[i]]++;
    }
}

size_t points_candidates(const point_set *points, const args *a, uint32_t **workers)
{
    size_t count = args_workers(a, OPTION_CANDIDATES, workers), i;
    uint32_t most = 1;
    if (count > 0) return count;
    for (i = 0; i < points->count; i++)
        if (points->workers[i] > most) most = points->workers[i];
    count = most < 512 ? 2 * (size_t)most : 1024;
    *workers = tool_alloc(count, sizeof **workers);
    for (i = 0; i < count; i++) (*workers)[i] = (uint32_t)(i + 1);
    return count;
}

sgdfit_status points_curve(sgdfit_blackbox model, const sgdfit_point *point, size_t n,
                           sgdfit_curve *out)
{
    size_t bytes = 0;
    sgdfit_status status = sgdfit_fit_bytes(model, n, &bytes);
    void *work = status == SGDFIT_OK ? tool_resize(NULL, bytes, 1) : NULL;
    if (status == SGDFIT_OK) status = sgdfit_fit(model, point, n, work, bytes, out);
    tool_free(work);
    return status;
}

sgdfit_error_statistics errors_over(const sgdfit_rows *rows, const char *what)
{
    sgdfit_error_statistics errors = {0};
    size_t bytes = 0;
    if (rows->n == 0) return errors;
    tool_check_fit(sgdfit_errors_bytes(rows, &bytes), what);
    if (sgdfit_errors(rows, tool_alloc(bytes, 1), bytes, &errors) != SGDFIT_OK)
        tool_fail("%s: the errors are too large for a number", what);
    return errors;
}

sgdfit_error_statistics errors_of_role(const sgdfit_rows *rows, const point_role *of,
                                       point_role role, const char *what)
{
    double *p = (double *)tool_alloc(rows->n, sizeof *p);
    double *m = (double *)tool_alloc(rows->n, sizeof *m);
    sgdfit_rows some = {.predicted = p, .measured = m};
    for (size_t i = 0; i < rows->n; i++) {
        if (!(rows->predicted[i] > 0.0) || of[i] != role) continue;
        p[some.n] = rows->predicted[i];
        m[some.n++] = rows->measured[i];
    }
    return errors_over(&some, what);
}

void points_errors(const point_set *points, const double *predicted,
                   sgdfit_error_statistics errors[POINT_ROLES])
{
    const sgdfit_rows rows = {.predicted = predicted, .measured = points->batches_per_s,
                              .n = points->count};
    for (size_t role = 0; role < POINT_ROLES; role++)
        errors[role] = errors_of_role(&rows, points->role, (point_role)role, points->file->name);
}

void print_errors(output *out, const sgdfit_error_statistics errors[POINT_ROLES], size_t roles)
{
    columns c = columns_open(out, SCREEN | JSON, NULL);
    for (size_t r = 0; r < roles; r++) {
        if (errors[r].rows == 0) {
            json_null(out, role_names[r]);
            continue;
        }
        json_object(out, role_names[r]);
        columns_row(&c);
        column_text(&c, SCREEN, "role", role_names[r]);
        column_whole(&c, ALL, "rows", errors[r].rows);
        column_round(&c, ALL, "mean_error", 3, errors[r].mean);
        column_round(&c, ALL, "median_error", 3, errors[r].median);
        column_round(&c, ALL, "max_error", 3, errors[r].max);
        column_round(&c, ALL, "bias", 3, errors[r].bias);
        json_end(out);
    }
    columns_close(&c);
}

double points_compute_s(const sgdp_job *job)
{
    const double step_s = job->compute.one_worker_step_s;
    return step_s > 0.0 ? step_s : job->compute.forward_s + job->compute.backward_s;
}

void points_note_far(const char *file, const char *model, double mean_error, double batches_per_s,
                     uint32_t workers, const sgdp_job *job)
{
    const double step_s = job->workers.types > 0 ? 0.0 : points_compute_s(job);
    if (mean_error > 0.5)
        tool_note("step-not-explained",
                  "%s: %s is off by %.3g %% on average: check the units and decimal points of "
                  "batches_per_s (mini-batches, not examples): %.5g were measured with %lu "
                  "worker%s%s", file, model, 100.0 * mean_error, batches_per_s, COUNTED(workers),
                  step_s > 0.0 ? tool_text(", and the computation of one worker allows %.4g",
                                           1.0 / step_s) : "");
}
