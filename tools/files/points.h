/* points.h - measured points of a curve, as calibrate and fit take them */
#ifndef TOOLS_FILES_POINTS_H
#define TOOLS_FILES_POINTS_H

#include "sgdperf.h"
#include "sgdperf_fit.h"

#include "options/args.h"
#include "base/csv.h"
#include "base/output.h"

typedef enum point_role { POINT_FIT = 0, POINT_SCORE, POINT_ROLES } point_role;

typedef struct point_set {
    const csv_table *file;
    size_t      count;        /* of points, >= 1: row i of the file is point i      */
    uint32_t   *workers;      /* [count]                                            */
    uint32_t   *servers;      /* [count] NULL: the file has no such column          */
    double     *batches_per_s; /* [count] measured, > 0                             */
    point_role *role;         /* [count] of all: fit, where the file has no roles   */
    size_t      in_role[POINT_ROLES]; /* how many have the role                     */
} point_set;

/* "fit" or "score"; the role in a cell, that of an empty one is fit. */
const char *point_role_text(point_role role);
point_role point_role_of(const csv_table *t, size_t row, int column);

/* Rows workers,batches_per_s[,servers][,role][,curve], of one curve where no column job
 * says whose they are. */
void points_read(point_set *points, const char *path);

/* The numbers of workers of --candidates; without it 1 to twice the most measured, at most
 * 1024. How many they are. */
size_t points_candidates(const point_set *points, const args *a, uint32_t **workers);

static inline double relative_error(double predicted, double measured)
{
    return (predicted - measured) / measured;
}

/* The curve of a model through point[n]; SGDFIT_BAD_ARGUMENT: they do not determine it. */
sgdfit_status points_curve(sgdfit_blackbox model, const sgdfit_point *point, size_t n,
                           sgdfit_curve *out);

/* Errors of any rows, of the file `what`; without any: rows is 0. */
sgdfit_error_statistics errors_over(const sgdfit_rows *rows, const char *what);

/* The same of those rows that have a prediction, and this role of of[n]. */
sgdfit_error_statistics errors_of_role(const sgdfit_rows *rows, const point_role *of,
                                       point_role role, const char *what);

/* Errors of predicted[count] over the points of each role. */
void points_errors(const point_set *points, const double *predicted,
                   sgdfit_error_statistics errors[POINT_ROLES]);

/* Errors of so many roles: in JSON an object for each, or null without rows, and a table for a
 * human of those that have some. */
void print_errors(output *out, const sgdfit_error_statistics errors[POINT_ROLES], size_t roles);

/* The computation of one worker's mini-batch; 0: unknown. */
double points_compute_s(const sgdp_job *job);

/* Notes that a model misses the rows of `file` by more than half: a unit is wrong. The row that it
 * misses most has so many workers. */
void points_note_far(const char *file, const char *model, double mean_error, double batches_per_s,
                     uint32_t workers, const sgdp_job *job);

#endif /* TOOLS_FILES_POINTS_H */
