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
    const int workers = csv_require(t, "workers"), rate = csv_require(t, "batches_per_s");
    const int role = csv_column(t, "role"), servers = csv_column(t, "servers");
    const int curve = csv_column(t, "job") == CSV_NONE ? csv_column(t, "curve") : CSV_NONE;
    size_t i;
    memset(points, 0, sizeof *points);
    points->file = t;
    points->count = t->rows;
    points->workers = tool_alloc(t->rows, sizeof *points->workers);
    points->batches_per_s = tool_alloc(t->rows, sizeof *points->batches_per_s);
    points->role = tool_alloc(t->rows, sizeof *points->role);
    if (servers != CSV_NONE)
        points->servers = tool_alloc(t->rows, sizeof *points->servers);
    for (i = 0; i < t->rows; i++) {
        if (curve != CSV_NONE && strcmp(csv_text(t, i, curve), csv_text(t, 0, curve)) != 0)
            csv_fail(t, i, curve, "'%s', but '%s' in line %lu: a file takes the points of one "
                                  "curve",
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

double point_error(const point_set *points, size_t i, double predicted)
{
    const double measured = points->batches_per_s[i];
    return (predicted - measured) / measured;
}

void errors_over(const sgdfit_rows *rows, const char *what, sgdfit_error_statistics *errors)
{
    size_t bytes = 0;
    memset(errors, 0, sizeof *errors);
    if (rows->n == 0) return;
    tool_check_fit(sgdfit_errors_bytes(rows, &bytes), what);
    if (sgdfit_errors(rows, tool_alloc(bytes, 1), bytes, errors) != SGDFIT_OK)
        tool_fail("%s: the errors are too large for a number", what);
}

void points_errors(const point_set *points, const double *predicted, point_role role,
                   sgdfit_error_statistics *errors)
{
    const size_t n = points->in_role[role];
    double *p = tool_alloc(n, sizeof *p), *m = tool_alloc(n, sizeof *m);
    const sgdfit_rows rows = {.predicted = p, .measured = m, .n = n};
    size_t used = 0, i;
    for (i = 0; i < points->count; i++) {
        if (points->role[i] != role) continue;
        p[used] = predicted[i];
        m[used++] = points->batches_per_s[i];
    }
    errors_over(&rows, points->file->name, errors);
}

void print_errors(output *out, const sgdfit_error_statistics errors[POINT_ROLES], size_t roles)
{
    columns c;
    size_t r;
    columns_open(&c, out, SCREEN | JSON, NULL);
    for (r = 0; r < roles; r++) {
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
