/* sgdperf_fit.h - v0.1.0 - fits models to measured distributed SGD - C99, one file
 *
 *   Turns logs and traces of a worker into a profile: times of passes and transfers.
 *   Fits unknown inputs of a model, or black-box curves, to measured throughputs.
 *   Suggests what to measure next. Tells how far off predictions were, and others may be.
 *
 * USE
 *   In exactly one C or C++ file:
 *       #define SGDPERF_FIT_IMPLEMENTATION
 *       #include "sgdperf_fit.h"
 *   Everywhere else include it plainly; including it twice is harmless.
 *   SGDPERF_FIT_STATIC, defined in that one file, keeps every symbol private to it.
 *   Link with -lm.
 *
 * EXAMPLE   a log of two steps: the mean of a phase, with its confidence interval
 *       static double work[64];
 *       sgdfit_phase_statistics of[SGDFIT_PHASE_COUNT];
 *       const sgdfit_phase_record log[] = {
 *         {.step = 1, .phase = SGDFIT_PHASE_FORWARD,  .start_s = 0.000, .end_s = 0.010},
 *         {.step = 1, .phase = SGDFIT_PHASE_BACKWARD, .start_s = 0.010, .end_s = 0.029},
 *         {.step = 2, .phase = SGDFIT_PHASE_FORWARD,  .start_s = 0.029, .end_s = 0.040},
 *         {.step = 2, .phase = SGDFIT_PHASE_BACKWARD, .start_s = 0.040, .end_s = 0.060}};
 *       if (sgdfit_profile_phases(log, 4, work, sizeof work, of, NULL) == SGDFIT_OK)
 *           printf("forward: %.1f ms +- %.1f\n", 1e3 * of[SGDFIT_PHASE_FORWARD].mean_s,
 *                  1e3 * of[SGDFIT_PHASE_FORWARD].ci95_half_width_s);
 *       // forward: 10.5 ms +- 6.4
 *
 * CONTENTS
 *   Status               sgdfit_status_text
 *   Black boxes          sgdfit_nnls  sgdfit_blackbox_parameters  sgdfit_fit
 *                        sgdfit_curve_at  sgdfit_leave_out  sgdfit_left_out_range
 *                        sgdfit_suggest_points  sgdfit_ranges
 *   Epochs to a loss     sgdfit_epochs_to_loss
 *   Measurements         sgdfit_profile_phases, _steps, _gaps, _activity, _bound, _traced
 *   Calibration          sgdfit_calibrate  sgdfit_told  sgdfit_suggest_runs
 *                        sgdfit_student  sgdfit_line  sgdfit_robust
 *   Errors and intervals sgdfit_errors  sgdfit_conformal  sgdfit_coverage
 *                        sgdfit_quantile
 *   Library              sgdfit_version  sgdfit_struct_bytes
 *
 * CONVENTIONS
 *   Units     seconds, bytes; a name ends in its unit: mean_s.
 *   Arrays    row-major; [n][k] is n*k doubles, element (i,j) at i*k + j.
 *   Defaults  zero every struct; a field left 0 or NULL takes its default.
 *
 *   Memory    nothing is allocated or kept. (work, work_bytes) is a work area, aligned
 *             for double; function ..._bytes() tells its size. Only inputs may alias.
 *
 *   Errors    bad input returns an sgdfit_status and writes no output; only
 *             SGDFIT_NOT_CONVERGED writes one: the best values found. SGDFIT_ASSERT never
 *             tests the caller's input.
 *
 *   Threads   no globals: calls with distinct work and out may run at once.
 *   Floats    IEEE 754 double. With -ffp-contract=off and without -ffast-math results
 *             have the same bits on every platform, except where the comment of a
 *             function says that it calls the platform's exp, log or pow.
 *
 * CONFIGURE   define beforehand: SGDPERF_FIT_STATIC, SGDFIT_API, SGDFIT_ASSERT(x)
 *
 * REFERENCES (cited by key), HISTORY and LICENSE are at the end of this file.
 */
#ifndef SGDPERF_FIT_H
#define SGDPERF_FIT_H

#define SGDPERF_FIT_VERSION_MAJOR 0
#define SGDPERF_FIT_VERSION_MINOR 1
#define SGDPERF_FIT_VERSION_PATCH 0
#define SGDPERF_FIT_VERSION                                                       \
    (SGDPERF_FIT_VERSION_MAJOR * 10000 + SGDPERF_FIT_VERSION_MINOR * 100 +        \
     SGDPERF_FIT_VERSION_PATCH)

#include <stddef.h>
#include <stdint.h>
#if defined(SGDFIT_API)
#elif !defined(SGDPERF_FIT_STATIC)
#define SGDFIT_API extern
#elif defined(__GNUC__)
#define SGDFIT_API static __attribute__((unused))
#else
#define SGDFIT_API static
#endif
#ifdef __cplusplus
extern "C" {
#endif

/* ---- Status ---------------------------------------------------------------- */

/* Statuses of functions. The first six have the same numbers in all headers. */
#define SGDFIT_STATUS_TABLE(X)                                                      \
    X(SGDFIT_OK,              "success")                                            \
    X(SGDFIT_BAD_ARGUMENT,    "null pointer, zero size, or value out of domain")    \
    X(SGDFIT_TOO_LARGE,       "a size exceeds the address space")                   \
    X(SGDFIT_SMALL_WORKSPACE, "work_bytes smaller than the _bytes() answer")        \
    X(SGDFIT_NOT_CONVERGED,   "iteration limit reached before the tolerance")       \
    X(SGDFIT_OVER_BUDGET,     "exceeds the allowed operations or bytes")

#define SGDFIT_X(name, text) name,
typedef enum sgdfit_status {
    SGDFIT_STATUS_TABLE(SGDFIT_X) SGDFIT_STATUS_COUNT
} sgdfit_status;
#undef SGDFIT_X

/* Returns the text of a status, such as "success"; "no such value" if out of range. */
SGDFIT_API const char *sgdfit_status_text(sgdfit_status status);

/* ---- Black boxes ----------------------------------------------------------- */

/* A system of linear equations, A x = b. Least squares allows more rows than columns. */
typedef struct sgdfit_system {
    const double *a;           /* [rows][columns] the matrix A                        */
    const double *b;           /* [rows] the right-hand side b                        */
    size_t        rows, columns;
} sgdfit_system;

/* Solves a non-negative least-squares problem: finds x >= 0 with the least norm of A x -
 * b [LH74, ch. 23]. x[columns] receives the solution, *residual (may be NULL) the norm of
 * A x - b.
 *
 * METHOD  Columns of A are first scaled to unit length. Each turn of the search chooses
 * the columns whose x may be positive, and solves for their x by modified Gram-Schmidt.
 *
 * SGDFIT_NOT_CONVERGED  Rounding errors made the search repeat itself. It stopped after
 * 30 * columns steps, each of which lets an element of x leave 0. The last x is written.
 * SGDFIT_BAD_ARGUMENT: NULL; a size of 0; a non-finite number; the Euclidean norm of b,
 * of x or of a column of A overflows a double. */
SGDFIT_API sgdfit_status sgdfit_nnls(const sgdfit_system *of, void *work,
                                     size_t work_bytes, double *x, double *residual);
/* Writes to *bytes the size of the work area. Reads only of->rows and of->columns. */
SGDFIT_API sgdfit_status sgdfit_nnls_bytes(const sgdfit_system *of, size_t *bytes);

/* Black-box models of throughput: formulas with parameters a0, a1, ... >= 0 that are
 * fitted to measured points. s is the time of a step in seconds, n the number of workers,
 * p the number of parameter servers, X = n / s the mini-batches per second:
 *   ERNEST         s = a0 + a1/n + a2 ln n + a3 n            [VYFRS16]
 *   OPTIMUS_ASYNC  s = a0 + a1 n                             [PBCWG18, one server]
 *   OPTIMUS_SYNC   s = a0/n + a1 + a2 n                      [PBCWG18, one server]
 *   AMDAHL         X = a0 n / (1 + a1 (n - 1))               a1: serial share
 *   USL            X = a0 n / (1 + a1 (n - 1) + a2 n (n - 1))  [G07]
 *   OPTIMUS_ASYNC_SERVERS  s = a0 + a1 n/p + a2 n + a3 p     [PBCWG18]
 *   OPTIMUS_SYNC_SERVERS   s = a0/n + a1 + a2 n/p + a3 n + a4 p  [PBCWG18]
 *
 * BATCH  In the formulas of OPTIMUS_SYNC, a0/n is the compute time of a worker that gets
 * 1/n of a fixed batch. So a fit holds for one size of the batch.
 *
 * FIT  sgdfit_nnls fits each model, to the least sum of squared relative errors of the
 * step time s. For AMDAHL and USL it fits 1/a0, a1/a0 and a2/a0, in which s is linear.
 *
 * COLUMNS of the table: name, word, number of parameters. */
#define SGDFIT_BLACKBOX_TABLE(X)                                     \
    X(SGDFIT_ERNEST,                "ernest",                4)      \
    X(SGDFIT_OPTIMUS_ASYNC,         "optimus-async",         2)      \
    X(SGDFIT_OPTIMUS_SYNC,          "optimus-sync",          3)      \
    X(SGDFIT_AMDAHL,                "amdahl",                2)      \
    X(SGDFIT_USL,                   "usl",                   3)      \
    X(SGDFIT_OPTIMUS_ASYNC_SERVERS, "optimus-async-servers", 4)      \
    X(SGDFIT_OPTIMUS_SYNC_SERVERS,  "optimus-sync-servers",  5)

#define SGDFIT_X(name, text, count) name,
typedef enum sgdfit_blackbox {
    SGDFIT_BLACKBOX_TABLE(SGDFIT_X) SGDFIT_BLACKBOX_COUNT
} sgdfit_blackbox;
#undef SGDFIT_X

#define SGDFIT_PARAMETERS 5

/* A configuration of a training job, and the throughput measured there. */
typedef struct sgdfit_point {
    double workers;            /* number of workers, >= 1                             */
    double servers;            /* number of parameter servers, >= 1; 0 means 1. Only  */
                               /*   models ..._SERVERS use it                         */
    double batches_per_s;      /* measured throughput, > 0; not read for a candidate  */
} sgdfit_point;

/* A fitted black-box model, and its errors at the points of the fit. */
typedef struct sgdfit_curve {
    sgdfit_blackbox model;
    size_t        parameters;  /* number of parameters of the model                   */
    double        parameter[SGDFIT_PARAMETERS]; /* a0, a1, ...                        */
    double        mean_error;  /* mean of |fitted - measured| / measured              */
    double        max_error;   /* largest |fitted - measured| / measured              */
} sgdfit_curve;

/* Word for a black-box model, such as "ernest"; "no such value" if out of range. */
SGDFIT_API const char *sgdfit_blackbox_text(sgdfit_blackbox model);
/* Number of parameters of a black-box model; 0 if there is no such model. */
SGDFIT_API size_t sgdfit_blackbox_parameters(sgdfit_blackbox model);

/* Fits a black-box model to n measured points, and writes the fitted curve to *out.
 *
 * POINTS must determine the parameters. A model without servers needs at least as many
 * different numbers of workers as parameters. A model ..._SERVERS needs points where no
 * term of its formula is a weighted sum of the other terms: n workers, p servers and n/p
 * must vary.
 *
 * COST  O(n p^2) time for each step of the search in sgdfit_nnls, with n points and p
 * parameters. ERNEST calls log.
 * STATUSES  Those of sgdfit_nnls. SGDFIT_BAD_ARGUMENT also for these causes: a point is
 * invalid; the points do not determine the parameters; AMDAHL or USL gives one worker an
 * infinite throughput. */
SGDFIT_API sgdfit_status sgdfit_fit(sgdfit_blackbox model, const sgdfit_point *point,
                                    size_t n, void *work, size_t work_bytes,
                                    sgdfit_curve *out);
SGDFIT_API sgdfit_status sgdfit_fit_bytes(sgdfit_blackbox model, size_t n, size_t *bytes);

/* Returns the throughput of a fitted curve, in mini-batches per second. `workers` >= 1
 * and `servers` >= 1 may be fractional; servers = 0 means 1. Returns 0 if the throughput
 * is not finite and positive, or if an argument is invalid. */
SGDFIT_API double sgdfit_curve_at(const sgdfit_curve *fit, double workers,
                                  double servers);

/* Results of cross-validation. Each fit leaves out one configuration and predicts it. */
typedef struct sgdfit_left_out {
    sgdfit_curve *curve;       /* [n] element i receives the fit without all points   */
                               /*   that have the workers and servers of point i      */
    double mean_error;         /* mean over the points of |predicted / measured - 1|  */
    double max_error;          /* the largest |predicted / measured - 1|              */
    double ratio;              /* the largest of predicted / measured and its inverse */
} sgdfit_left_out;

/* Cross-validates a black-box model [S74]. The function leaves out one configuration at a
 * time, fits the model to all other points and predicts the points left out. The caller
 * sets out->curve; the function sets the other fields.
 *
 * USE  Compare models by these errors. The errors of a fit at its own points say less:
 * they always shrink with more parameters.
 * COST  n calls of sgdfit_fit for n points. Statuses are those of sgdfit_fit: the points
 * that are left for each fit must determine the parameters. */
SGDFIT_API sgdfit_status sgdfit_leave_out(sgdfit_blackbox model,
                                          const sgdfit_point *point, size_t n,
                                          void *work, size_t work_bytes,
                                          sgdfit_left_out *out);
SGDFIT_API sgdfit_status sgdfit_leave_out_bytes(sgdfit_blackbox model, size_t n,
                                                size_t *bytes);

/* Writes an interval of the throughput of a configuration, from the n fits of
 * sgdfit_leave_out. *low is their least prediction divided by of->ratio, the worst error
 * of the fits. *high is their largest prediction times of->ratio. This is the
 * jackknife-minmax interval [BCRT21] of the logarithm.
 *
 * COVERAGE  With n configurations, the interval holds a new point with probability at
 * least n / (n + 1). This needs a new point drawn like the others, so not one of a larger
 * cluster.
 *
 * SGDFIT_BAD_ARGUMENT  NULL; n = 0; an invalid number; a fit that has no throughput for
 * this configuration. */
SGDFIT_API sgdfit_status sgdfit_left_out_range(const sgdfit_left_out *of, size_t n,
                                               double workers, double servers,
                                               double *low, double *high);

/* Input of sgdfit_suggest_points: points measured already, and candidates to measure. */
typedef struct sgdfit_point_design {
    sgdfit_blackbox     model;
    const sgdfit_curve *fit;       /* curve of the measured points, for step times.   */
                                   /*   NULL: all step times are assumed equal        */
    const sgdfit_point *measured;  /* [n] points measured already                     */
    size_t              n;         /* number of measured points, may be 0             */
    const sgdfit_point *candidate; /* [m] points that could be measured               */
    size_t              m;         /* number of candidates, >= 1                      */
} sgdfit_point_design;

/* Suggests which `count` of m candidate points to measure next, in addition to n measured
 * points, for the fit of a black-box model. The choice is D-optimal: the joint confidence
 * region of the parameters gets the least volume [KW60].
 *
 * chosen[count] receives indices of candidates; a candidate may occur more than once.
 * Each index adds the most information to the indices before it.
 *
 * spread[count], which may be NULL, receives for each chosen point how uncertain its
 * prediction is before the measurement: a standard deviation, in units of that of one
 * measurement. From 1e3 on, earlier points do not determine the prediction.
 *
 * METHOD  A step time s is a sum of terms, each with a parameter as factor. The vector g
 * of a point holds the terms without parameters, divided by s, because errors are
 * relative. The determinant of the sum of g g' over all points is maximised: first by
 * greedy choices, then by exchanges of single points while it grows [F72]. Ernest's own
 * choice is A-optimal: the squared axes of the confidence region have the least sum
 * [VYFRS16].
 *
 * COST  O(count m) time for each pass that tries to exchange each of `count` chosen
 * points for each of m candidates. Model ERNEST calls log.
 * SGDFIT_BAD_ARGUMENT: A required pointer is NULL; there is no candidate; count = 0; a
 * point is invalid; of->fit is a curve of another model, or has no throughput at some
 * point. */
SGDFIT_API sgdfit_status sgdfit_suggest_points(const sgdfit_point_design *of,
                                               size_t count, void *work,
                                               size_t work_bytes, size_t *chosen,
                                               double *spread);
/* Writes to *bytes the size of the work area. Reads only of->model and of->m. */
SGDFIT_API sgdfit_status sgdfit_suggest_points_bytes(const sgdfit_point_design *of,
                                                     size_t *bytes);

/* Input of sgdfit_ranges: measured times, and formulas for them. Formula f gives point i
 * the time sum over k of x[k] term[f][i][k]. For each f, constants x[k] >= 0 are
 * sought. */
typedef struct sgdfit_times {
    size_t        points, formulas, terms; /* numbers of points, formulas and terms   */
                               /*   of a formula, >= 1                                */
    size_t        bounds;      /* number of bounds, may be 0                          */
    const double *size;        /* [points] size of a point, such as bytes; >= 0       */
    const double *time_s;      /* [points] measured time of a point, seconds, > 0     */
    const double *term;        /* [formulas][points][terms] terms of formulas, >= 0   */
    const double *bound;       /* [bounds] sizes > 0, ascending                       */
    const unsigned char *extra; /* [points] 1: counts in the fit of a range, but not   */
                               /*   among the 3 points that it needs. NULL: all are 0 */
} sgdfit_times;

/* A range of sizes, and a formula with the constants that hold in it. */
typedef struct sgdfit_range {
    double        from, below; /* from <= size < below; below = 0: no upper end       */
    size_t        formula;     /* number f of the formula                             */
    double        mean_error;  /* mean of |fitted - measured| / measured              */
} sgdfit_range;

/* Fits measured times whose constants change with the size, for instance because a
 * library changes its algorithm. For each range of sizes and each formula, sgdfit_nnls
 * finds the constants with the least sum of squared relative errors.
 *
 * RANGES  Ranges of sizes meet at some of the given bounds. A range ends at the first
 * bound below which it has 3 points with extra = 0. If fewer than 3 would be left above,
 * it has no end. A point on a bound counts on both sides, so that neighbouring ranges
 * agree there.
 *
 * FORMULAS  A range keeps the formula with the least mean error e, and each formula with
 * an error up to 1.3 e + 0.002. For a size, a caller may take the kept formula with the
 * least time.
 *
 * OUTPUTS  `formulas`, `bounds` and `terms` are fields of *of:
 *   range[(bounds + 1) formulas]            the ranges, by size, then by formula
 *   constant[(bounds + 1) formulas][terms]  the constants x of each range
 *   *ranges                                 number of ranges; 0 if all points are extra
 *
 * COST  O(formulas points terms^2) time for each range and each step of sgdfit_nnls.
 * STATUSES  Those of sgdfit_nnls; SGDFIT_NOT_CONVERGED writes nothing here.
 * SGDFIT_BAD_ARGUMENT also for an invalid size, time, term or bound, or if an error
 * overflows. */
SGDFIT_API sgdfit_status sgdfit_ranges(const sgdfit_times *of, void *work,
                                       size_t work_bytes, sgdfit_range *range,
                                       double *constant, size_t *ranges);
/* Writes to *bytes the size of the work area. Reads only the four counts in *of. */
SGDFIT_API sgdfit_status sgdfit_ranges_bytes(const sgdfit_times *of, size_t *bytes);

/* ---- Epochs to a loss ------------------------------------------------------ */

/* The number x on which the epochs to a loss depend, linearly in ln x:
 *   WORKERS    x is the number of workers
 *   BATCH      x is the number of examples in one update of the model
 *   STALENESS  x is 1 + the staleness of gradients
 *
 * STALENESS  A gradient is computed with some parameters, and updates later ones. s is
 * the number of updates in between. s = 0 if workers wait for each other. K equal
 * asynchronous workers have s = K - 1 on average. */
#define SGDFIT_EPOCHS_BY_TABLE(X)                     \
    X(SGDFIT_EPOCHS_BY_WORKERS,   "workers")          \
    X(SGDFIT_EPOCHS_BY_BATCH,     "batch")            \
    X(SGDFIT_EPOCHS_BY_STALENESS, "staleness")

#define SGDFIT_X(name, text) name,
typedef enum sgdfit_epochs_by {
    SGDFIT_EPOCHS_BY_TABLE(SGDFIT_X) SGDFIT_EPOCHS_BY_COUNT
} sgdfit_epochs_by;
#undef SGDFIT_X

/* Word for what epochs depend on, such as "workers"; "no such value" if out of range. */
SGDFIT_API const char *sgdfit_epochs_by_text(sgdfit_epochs_by by);

/* Epochs that trainings needed to reach one loss, in ascending order of `at`. */
typedef struct sgdfit_epochs {
    sgdfit_epochs_by by;
    const double *at;          /* [points] workers > 0, or examples > 0, or s >= 0    */
    const double *epochs;      /* [points] epochs to the loss, > 0                    */
    size_t        points;
} sgdfit_epochs;

/* Writes to *epochs how many epochs a training needs to reach the loss. `batch` is the
 * number of examples in an update. `asynchronous` is 1 if workers do not wait, else 0.
 *
 * METHOD  Between two points of the table, epochs e are linear in ln x. The field
 * table->by says what x is:
 *     e = e1 + (e2 - e1) ln(x / x1) / ln(x2 / x1)
 * Outside the table nothing is extrapolated: *epochs = 0. Calls log, O(points).
 *
 * SGDFIT_BAD_ARGUMENT  NULL; no points; an invalid number; points that do not ascend. */
SGDFIT_API sgdfit_status sgdfit_epochs_to_loss(const sgdfit_epochs *table, double workers,
                                               double batch, int asynchronous,
                                               double *epochs);

/* ---- Measurements ---------------------------------------------------------- */

/* The phases of a profiled training step, in the order in which one worker runs them. */
#define SGDFIT_PHASE_TABLE(X)               \
    X(SGDFIT_PHASE_DOWNLINK, "downlink")    \
    X(SGDFIT_PHASE_FORWARD,  "forward")     \
    X(SGDFIT_PHASE_BACKWARD, "backward")    \
    X(SGDFIT_PHASE_UPLINK,   "uplink")      \
    X(SGDFIT_PHASE_UPDATE,   "update")

#define SGDFIT_X(name, text) name,
typedef enum sgdfit_phase {
    SGDFIT_PHASE_TABLE(SGDFIT_X) SGDFIT_PHASE_COUNT
} sgdfit_phase;
#undef SGDFIT_X

/* Word for a phase, such as "forward"; "no such value" if out of range. */
SGDFIT_API const char *sgdfit_phase_text(sgdfit_phase phase);

/* One entry of a log: a phase of one step, from start to end. */
typedef struct sgdfit_phase_record {
    uint64_t   step;           /* number of the training step                         */
    sgdfit_phase phase;
    double     start_s;        /* start, seconds since any fixed moment; finite       */
    double     end_s;          /* end on the same clock, seconds; >= start_s          */
} sgdfit_phase_record;

/* Statistics over steps of the time that a phase takes in a step. */
typedef struct sgdfit_phase_statistics {
    size_t steps;              /* number of steps in which the phase occurs           */
    double mean_s;             /* mean time of the phase in such a step, seconds      */
    double deviation_s;        /* its sample standard deviation, seconds; 0 for one   */
                               /*   step                                              */
    double ci95_half_width_s;  /* 95 % confidence interval of mean_s (Student's t):   */
                               /*   half-width, seconds; 0 for one step               */
} sgdfit_phase_statistics;

/* Computes the profile of one worker from n time-stamped records of its phases, in any
 * order. statistics[SGDFIT_PHASE_COUNT] receives the statistics of each phase. *steps,
 * if not NULL, receives the number of distinct steps. Time in which records of one phase
 * and step overlap counts once.
 *
 * COST  O(n log n) time; the work area holds a pointer for each of n records.
 * SGDFIT_BAD_ARGUMENT: a required pointer is NULL; there is no record; a record is
 * invalid; times overflow. */
SGDFIT_API sgdfit_status sgdfit_profile_phases(const sgdfit_phase_record *record,
                                               size_t n, void *work, size_t work_bytes,
                                               sgdfit_phase_statistics *statistics,
                                               size_t *steps);
SGDFIT_API sgdfit_status sgdfit_profile_phases_bytes(size_t n, size_t *bytes);

/* Computes how long whole training steps last, from n records of phases. A step lasts
 * from the first start to the last end of its records. *step receives the statistics of
 * the steps, and step->steps their number; all is 0 if no step is complete.
 *
 * INCOMPLETE STEPS  A step is skipped if it lacks a phase that is present in at least 75
 * % of the other steps. *cut, if not NULL, receives the number of skipped steps.
 *
 * COST, work area and statuses are those of sgdfit_profile_phases. */
SGDFIT_API sgdfit_status sgdfit_profile_steps(const sgdfit_phase_record *record, size_t n,
                                              void *work, size_t work_bytes,
                                              sgdfit_phase_statistics *step, size_t *cut);

/* Derives the compute times and update times of one worker from a log of its transfers
 * alone [LPCG18, sec. III-A]. All n records have phase SGDFIT_PHASE_DOWNLINK or _UPLINK.
 * gap[2n] receives the gaps between transfers, in the order of steps; *gaps the count.
 *
 * GAPS  A gap also contains network delays. The phase of a gap says what the gap is:
 *   SGDFIT_PHASE_FORWARD  both passes of the worker: from the end of a step's last
 *                         downlink to the start of its first uplink
 *   SGDFIT_PHASE_UPDATE   the update by the server: from the end of a step's last uplink
 *                         to the start of the next step's first downlink
 *
 * COST  O(n log n) time for n records. Work area and statuses are those of
 * sgdfit_profile_phases. SGDFIT_BAD_ARGUMENT also if a record has another phase, or if a
 * gap is negative because layers were sent while others were computed. */
SGDFIT_API sgdfit_status sgdfit_profile_gaps(const sgdfit_phase_record *record, size_t n,
                                             void *work, size_t work_bytes,
                                             sgdfit_phase_record *gap, size_t *gaps);

/* Kinds of activities of a traced worker: it computed, communicated or waited. */
typedef enum sgdfit_activity_kind {
    SGDFIT_ACTIVITY_COMPUTE = 0,
    SGDFIT_ACTIVITY_COMMUNICATION,
    SGDFIT_ACTIVITY_WAIT       /* the worker waited for the end of running work: its  */
                               /*   next kernel was queued, or its host was blocked   */
} sgdfit_activity_kind;

/* An activity of a traced worker: computation, communication or waiting. */
typedef struct sgdfit_activity {
    double             start_s; /* start, seconds since any fixed moment; finite      */
    double             end_s;  /* end on the same clock, seconds; >= start_s          */
    sgdfit_activity_kind kind;
} sgdfit_activity;

/* A training step of a trace. Activities count only between its start and end. */
typedef struct sgdfit_traced_step {
    const sgdfit_activity *activity; /* [n] activities, in any order                  */
    size_t                 n;      /* number of activities, may be 0                  */
    double                 start_s; /* start of the step, seconds; finite             */
    double                 end_s;  /* end of the step, seconds; >= start_s            */
} sgdfit_traced_step;

/* Parts of a traced step: step_s = compute_s + communication_s - overlap_s + host_s. */
typedef struct sgdfit_step_parts {
    double step_s;             /* duration of the step, seconds                       */
    double compute_s;          /* time with some computation, seconds                 */
    double communication_s;    /* time with some communication, seconds               */
    double overlap_s;          /* time with computation and communication, seconds    */
    double host_s;             /* time with neither: work of the host, seconds        */
    double exposed_s;          /* time for which communication stalls the worker,     */
                               /*   seconds; at most communication_s - overlap_s      */
} sgdfit_step_parts;

/* Computes the parts of the time of a traced step. Where activities of one kind overlap,
 * the time counts once. stalled_from_s[n], if not NULL, receives the start of the stall
 * (see STALLS) of each of n activities. Without a stall it receives the end of the
 * activity or of the step, whichever is earlier.
 *
 * STALLS  A stall is the end of a communication: the stretch up to its end in which
 * nothing computes and an activity of kind WAIT runs. If the step has no activity of kind
 * WAIT, the worker counts as waiting all the time. Stalls do not overlap. Their sum is
 * parts->exposed_s.
 *
 * COST  O(n log n) time; at most 48 bytes of work area for each of n activities.
 * STATUSES  SGDFIT_TOO_LARGE, SGDFIT_SMALL_WORKSPACE. SGDFIT_BAD_ARGUMENT: a required
 * pointer is NULL; an activity has an invalid kind; an activity or the step ends before
 * it starts; a time is not finite. */
SGDFIT_API sgdfit_status sgdfit_profile_activity(const sgdfit_traced_step *of, void *work,
                                                 size_t work_bytes,
                                                 sgdfit_step_parts *parts,
                                                 double *stalled_from_s);
/* Writes to *bytes the size of the work area. Reads only of->n. */
SGDFIT_API sgdfit_status sgdfit_profile_activity_bytes(const sgdfit_traced_step *of,
                                                       size_t *bytes);

/* Bounds: what limits the speed of a traced step. The bound with the longest time is the
 * limit, on ties the first one. The times are made of fields of sgdfit_step_parts:
 *   HOST           step_s - compute_s - exposed_s
 *   ACCELERATOR    compute_s
 *   COMMUNICATION  exposed_s */
#define SGDFIT_BOUND_TABLE(X)                         \
    X(SGDFIT_BOUND_HOST,          "host")             \
    X(SGDFIT_BOUND_ACCELERATOR,   "accelerator")      \
    X(SGDFIT_BOUND_COMMUNICATION, "communication")

#define SGDFIT_X(name, text) name,
typedef enum sgdfit_bound {
    SGDFIT_BOUND_TABLE(SGDFIT_X) SGDFIT_BOUND_COUNT
} sgdfit_bound;
#undef SGDFIT_X

/* Word for a bound, such as "host"; "no such value" if out of range. */
SGDFIT_API const char *sgdfit_bound_text(sgdfit_bound bound);
/* Returns what limits the speed of a traced step. `parts` must not be NULL. */
SGDFIT_API sgdfit_bound sgdfit_profile_bound(const sgdfit_step_parts *parts);

/* The inputs with which a model of all-reduce SGD reproduces a traced step. */
typedef struct sgdfit_traced {
    double forward_s, backward_s; /* times of the passes; their ratio is read         */
    double model_bytes;        /* bytes all-reduced in a step                         */
    double bandwidth_bytes_per_s; /* with it a ring takes communication_s for these   */
                               /*   bytes; see OVERLAP of sgdfit_profile_traced      */
    double overlap_exponent;   /* p in [1, 64]: compute C and exchange E together     */
                               /*   take (C^p + E^p)^(1/p) seconds; 0: no exchange    */
} sgdfit_traced;

/* Computes the profile of an all-reduce job from a trace of `workers` workers. *parts
 * holds means over the traced steps. exchanged_bytes is the number of bytes that the
 * workers all-reduce in a step; an all-gather or reduce-scatter of M bytes counts M / 2.
 *
 * COMPUTE  forward_s and backward_s of *out are set to add up to step_s - exposed_s. They
 * keep the ratio that they have in *out before the call (1 : 2 if both are 0).
 *
 * OVERLAP  The exponent p of *out is chosen such that compute C and exchange E of a ring
 * together take (C^p + E^p)^(1/p) = step_s. If even exponent 64 gives a longer step,
 * compute and exchange are both shortened by the same factor, at most 1.1 %.
 *
 * NO EXCHANGE  With one worker, or if communication_s is 0, forward_s and backward_s are
 * set to add up to step_s. The other fields of *out become 0.
 *
 * SGDFIT_BAD_ARGUMENT  A pointer is NULL; workers = 0; a time in *parts or *out is
 * negative, not finite or contradictory; exchanged_bytes is negative, or is 0 although
 * several workers communicate. Calls pow. */
SGDFIT_API sgdfit_status sgdfit_profile_traced(const sgdfit_step_parts *parts,
                                               uint32_t workers, double exchanged_bytes,
                                               sgdfit_traced *out);

/* ---- Calibration ----------------------------------------------------------- */

/* Largest number of unknowns that sgdfit_calibrate fits at once. */
#define SGDFIT_UNKNOWNS 4

/* Kinds of unknowns. The search varies a number y in place of the unknown, because the
 * time of a step is nearly linear in y. The kind says what y is. */
typedef enum sgdfit_kind {
    SGDFIT_TIME = 0,           /* a time or a size: y is the unknown                  */
    SGDFIT_RATE,               /* a rate, such as a bandwidth: y = 1 / unknown        */
    SGDFIT_EXPONENT,           /* exponent of an overlap: y = 1 / unknown             */
    SGDFIT_SHARE,              /* a share without effect above some value: y is the   */
                               /*   share, from 0 to high                             */
    SGDFIT_STEPS               /* a threshold: as it grows, each prediction jumps     */
                               /*   once. y is the threshold, from 0 to high          */
} sgdfit_kind;

/* An unknown of a model. Its kind says which number y the search varies: the unknown
 * itself, or 1 / unknown. The other fields give the range of y. */
typedef struct sgdfit_unknown {
    sgdfit_kind kind;
    double      least;         /* y that has no effect, or nearly none; in [0, low]   */
    double      low;           /* start of the range of y, > 0                        */
    double      high;          /* end of the range of y: the effect is too large. The */
                               /*   scan goes from low to high by equal factors; for  */
                               /*   SHARE and STEPS from 0 to high by equal           */
                               /*   differences                                       */
} sgdfit_unknown;

/* A function of the caller that predicts the throughputs of points first .. first + count
 * - 1 and writes them to rate[count]. A point is a measured configuration. value[i] is
 * the value of unknown i; below 0, each point uses its own value of this unknown.
 *
 * RETURNS 0 or an sgdfit_status. If a point cannot be predicted, the function writes rate
 * 0 for this point and skips later points. At the call `work` may hold anything. */
typedef int (*sgdfit_predict)(const void *ctx, const double *value, size_t first,
                              size_t count, void *work, double *rate);

/* A function of the caller that writes the elasticities of the throughput X of one point
 * to e[unknowns]: d ln X / d ln unknown for each unknown. value[], `work` and the
 * returned status are as in sgdfit_predict. */
typedef int (*sgdfit_elasticity)(const void *ctx, const double *value, size_t point,
                                 void *work, double *e);

/* The model to be calibrated: a function that predicts throughputs from unknowns, and one
 * that gives their elasticities. For training jobs these are sgdp_runs_predict() and
 * sgdp_runs_elasticity() of sgdperf.h. */
typedef struct sgdfit_model {
    sgdfit_predict    predict;
    sgdfit_elasticity elasticity; /* NULL: differences of predictions, 1e-5 apart     */
    const void       *ctx;     /* passed to both functions                            */
    size_t            work_bytes; /* size of their work area, bytes                   */
} sgdfit_model;

/* sgdfit_calibrate splits its search into parts that do not depend on each other. This
 * function of the library computes part i; an sgdfit_deal of the caller calls it. `work`
 * is the work area of the search, or another one of equal size.
 *
 * RESULT  The function writes every byte of *result. The bytes hold no pointers, so that
 * a process may send them to another one. */
typedef void (*sgdfit_part)(const void *search, size_t i, void *work, void *result);

/* A function of the caller that runs parts 0 .. count - 1 of a search, and returns when
 * all are done. The result of part i has result_bytes bytes, and goes to results[i].
 * Parts may run in any order and in several processes. They may run in several threads,
 * if each thread has its own work area. */
typedef void (*sgdfit_deal)(void *ctx, sgdfit_part part, const void *search,
                            size_t count, void *results, size_t result_bytes);

/* A prior: what is known of an unknown before any measurement, such as a declared value.
 *
 * With priors sgdfit_calibrate minimises a sum of two terms. The first is the sum over
 * points of (relative error / noise)^2. The second is the sum over unknowns of (distance
 * from the prior / spread)^2. So an unknown on which the points hardly depend stays near
 * its prior. Ranges are widened to contain the priors. No unknown is left out.
 *
 * POINTS needed: at least 1, and at least the number of unknowns without a prior.
 *
 * INTERVALS  With priors, an interval comes from prior and points together, as a normal
 * distribution: of ln unknown if the prior is log-normal, else of the unknown. It is
 * wider if errors exceed `noise` of sgdfit_problem. The field `determined` then tests
 * only unknowns without a prior. */
typedef struct sgdfit_prior {
    double value;              /* most likely value of the unknown; > 0 if it is      */
                               /*   log-normal                                        */
    double spread;             /* standard deviation of ln unknown, or of the unknown */
                               /*   if it is normal. 0: no prior                      */
    int    normal;             /* 1: the unknown is normal. 0: it is log-normal, as a */
                               /*   bandwidth                                         */
} sgdfit_prior;

/* A calibration problem: a model, its unknowns, and n measured throughputs. */
typedef struct sgdfit_problem {
    sgdfit_model          model;
    const sgdfit_unknown *unknown;  /* [unknowns] the unknowns sought                 */
    size_t                unknowns; /* 1 to SGDFIT_UNKNOWNS; without priors at most n */
    const double         *measured; /* [n] measured throughputs, > 0                  */
    size_t                n;        /* number of measured points                      */
    double      level;         /* confidence level of the intervals, in [0, 1), 0.9   */
                               /*   say. 0: no intervals, and all unknowns are kept   */
    sgdfit_deal deal;          /* runs parts of the search: nodes of its scan, then   */
                               /*   searches from minima of the scan; the order       */
                               /*   changes no bit. NULL: one after another           */
    void       *deal_ctx;      /* passed to deal                                      */
    const sgdfit_prior *prior; /* [unknowns] priors, none for SHARE and STEPS;        */
                               /*   NULL: no unknown has a prior                      */
    double      noise;         /* standard deviation of a measured point's relative   */
                               /*   error, used beside priors; default 0.02           */
} sgdfit_problem;

/* Result of a calibration. Each array has an element for each unknown of sgdfit_problem.
 *
 * SELECTION  If level > 0, unknowns that the points do not need are left out one by one
 * (backward elimination). The next one is the unknown whose removal raises the sum of
 * squared errors least. It is left out if the rise is below t^2 s^2 (F test). t is the
 * two-sided 95 % point of Student's t, s^2 the mean square of the residuals. On ties the
 * last unknown goes. An unknown needed to predict a point stays.
 *
 * INTERVALS  If level > 0, each fit gives intervals of its unknowns. They follow from
 * s^2, the mean square error, and J, the derivatives of the errors: covariance s^2
 * (J'J)^-1, with Student's t for n - fitted degrees of freedom. low and high enclose the
 * intervals of all fits, before and after unknowns were left out: an effect that the data
 * do not show may exist.
 *
 * NO INTERVAL  A fit has no confidence interval if the points cannot separate its
 * unknowns, or if there are as many unknowns as points. An unknown without an interval in
 * all fits gets low = 0 and high = HUGE_VAL.
 *
 * DETERMINED  The field `determined` is 0 if some unknown changes no prediction: the norm
 * of its elasticities is below 1e-4. It is also 0 if other unknowns can make the same
 * change. Unknowns of kind SHARE or STEPS are not tested. */
typedef struct sgdfit_calibration {
    int    kept[SGDFIT_UNKNOWNS]; /* 1: fitted. 0: left out, as the points do not     */
                               /*   tell its value; each point uses its own value     */
    double value[SGDFIT_UNKNOWNS]; /* fitted value; 0 if left out                     */
    double low[SGDFIT_UNKNOWNS]; /* lower end of the interval; 0 without a level      */
    double high[SGDFIT_UNKNOWNS]; /* upper end, or HUGE_VAL; 0 without a level        */
    size_t fitted;             /* number of unknowns kept, >= 1                       */
    int    determined;         /* 0: other values of kept unknowns fit as well        */
    double deviation;          /* standard deviation of relative errors of points,    */
                               /*   from the residuals; 0 without a level, or with as */
                               /*   many unknowns as points                           */
    double mean_error;         /* mean of |predicted - measured| / measured           */
    double max_error;          /* largest |predicted - measured| / measured           */
    size_t evaluations;        /* number of predictions made in the search            */
} sgdfit_calibration;

/* Finds the values of unknowns with which predictions come closest to n measured
 * throughputs: the least sum of squared relative errors. The comments of sgdfit_prior and
 * sgdfit_calibration explain priors, selection and intervals.
 *
 * SEARCH  A scan tries the ranges; with several unknowns, all combinations of values.
 * Golden-section search and Levenberg-Marquardt start from the minima of the scan. A
 * prediction that fails counts as infinitely bad.
 *
 * ACCURACY  From exact data the unknowns are found to 1e-6. In tests with several
 * unknowns, one of kind STEPS, 2 % of random curves ended in a wrong minimum nearby. If
 * an infinite RATE, such as a bandwidth, fits best, the result is the largest value
 * tried.
 *
 * THRESHOLDS  For an unknown of kind STEPS the sum of squares is a step function; the
 * result is the middle of the best interval. If a SHARE fits best where it has no effect,
 * the result is the middle of the range without effect.
 *
 * COST  With n points, about 100 n predictions for one unknown (up to 300 n), 1500 n for
 * two, up to 3000 n for more. A level > 0 takes up to 10 times as many. If unknowns have
 * nearly equal effects, points without noise take several times as many. Calls exp, log.
 *
 * STATUSES  If no prediction succeeds, the status of the first failed prediction.
 * SGDFIT_BAD_ARGUMENT for these causes:
 *   NULL; a throughput not > 0; an empty range; a level not in [0, 1); too many unknowns
 *   an unknown without a prior that changes no prediction
 *   an unknown of kind SHARE or STEPS, with a level or a prior
 *   a noise or spread that is negative or not finite
 *   a prior value that is not finite or, if log-normal, not > 0 */
SGDFIT_API sgdfit_status sgdfit_calibrate(const sgdfit_problem *of, void *work,
                                          size_t work_bytes, sgdfit_calibration *out);
SGDFIT_API sgdfit_status sgdfit_calibrate_bytes(const sgdfit_problem *of, size_t *bytes);

/* Writes to told[unknowns] how much the n points decided each value: 1 - (variance with
 * the points) / (variance of the prior). The model is taken as linear around the values.
 * Near 0 the prior decided the value, near 1 the points did. An unknown without a prior
 * gets 1. An unknown that was left out (value below 0) gets 0.
 *
 * COST  2 n predictions for each unknown, and the work area of sgdfit_calibrate.
 * SGDFIT_BAD_ARGUMENT as sgdfit_calibrate. Also: all unknowns were left out; a value is
 * not finite or out of its range; the points cannot separate the unknowns. */
SGDFIT_API sgdfit_status sgdfit_told(const sgdfit_problem *of, const double *value,
                                     void *work, size_t work_bytes, double *told);

/* Runs to choose from. Each run is described by the elasticities of its throughput, d ln
 * throughput / d ln unknown, for k unknowns. */
typedef struct sgdfit_design {
    size_t        unknowns;    /* k, number of unknowns, 1 to SGDFIT_UNKNOWNS         */
    const double *measured;    /* [n][k] elasticities of the measured runs            */
    size_t        n;           /* number of measured runs, may be 0                   */
    const double *candidate;   /* [m][k] elasticities of the candidates               */
    size_t        m;           /* number of candidates, >= 1                          */
} sgdfit_design;

/* Suggests which `count` of m candidate runs to measure next, besides n measured runs.
 * The choice is D-optimal: the joint confidence region of the unknowns gets the least
 * volume, for relative errors of equal variance [KW60]. chosen[count] receives indices of
 * candidates; an index may occur more than once.
 *
 * spread[count], which may be NULL, receives for each chosen run how uncertain its
 * prediction is before the measurement: in standard deviations of one measurement.
 *
 * METHOD  Vector e holds the elasticities of a run: d ln throughput / d ln unknown.
 * Matrix A is the sum of e e' over measured and chosen runs. The determinant of A is
 * maximised. First, runs are added where the prediction is least certain: e' A^-1 e is
 * largest. Then single runs are exchanged while the determinant grows [F72].
 *
 * COST  O(count m) time for each pass that tries to exchange each of `count` chosen runs
 * for each of m candidates.
 * SGDFIT_BAD_ARGUMENT: A required pointer is NULL; no candidate; count = 0; of->unknowns
 * is out of range; an elasticity is not finite; no unknown has an effect on any
 * candidate. */
SGDFIT_API sgdfit_status sgdfit_suggest_runs(const sgdfit_design *of, size_t count,
                                             size_t *chosen, double *spread);

/* Returns the two-sided point t of Student's t distribution: P(|T| > t) = 1 - level. More
 * than 1000 degrees of freedom count as 1000, where t is 0.1 % above that of the normal
 * distribution. Returns NaN if level is not in (0, 1) or degrees = 0. */
SGDFIT_API double sgdfit_student(double level, uint64_t degrees);

/* A straight line through points, y = slope x + intercept, and confidence intervals. */
typedef struct sgdfit_straight {
    double slope, slope_low, slope_high;             /* low, high: -HUGE_VAL and      */
    double intercept, intercept_low, intercept_high; /*   HUGE_VAL if unknown         */
    double deviation;          /* standard deviation of points about the line; 0 if   */
                               /*   no more points than unknowns                      */
    int    sloped;             /* 0: all x are equal, and the slope is set to 0       */
} sgdfit_straight;

/* Fits a line to n points (x[i], y[i]) by least squares. Slope and intercept may have
 * either sign. If all x are equal, the slope is 0 and the intercept the mean of y. O(n).
 *
 * INTERVALS have confidence `level`, in (0, 1), for independent deviations of equal
 * variance. They use Student's t with n - 2 degrees of freedom; n - 1 if all x are equal.
 * SGDFIT_BAD_ARGUMENT: A pointer is NULL; n = 0; level is out of range; a number is not
 * finite; a sum or the slope overflows. */
SGDFIT_API sgdfit_status sgdfit_line(const double *x, const double *y, size_t n,
                                     double level, sgdfit_straight *out);

/* A function of the caller that predicts all measured values from the value of one
 * unknown, and writes them to predicted[n]. `work` has work_bytes bytes with any content.
 * Returns 0 or an sgdfit_status. */
typedef int (*sgdfit_response)(const void *ctx, double value, void *work,
                               double *predicted);

/* Input of sgdfit_robust: measured values, and what predicts them. */
typedef struct sgdfit_robust_problem {
    sgdfit_response predict;
    const void     *ctx;       /* passed to predict                                   */
    size_t          work_bytes; /* size of predict's work area, bytes                 */
    const double   *measured;  /* [n] measured values, > 0                            */
    const uint32_t *set;       /* [n] set of a row: 0, 1, ..., in ascending order;    */
                               /*   errors of one set (one step, one run) are alike   */
    size_t          n;         /* number of rows                                      */
    double          low, high; /* range of the unknown: 0 < low < high                */
    double          level;     /* confidence level of the interval, in (0, 1)         */
    double          tolerance; /* relative error of a row whose loss is 1/2 (see LOSS */
                               /*   of sgdfit_robust); default 0.05                   */
} sgdfit_robust_problem;

/* Result of sgdfit_robust. */
typedef struct sgdfit_robust_result {
    double value;              /* the best value tried; the first of equally good     */
    double low, high;          /* interval of the value; low 0 or high HUGE_VAL: the  */
                               /*   rows do not determine this end                    */
    double loss;               /* mean loss at the value, in [0, 1]; 0: no errors     */
    int    determined;         /* 0: a value at an end of the range fits as well      */
    size_t evaluations;        /* number of calls of predict                          */
} sgdfit_robust_result;

/* Fits one unknown of which a small change may make predictions jump. Writes the value
 * with the least mean loss, and its interval.
 *
 * LOSS  A row with relative error e has the loss e / (e + tolerance) [GM85]. So the loss
 * counts the rows that are predicted badly, and hardly how badly. The mean loss is the
 * mean over sets of the mean over the rows of a set.
 *
 * SEARCH  A scan tries 400 values from low to high in equal ratios. Then 10 ever finer
 * grids follow around each of its 8 best minima. The last grid is 1e6 times as fine.
 *
 * INTERVAL  It reaches from the least to the largest value whose loss is not
 * significantly above that of the best value. The test takes the difference of the two
 * losses in each set. The difference is significant if its mean over sets exceeds t
 * standard deviations of this mean, with Student's t at `level`.
 *
 * COST  About 1,500 calls of predict. Calls pow.
 * STATUSES  If a call of `predict` fails, its status is returned. SGDFIT_BAD_ARGUMENT: a
 * pointer is NULL; n = 0; a measured value, of->range, level or tolerance is out of
 * domain; `set` is not 0, 1, ... in order; a prediction is not finite. */
SGDFIT_API sgdfit_status sgdfit_robust(const sgdfit_robust_problem *of, void *work,
                                       size_t work_bytes, sgdfit_robust_result *out);
SGDFIT_API sgdfit_status sgdfit_robust_bytes(const sgdfit_robust_problem *of,
                                             size_t *bytes);

/* ---- Errors and intervals -------------------------------------------------- */

/* Predicted and measured values by row, and a selection of rows. A row is one measured
 * setting. A set is a group of rows with similar errors, such as one cluster. */
typedef struct sgdfit_rows {
    const double   *predicted; /* [n] predicted values                                */
    const double   *measured;  /* [n] measured values, in the same unit               */
    size_t          n;         /* number of rows                                      */
    const uint32_t *set;       /* [n] set of a row; NULL: each row is its own set     */
    const uint32_t *only;      /* only rows of set *only count; NULL: rows of all sets */
    const uint32_t *without;   /* rows of set *without do not count; NULL: all do     */
} sgdfit_rows;

/* Statistics of the relative errors of predictions. */
typedef struct sgdfit_error_statistics {
    size_t rows;               /* number of rows that count                           */
    double mean, median, p5, p95, max; /* of |predicted - measured| / measured; p5    */
                               /*   and p95: 5 % and 95 % quantiles                   */
    double bias;               /* mean of (predicted - measured) / measured, with sign */
} sgdfit_error_statistics;

/* Computes statistics of the relative errors of the rows that of->only and of->without
 * select. O(n log n) time for n = of->n rows. The work area has 8 bytes a row.
 * SGDFIT_BAD_ARGUMENT: A pointer is NULL; no row is selected; of->only or of->without is
 * given, but of->set is NULL; in a selected row the measured value is not > 0 or the
 * prediction is not finite. */
SGDFIT_API sgdfit_status sgdfit_errors(const sgdfit_rows *of, void *work,
                                       size_t work_bytes, sgdfit_error_statistics *out);
/* Writes to *bytes the size of the work area. Reads only of->n. */
SGDFIT_API sgdfit_status sgdfit_errors_bytes(const sgdfit_rows *of, size_t *bytes);

/* A band around a prediction, from (1 - low) times to (1 + high) times the prediction.
 *
 * LEVEL of each end  is the probability that a row is inside this end. For a band of
 * probability `level` and G sets of rows it is
 *   level' = 1 - (1 - level) / 2 * G / (G + 1),  or (1 + level) / 2 if `set` is NULL
 * The rows of one set have similar errors, and the next row belongs to a new set. So
 * level' exceeds (1 + level) / 2: level 0.9 gives 0.975 for G = 1 and 0.955 for G = 9.
 *
 * TRUST  The formula of level' is our rule, not a theorem; sgdfit_coverage tests it. With
 * few sets a band holds less than `level`: in simulations at level 0.9, bands from 4 sets
 * held 81 % of the rows, bands from 19 sets 89 %. */
typedef struct sgdfit_band {
    double low, high;          /* relative to the prediction; HUGE_VAL: too few rows  */
    double level;              /* level' of sgdfit_conformal: the quantile of each end */
    size_t rows;               /* number of rows that count                           */
    size_t sets;               /* G, number of sets to which these rows belong        */
} sgdfit_band;

/* Computes a band that holds a row not seen yet with probability `level`, by split
 * (inductive) conformal prediction [PPVG02] [VGS05]. The rows that of->only and
 * of->without select must be of the kind of the new row. The band is too narrow if the
 * model was tuned on some of these rows.
 *
 * ENDS  Each end is computed by itself, so that half of the rows outside lie below the
 * band. `low` is the ceil((n + 1) level')-th smallest value of 1 - measured / predicted
 * among n selected rows. `high` is that of measured / predicted - 1. Neither is below 0.
 * level' is the probability of one end (sgdfit_band). Fewer than about 1 / (1 - level')
 * rows give HUGE_VAL.
 *
 * GUARANTEE  If rows are exchangeable (each order of them is as likely), the next row
 * lies within each end with probability >= level', for any distribution of errors. Real
 * rows are not exchangeable.
 *
 * COST  O(n log n) time and 16n bytes of work area for n given rows.
 * SGDFIT_BAD_ARGUMENT: A pointer is NULL; no row is selected; level is not in (0, 1);
 * of->only or of->without is given, but of->set is NULL; in a selected row a value is not
 * > 0 or not finite. */
SGDFIT_API sgdfit_status sgdfit_conformal(const sgdfit_rows *of, double level, void *work,
                                          size_t work_bytes, sgdfit_band *out);
/* Writes to *bytes the size of the work area. Reads only of->n. */
SGDFIT_API sgdfit_status sgdfit_conformal_bytes(const sgdfit_rows *of, size_t *bytes);

/* Result of sgdfit_coverage: rows within the band computed from all other sets. */
typedef struct sgdfit_coverage_result {
    size_t rows;               /* number of rows tested, all with a finite band       */
    size_t covered;            /* number of tested rows that lie within the band      */
    double low, high;          /* means of the ends over the tested rows              */
} sgdfit_coverage_result;

/* Tests sgdfit_conformal. Each of G sets is left out in turn; the function counts its
 * rows that lie within the band computed from the other sets. of->set needs at least two
 * sets. of->only and of->without must be NULL.
 *
 * COST  O(G n log n + n^2) time for n rows in G sets. Work area and statuses are those of
 * sgdfit_conformal. SGDFIT_BAD_ARGUMENT also if no band is finite. */
SGDFIT_API sgdfit_status sgdfit_coverage(const sgdfit_rows *of, double level, void *work,
                                         size_t work_bytes, sgdfit_coverage_result *out);

/* Returns the quantile q, in [0, 1], of n ascending numbers sorted[n]. Between neighbours
 * the quantile is linear: the median of an even number of values is the mean of the
 * middle two. Returns NaN if n = 0 or q is not in [0, 1]. */
SGDFIT_API double sgdfit_quantile(const double *sorted, size_t n, double q);

/* ---- Library --------------------------------------------------------------- */

/* Returns the SGDPERF_FIT_VERSION of the compiled implementation. A program that loads a
 * shared library compares the result with the version of its own header.
 *
 * EXPORTS  To export or import the functions, define SGDFIT_API before every inclusion of
 * the header, as __attribute__((visibility("default"))) or __declspec(dllimport). */
SGDFIT_API int sgdfit_version(void);

/* Returns the size in bytes of the public struct called `name`, as compiled. Returns 0 if
 * there is no such struct. A binding in another language can check its own size by it. */
SGDFIT_API size_t sgdfit_struct_bytes(const char *name);

#define SGDFIT_STRUCT_TABLE(X) \
    X(sgdfit_system) X(sgdfit_point) X(sgdfit_curve) X(sgdfit_point_design) \
    X(sgdfit_left_out) X(sgdfit_epochs) \
    X(sgdfit_times) X(sgdfit_range) \
    X(sgdfit_phase_record) X(sgdfit_phase_statistics) X(sgdfit_activity) \
    X(sgdfit_traced_step) X(sgdfit_step_parts) X(sgdfit_traced) \
    X(sgdfit_unknown) X(sgdfit_model) X(sgdfit_prior) X(sgdfit_problem) \
    X(sgdfit_calibration) X(sgdfit_design) X(sgdfit_straight) \
    X(sgdfit_robust_problem) X(sgdfit_robust_result) X(sgdfit_rows) \
    X(sgdfit_error_statistics) X(sgdfit_band) \
    X(sgdfit_coverage_result)

#ifdef __cplusplus
}
#endif
#endif /* SGDPERF_FIT_H */

#if defined(SGDPERF_FIT_IMPLEMENTATION) && !defined(SGDPERF_FIT_IMPLEMENTED)
#define SGDPERF_FIT_IMPLEMENTED
/* ============================================================================
 *   IMPLEMENTATION
 *   Contents of the code below: chapters, each with its parts in their order.
 *   Common block         the same in all headers: checks, work areas, sorting
 *   Black boxes          non-negative least squares
 *                        designs, D-optimal
 *                        curves
 *                        ranges of sizes
 *   Epochs to a loss     between points of a table
 *   Measurements         phases to a profile
 *                        activities to the parts of a step
 *   Calibration          unknowns and mismatch
 *                        nodes of the scan
 *                        parallel parts
 *                        the scan for starting points
 *                        descent from a starting point
 *                        are the unknowns determined?
 *                        priors and fits of a subset
 *                        pooled unknowns, intervals
 *                        posterior with priors
 *                        the next run to measure
 *                        straight line
 *                        one unknown with jumps
 *   Errors and intervals errors
 *                        bands
 * ==========================================================================*/

#ifndef SGDFIT_ASSERT
#include <assert.h>
#define SGDFIT_ASSERT(x) assert(x)
#endif
#include <float.h>
#include <math.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Common block -----------------------------------------------------------------
 * These lines stand in each header, equal up to the prefix, so that each header works
 * alone. The functions are inline because not every header uses all of them. */

/* Text of an enumeration value; "no such value" if i is out of range. */
static inline const char *sgdfit_priv_text(const char *const *text, size_t count,
                                           size_t i)
{
    return i < count ? text[i] : "no such value";
}

SGDFIT_API const char *sgdfit_status_text(sgdfit_status status)
{
#define SGDFIT_X(name, text) text,
    static const char *const text[] = { SGDFIT_STATUS_TABLE(SGDFIT_X) };
#undef SGDFIT_X
    return sgdfit_priv_text(text, SGDFIT_STATUS_COUNT, (size_t)status);
}

SGDFIT_API int sgdfit_version(void) { return SGDPERF_FIT_VERSION; }

SGDFIT_API size_t sgdfit_struct_bytes(const char *name)
{
#define SGDFIT_X(type) { #type, sizeof(type) },
    static const struct { const char *name; size_t bytes; } known[] = {
        SGDFIT_STRUCT_TABLE(SGDFIT_X) };
#undef SGDFIT_X
    size_t i;
    for (i = 0; name && i < sizeof known / sizeof known[0]; i++)
        if (strcmp(known[i].name, name) == 0) return known[i].bytes;
    return 0;
}

/* A time is finite and >= 0, a rate finite and > 0. NaN is neither, as it fails every
 * comparison. Ranges are tested because -ffast-math may take isfinite for true. */
static inline int sgdfit_priv_is_time(double x) { return x >= 0.0 && x <= DBL_MAX; }
static inline int sgdfit_priv_is_rate(double x) { return x > 0.0 && x <= DBL_MAX; }

/* True if a equals b. Written without ==, so that -Wfloat-equal finds mistakes. */
static inline int sgdfit_priv_same(double a, double b) { return a <= b && a >= b; }

/* Divides the caller's work area into arrays. With base NULL it only counts bytes, so one
 * routine both answers ..._bytes() and lays out the work area. */
typedef struct sgdfit_priv_arena {
    char  *base;
    size_t used;
    int    overflow;
} sgdfit_priv_arena;

static inline sgdfit_priv_arena sgdfit_priv_arena_at(void *base)
{
    sgdfit_priv_arena arena;
    arena.base = (char *)base;
    arena.used = 0;
    arena.overflow = 0;
    return arena;
}

#ifndef SGDFIT_PRIV_TAKEN
#define SGDFIT_PRIV_TAKEN(arena, at, bytes) ((void)0)  /* of tests/gaps.h */
#endif
/* Takes `count` elements of `size` bytes, aligned for double. NULL while counting. */
static inline void *sgdfit_priv_take(sgdfit_priv_arena *arena, size_t count,
                                     size_t size)
{
    const size_t limit = (size_t)-1 / sizeof(double) * sizeof(double), at = arena->used;
    SGDFIT_ASSERT(size > 0 && at % sizeof(double) == 0);
    if (arena->overflow || count > (limit - at) / size) {
        arena->overflow = 1;
        return NULL;
    }
    arena->used = (at + count * size + sizeof(double) - 1) / sizeof(double);
    arena->used *= sizeof(double);
    SGDFIT_PRIV_TAKEN(arena, at, count * size);
    return arena->base ? arena->base + at : NULL;
}

static inline double *sgdfit_priv_doubles(sgdfit_priv_arena *arena, size_t count)
{
    return (double *)sgdfit_priv_take(arena, count, sizeof(double));
}

/* Answers a ..._bytes() from an arena that has counted. */
static inline sgdfit_status sgdfit_priv_answer(const sgdfit_priv_arena *arena,
                                               size_t *bytes)
{
    if (!bytes) return SGDFIT_BAD_ARGUMENT;
    if (arena->overflow) return SGDFIT_TOO_LARGE;
    *bytes = arena->used;
    return SGDFIT_OK;
}

/* Checks that the caller's work area is not NULL, is aligned, and is large enough. */
static inline sgdfit_status sgdfit_priv_check_work(const void *work,
                                                   size_t work_bytes, size_t need)
{
    if (need == 0) return SGDFIT_OK;
    if (!work || (uintptr_t)work % sizeof(double) != 0) return SGDFIT_BAD_ARGUMENT;
    return work_bytes < need ? SGDFIT_SMALL_WORKSPACE : SGDFIT_OK;
}

/* The mixing function of SplitMix64 [SLF14]: 64 random bits that depend only on x. */
static inline uint64_t sgdfit_priv_mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* 64 random bits that depend only on (seed, a, b). There is no state: a draw does not
 * depend on the draws before it. */
static inline uint64_t sgdfit_priv_random(uint64_t seed, uint64_t a, uint64_t b)
{
    return sgdfit_priv_mix(sgdfit_priv_mix(sgdfit_priv_mix(seed) ^ a) ^ b);
}

/* Uniform in [0, 1): the upper 53 of the random bits. */
static inline double sgdfit_priv_uniform(uint64_t random)
{
    return (double)(random >> 11) / 9007199254740992.0;
}

/* Two-sided 95 % point of Student's t. Beyond the table: the expansion of Cornish and
 * Fisher in 1 / degrees [AS64, 26.7.5], with a relative error below 1e-7. */
static inline double sgdfit_priv_student95(uint64_t degrees)
{
    static const double table[] = {
        12.7062047361747, 4.30265272974946, 3.18244630528371, 2.77644510519779,
        2.57058183563632, 2.44691185114497, 2.36462425159279, 2.30600413520417,
        2.26215716279821, 2.22813885198627, 2.20098516009164, 2.17881282966723,
        2.16036865646279, 2.1447866879178,  2.13144954555978, 2.11990529922125,
        2.10981557783332, 2.10092204024104, 2.09302405440831, 2.08596344726586
    };
    const double x = 1.95996398454005424, x2 = x * x; /* of the normal distribution */
    const double g1 = x * (x2 + 1.0) / 4.0;
    const double g2 = x * ((5.0 * x2 + 16.0) * x2 + 3.0) / 96.0;
    const double g3 = x * (((3.0 * x2 + 19.0) * x2 + 17.0) * x2 - 15.0) / 384.0;
    const double g4 = x * ((((79.0 * x2 + 776.0) * x2 + 1482.0) * x2 - 1920.0) * x2
                           - 945.0) / 92160.0;
    const double v = (double)degrees;
    SGDFIT_ASSERT(degrees >= 1);
    if (degrees <= sizeof table / sizeof table[0]) return table[degrees - 1];
    return x + (g1 + (g2 + (g3 + g4 / v) / v) / v) / v;
}

/* Largest size of an element that sgdfit_priv_sort can sort, in bytes. */
#define SGDFIT_PRIV_SORTED_BYTES 32

/* Tells whether element a comes before element b. */
typedef int (*sgdfit_priv_sort_order)(const void *ctx, const void *a, const void *b);

static inline void sgdfit_priv_swap(char *a, char *b, size_t size)
{
    char held[SGDFIT_PRIV_SORTED_BYTES];
    memcpy(held, a, size);
    memcpy(a, b, size);
    memcpy(b, held, size);
}

/* Sinks element `at` to its place in the heap base[n]. The top of the heap is the
 * element that comes last in order. */
static inline void sgdfit_priv_sort_sink(char *base, size_t at, size_t n, size_t size,
                                         sgdfit_priv_sort_order before,
                                         const void *ctx)
{
    while (at < n / 2) {                   /* while `at` has a child */
        char *here = base + at * size, *child = base + (2 * at + 1) * size;
        if (2 * at + 2 < n && before(ctx, child, child + size)) child += size;
        if (!before(ctx, here, child)) return;
        sgdfit_priv_swap(here, child, size);
        at = (size_t)(child - base) / size;
    }
}

/* Heap sort in place: O(n log n) for every order of the input. qsort may call malloc. */
static inline void sgdfit_priv_sort(void *elements, size_t n, size_t size,
                                    sgdfit_priv_sort_order before,
                                    const void *ctx)
{
    char *base = (char *)elements;
    size_t i;
    SGDFIT_ASSERT(size <= SGDFIT_PRIV_SORTED_BYTES);
    for (i = 1; i < n; i++)
        if (before(ctx, base + i * size, base + (i - 1) * size)) break;
    if (i >= n) return;                    /* already in order, as logs often are */
    for (i = n / 2; i-- > 0;) sgdfit_priv_sort_sink(base, i, n, size, before, ctx);
    for (i = n; i-- > 1;) {
        sgdfit_priv_swap(base, base + i * size, size);
        sgdfit_priv_sort_sink(base, 0, i, size, before, ctx);
    }
}
/* ---- End of the Common block ------------------------------------------------------ */

/* ---- Black boxes: non-negative least squares ------------------------------- */

/* A problem of sgdfit_nnls. Columns count as scaled to length 1, and b to largest 1, so
 * the tolerances below need no unit. */
typedef struct sgdfit_priv_nnls {
    sgdfit_system of;
    size_t  passive;           /* size of the passive set: columns that may be > 0  */
    size_t *order;             /* [columns] passive ones by entry, then the others  */
    double  size;              /* largest |b|                                       */
    double *length;            /* [columns] lengths of a's columns; 0: all zeros    */
    double *q;                 /* [columns][rows] orthonormal basis of passive ones */
    double *r;                 /* [columns][columns] triangle; passive ones = q r   */
    double *z;                 /* [passive] least squares over the passive set      */
    double *rest;              /* [rows] residual of b at z                         */
    double *x;                 /* [columns] the iterate, >= 0                       */
    double *gradient;          /* [columns] column . rest: the gain of raising x    */
} sgdfit_priv_nnls;

/* A matrix of doubles, columns > 0. */
static double *sgdfit_priv_matrix(sgdfit_priv_arena *arena, size_t rows, size_t columns)
{
    arena->overflow |= rows > (size_t)-1 / sizeof(double) / columns;
    return sgdfit_priv_doubles(arena, arena->overflow ? 0 : rows * columns);
}

static void sgdfit_priv_nnls_carve(sgdfit_priv_nnls *s, sgdfit_priv_arena *arena)
{
    const size_t rows = s->of.rows, columns = s->of.columns;
    s->order = (size_t *)sgdfit_priv_take(arena, columns, sizeof(size_t));
    s->length = sgdfit_priv_doubles(arena, columns);
    s->z = sgdfit_priv_doubles(arena, columns);
    s->x = sgdfit_priv_doubles(arena, columns);
    s->gradient = sgdfit_priv_doubles(arena, columns);
    s->rest = sgdfit_priv_doubles(arena, rows);
    s->r = sgdfit_priv_matrix(arena, columns, columns);
    s->q = sgdfit_priv_matrix(arena, rows, columns);
}

SGDFIT_API sgdfit_status sgdfit_nnls_bytes(const sgdfit_system *of, size_t *bytes)
{
    sgdfit_priv_arena arena = sgdfit_priv_arena_at(NULL);
    sgdfit_priv_nnls s;
    if (!of || of->rows == 0 || of->columns == 0) return SGDFIT_BAD_ARGUMENT;
    memset(&s, 0, sizeof s);
    s.of = *of;
    sgdfit_priv_nnls_carve(&s, &arena);
    return sgdfit_priv_answer(&arena, bytes);
}

static int sgdfit_priv_all_finite(const double *v, size_t n)
{
    size_t i;
    for (i = 0; i < n; i++)
        if (!(v[i] >= -DBL_MAX && v[i] <= DBL_MAX)) return 0;
    return 1;
}

static double sgdfit_priv_largest(const double *v, size_t n, size_t stride)
{
    double largest = 0.0;
    size_t i;
    for (i = 0; i < n; i++)
        if (fabs(v[i * stride]) > largest) largest = fabs(v[i * stride]);
    return largest;
}

/* Euclidean norm of n numbers, `stride` apart. It is scaled, as squares may overflow. */
static double sgdfit_priv_norm(const double *v, size_t n, size_t stride)
{
    const double largest = sgdfit_priv_largest(v, n, stride);
    double sum = 0.0;
    size_t i;
    if (!(largest > 0.0)) return 0.0;
    for (i = 0; i < n; i++) {
        const double part = v[i * stride] / largest;
        sum += part * part;
    }
    SGDFIT_ASSERT(sum >= 1.0 && sum <= (double)n);
    return largest * sqrt(sum);
}

/* Subtracts from v its component along the unit vector u, and returns that. */
static double sgdfit_priv_take_out(double *v, const double *u, size_t n)
{
    double component = 0.0;
    size_t i;
    for (i = 0; i < n; i++) component += u[i] * v[i];
    for (i = 0; i < n; i++) v[i] -= component * u[i];
    return component;
}

/* Column k of q and r by modified Gram-Schmidt. With b treated as a last column, as in
 * sgdfit_priv_nnls_solve, it is as accurate as Householder's reflections (Bjorck, BIT
 * 1967). Returns 0 if the column depends on those before it. */
static int sgdfit_priv_nnls_orthogonalize(sgdfit_priv_nnls *s, size_t k)
{
    const size_t m = s->of.rows, n = s->of.columns, j = s->order[k];
    double *v = s->q + k * m, distance;
    size_t i, h;
    for (i = 0; i < m; i++) v[i] = s->of.a[i * n + j] / s->length[j];
    for (h = 0; h < k; h++) s->r[h * n + k] = sgdfit_priv_take_out(v, s->q + h * m, m);
    distance = sgdfit_priv_norm(v, m, 1);
    SGDFIT_ASSERT(k < m && j < n && s->length[j] > 0.0);
    if (!(distance > 0.0)) return 0;
    for (i = 0; i < m; i++) v[i] /= distance;
    s->r[k * n + k] = distance;
    return 1;
}

/* Computes z and rest from q and r of the passive set. */
static void sgdfit_priv_nnls_solve(sgdfit_priv_nnls *s)
{
    const size_t n = s->of.columns;
    size_t i, h, k;
    SGDFIT_ASSERT(s->passive <= n && s->passive <= s->of.rows);
    for (i = 0; i < s->of.rows; i++) s->rest[i] = s->of.b[i] / s->size;
    for (k = 0; k < s->passive; k++)
        s->z[k] = sgdfit_priv_take_out(s->rest, s->q + k * s->of.rows, s->of.rows);
    for (k = s->passive; k-- > 0;) {
        for (h = k + 1; h < s->passive; h++) s->z[k] -= s->r[k * n + h] * s->z[h];
        s->z[k] /= s->r[k * n + k];
    }
}

static void sgdfit_priv_nnls_gradient(sgdfit_priv_nnls *s)
{
    const size_t n = s->of.columns;
    size_t i, j;
    for (j = 0; j < n; j++) s->gradient[j] = 0.0;
    for (i = 0; i < s->of.rows; i++)
        for (j = 0; j < n; j++)
            if (s->length[j] > 0.0)
                s->gradient[j] += s->of.a[i * n + j] / s->length[j] * s->rest[i];
}

/* Moves the column with the largest gradient to the passive set and solves there. Returns
 * 0 if no column gains: the Kuhn-Tucker conditions hold. As rest is orthogonal to the
 * passive columns, a column that gains more than rounding is independent of them, unless
 * they are nearly dependent themselves. With as many passive columns as rows, rest is
 * only rounding. */
static int sgdfit_priv_nnls_enter(sgdfit_priv_nnls *s)
{
    const double length = sgdfit_priv_norm(s->of.b, s->of.rows, 1) / s->size;
    const double noise = 32.0 * DBL_EPSILON * length;
    size_t k;
    while (s->passive < s->of.rows && s->passive < s->of.columns) {
        size_t best = s->passive, column;
        for (k = best; k < s->of.columns; k++)
            if (s->gradient[s->order[k]] > s->gradient[s->order[best]]) best = k;
        column = s->order[best];
        SGDFIT_ASSERT(best >= s->passive && column < s->of.columns);
        if (!(s->gradient[column] > noise)) return 0;
        s->order[best] = s->order[s->passive];
        s->order[s->passive] = column;
        if (sgdfit_priv_nnls_orthogonalize(s, s->passive)) {
            s->passive++;
            sgdfit_priv_nnls_solve(s);
            return 1;
        }
        s->gradient[column] = 0.0;         /* dependent: try the next one              */
    }
    return 0;
}

/* Drops columns with x = 0 from the passive set and solves over the others. */
static void sgdfit_priv_nnls_drop(sgdfit_priv_nnls *s)
{
    size_t kept = 0, k;
    for (k = 0; k < s->passive; k++) {
        const size_t column = s->order[k];
        if (s->x[column] > 0.0) {
            s->order[k] = s->order[kept];
            s->order[kept++] = column;
        } else {
            s->x[column] = 0.0;
        }
    }
    SGDFIT_ASSERT(kept < s->passive);
    s->passive = kept;
    for (k = 0; k < s->passive;) {
        const size_t column = s->order[k];
        if (sgdfit_priv_nnls_orthogonalize(s, k)) { k++; continue; }
        s->order[k] = s->order[--s->passive];
        s->order[s->passive] = column;
        s->x[column] = 0.0;
    }
    sgdfit_priv_nnls_solve(s);
}

/* Moves x towards z until a column reaches 0, drops that column and takes the new z.
 * Repeats until x reaches z. */
static void sgdfit_priv_nnls_descend(sgdfit_priv_nnls *s)
{
    size_t rounds, k;
    for (rounds = s->passive; rounds > 0; rounds--) {
        double way = 2.0;                  /* part of the way from x to z; 2: all of it */
        size_t stop = 0;
        for (k = 0; k < s->passive; k++) {
            const double x = s->x[s->order[k]], z = s->z[k];
            if (z > 0.0 || !(x / (x - z) < way)) continue;
            way = x / (x - z);
            stop = k;
        }
        SGDFIT_ASSERT(way >= 0.0);
        if (way > 1.0) break;
        for (k = 0; k < s->passive; k++) {
            double *x = s->x + s->order[k];
            *x += way * (s->z[k] - *x);
        }
        s->x[s->order[stop]] = 0.0;
        sgdfit_priv_nnls_drop(s);
    }
    for (k = 0; k < s->passive; k++) s->x[s->order[k]] = s->z[k];
}

/* Algorithm NNLS of [LH74, 23.10]. */
SGDFIT_API sgdfit_status sgdfit_nnls(const sgdfit_system *of, void *work,
                                     size_t work_bytes, double *x, double *residual)
{
    sgdfit_priv_arena arena = sgdfit_priv_arena_at(work);
    size_t need = 0, rows, columns, left, j;
    sgdfit_priv_nnls s;
    sgdfit_status status = sgdfit_nnls_bytes(of, &need);
    if (status != SGDFIT_OK) return status;
    if (!of->a || !of->b || !x) return SGDFIT_BAD_ARGUMENT;
    status = sgdfit_priv_check_work(work, work_bytes, need);
    if (status != SGDFIT_OK) return status;
    rows = of->rows;
    columns = of->columns;
    if (!sgdfit_priv_all_finite(of->a, rows * columns)
        || !sgdfit_priv_all_finite(of->b, rows))
        return SGDFIT_BAD_ARGUMENT;

    memset(&s, 0, sizeof s);
    s.of = *of;
    sgdfit_priv_nnls_carve(&s, &arena);
    SGDFIT_ASSERT(arena.used == need);
    s.size = sgdfit_priv_largest(s.of.b, rows, 1);
    if (!(s.size > 0.0)) s.size = 1.0;
    if (!sgdfit_priv_is_time(sgdfit_priv_norm(s.of.b, rows, 1)))
        return SGDFIT_BAD_ARGUMENT;
    for (j = 0; j < columns; j++) {
        s.order[j] = j;
        s.x[j] = 0.0;
        s.length[j] = sgdfit_priv_norm(of->a + j, rows, columns);
        if (!sgdfit_priv_is_time(s.length[j])) return SGDFIT_BAD_ARGUMENT;
    }
    sgdfit_priv_nnls_solve(&s);
    sgdfit_priv_nnls_gradient(&s);
    left = 30 * columns;
    while (left > 0 && sgdfit_priv_nnls_enter(&s)) {
        sgdfit_priv_nnls_descend(&s);
        sgdfit_priv_nnls_gradient(&s);
        left--;
    }
    if (left == 0) status = SGDFIT_NOT_CONVERGED;
    for (j = 0; j < columns; j++) {
        if (s.length[j] > 0.0) s.x[j] *= s.size / s.length[j];
        if (!sgdfit_priv_is_time(s.x[j])) return SGDFIT_BAD_ARGUMENT;
    }
    memcpy(x, s.x, columns * sizeof(double));
    if (residual) *residual = s.size * sgdfit_priv_norm(s.rest, rows, 1);
    return status;
}

/* ---- Black boxes: designs, D-optimal --------------------------------------- */

/* Largest number of columns of a design: parameters of a black box, or unknowns. */
enum { SGDFIT_PRIV_TERMS = SGDFIT_PARAMETERS,
       SGDFIT_PRIV_TERMS2 = SGDFIT_PRIV_TERMS * SGDFIT_PRIV_TERMS };

/* Inverts the symmetric a[k][k] by Gauss-Jordan, scaled to a diagonal of ones. Returns 0
 * if there is no inverse: a pivot is below 1e-10, as elasticities are exact to 1e-6. */
static int sgdfit_priv_invert(double *a, size_t k)
{
    double scale[SGDFIT_PRIV_TERMS];
    size_t i, j, c;
    SGDFIT_ASSERT(k <= SGDFIT_PRIV_TERMS);
    for (i = 0; i < k; i++) {
        if (!(a[i * k + i] > 0.0)) return 0;
        scale[i] = 1.0 / sqrt(a[i * k + i]);
    }
    for (i = 0; i < k * k; i++) a[i] *= scale[i / k] * scale[i % k];
    for (c = 0; c < k; c++) {
        const double pivot = a[c * k + c];
        if (!(pivot > 1e-10)) return 0;
        a[c * k + c] = 1.0;
        for (j = 0; j < k; j++) a[c * k + j] /= pivot;
        for (i = 0; i < k; i++) {
            const double factor = a[i * k + c];
            if (i == c) continue;
            a[i * k + c] = 0.0;
            for (j = 0; j < k; j++) a[i * k + j] -= factor * a[c * k + j];
        }
    }
    for (i = 0; i < k * k; i++) a[i] *= scale[i / k] * scale[i % k];
    for (i = 0; i < k; i++) SGDFIT_ASSERT(a[i * k + i] >= 0.0);
    return 1;
}

/* e' inverse e: the variance of the prediction of row e. */
static double sgdfit_priv_quadratic(const double *inverse, const double *e, size_t k)
{
    double sum = 0.0;
    size_t i, j;
    for (i = 0; i < k; i++)
        for (j = 0; j < k; j++) sum += e[i] * inverse[i * k + j] * e[j];
    return sum;
}

/* a += weight e e'. */
static void sgdfit_priv_add_row(double *a, const double *e, size_t k, double weight)
{
    size_t i;
    for (i = 0; i < k * k; i++) a[i] += weight * e[i / k] * e[i % k];
}

/* Returns the row of e[m][k] with the largest variance given a, on ties row `best`, then
 * the first. *most receives the variance. Returns `best`, which may be m, if no other
 * variance is > 0, or a has no inverse. */
static size_t sgdfit_priv_least_sure(const double *a, const double *e, size_t m, size_t k,
                                     size_t best, double *most)
{
    double inverse[SGDFIT_PRIV_TERMS2];
    size_t i;
    *most = 0.0;
    memcpy(inverse, a, k * k * sizeof *a);
    if (!sgdfit_priv_invert(inverse, k)) return best;
    if (best < m) *most = sgdfit_priv_quadratic(inverse, e + best * k, k);
    for (i = 0; i < m; i++) {
        const double unsure = sgdfit_priv_quadratic(inverse, e + i * k, k);
        if (!(unsure > *most * (1.0 + 1e-9))) continue;
        *most = unsure;
        best = i;
    }
    SGDFIT_ASSERT(best <= m);
    return best;
}

/* Exchanges chosen rows, one at a time, for rows that increase the determinant of a, the
 * sum that includes them. At most 64 passes. */
static void sgdfit_priv_exchange(double *a, const double *e, size_t m, size_t k,
                                 size_t count, size_t *chosen)
{
    size_t pass, round;
    int changed = 1;
    for (pass = 0; pass < 64 && changed; pass++) {
        changed = 0;
        for (round = 0; round < count; round++) {
            const size_t old = chosen[round];
            double most;
            sgdfit_priv_add_row(a, e + old * k, k, -1.0);
            chosen[round] = sgdfit_priv_least_sure(a, e, m, k, old, &most);
            changed |= chosen[round] != old;
            SGDFIT_ASSERT(chosen[round] < m);
            sgdfit_priv_add_row(a, e + chosen[round] * k, k, 1.0);
        }
    }
}

/* Orders the chosen rows: each has the largest variance given the rows before it. a is
 * the sum without the chosen rows. */
static int sgdfit_priv_order_runs(double *a, const double *e, size_t k, size_t count,
                                  size_t *chosen, double *spread)
{
    size_t round, i;
    for (round = 0; round < count; round++) {
        double most = 0.0, unsure;
        size_t best = round, swap;
        for (i = round; i < count; i++) {
            (void)sgdfit_priv_least_sure(a, e + chosen[i] * k, 1, k, 0, &unsure);
            if (!(unsure > most * (1.0 + 1e-9))) continue;
            most = unsure;
            best = i;
        }
        if (!(most > 0.0)) return 0;
        SGDFIT_ASSERT(best >= round && best < count);
        swap = chosen[round];
        chosen[round] = chosen[best];
        chosen[best] = swap;
        if (spread) spread[round] = sqrt(most);
        sgdfit_priv_add_row(a, e + chosen[round] * k, k, 1.0);
    }
    return 1;
}

/* D-optimal choice of `count` from rows e[m][k], given a[k][k], the sum over known rows.
 * Returns 0 if there is nothing to choose. 1e-6 is added to the diagonal, so that the
 * variance is finite for what no row has determined yet. */
static int sgdfit_priv_choose_runs(double *a, const double *e, size_t m, size_t k,
                                   size_t count, size_t *chosen, double *spread)
{
    double had[SGDFIT_PRIV_TERMS2], most;
    size_t round, dry, best, j;
    SGDFIT_ASSERT(k >= 1 && k <= SGDFIT_PRIV_TERMS);
    for (j = 0; j < k; j++) a[j * k + j] += 1e-6;
    memcpy(had, a, k * k * sizeof *a);
    for (dry = 2; dry-- > 0;) {        /* the first pass only checks                    */
        memcpy(a, had, k * k * sizeof *a);
        for (round = 0; round < count; round++) {
            best = sgdfit_priv_least_sure(a, e, m, k, m, &most);
            if (best == m) return 0;
            if (!dry) chosen[round] = best;
            sgdfit_priv_add_row(a, e + best * k, k, 1.0);
        }
    }
    sgdfit_priv_exchange(a, e, m, k, count, chosen);
    return sgdfit_priv_order_runs(had, e, k, count, chosen, spread);
}

/* ---- Black boxes: curves --------------------------------------------------- */

SGDFIT_API const char *sgdfit_blackbox_text(sgdfit_blackbox model)
{
#define SGDFIT_X(name, text, count) text,
    static const char *const table[] = { SGDFIT_BLACKBOX_TABLE(SGDFIT_X) };
#undef SGDFIT_X
    const size_t i = (size_t)model;
    return sgdfit_priv_text(table, sizeof table / sizeof table[0], i);
}

SGDFIT_API size_t sgdfit_blackbox_parameters(sgdfit_blackbox model)
{
#define SGDFIT_X(name, text, count) count,
    static const size_t table[] = { SGDFIT_BLACKBOX_TABLE(SGDFIT_X) };
#undef SGDFIT_X
    const size_t i = (size_t)model;
    return i < sizeof table / sizeof table[0] ? table[i] : 0;
}

/* Do the parameters give a rate, a0 times a function of the others? If not, they are
 * coefficients of the step time. */
static int sgdfit_priv_is_rate_model(sgdfit_blackbox model)
{
    return model == SGDFIT_AMDAHL || model == SGDFIT_USL;
}

static int sgdfit_priv_knows_servers(sgdfit_blackbox model)
{
    return model == SGDFIT_OPTIMUS_ASYNC_SERVERS || model == SGDFIT_OPTIMUS_SYNC_SERVERS;
}

/* Number of servers p of a point; the default 0 means 1. */
static double sgdfit_priv_servers(double servers)
{
    return servers > 0.0 ? servers : 1.0;
}

/* The terms in which the step time of n workers and p servers is linear. */
static void sgdfit_priv_basis(sgdfit_blackbox model, double n, double servers,
                              double basis[SGDFIT_PARAMETERS])
{
    const double p = sgdfit_priv_servers(servers);
    switch (model) {
    case SGDFIT_ERNEST:
        basis[0] = 1.0;
        basis[1] = 1.0 / n;
        basis[2] = log(n);
        basis[3] = n;
        break;
    case SGDFIT_OPTIMUS_ASYNC:
        basis[0] = 1.0;
        basis[1] = n;
        break;
    case SGDFIT_OPTIMUS_SYNC:
        basis[0] = 1.0 / n;
        basis[1] = 1.0;
        basis[2] = n;
        break;
    case SGDFIT_AMDAHL:
    case SGDFIT_USL:
        basis[0] = 1.0;
        basis[1] = n - 1.0;
        basis[2] = n * (n - 1.0);
        break;
    case SGDFIT_OPTIMUS_ASYNC_SERVERS:
        basis[0] = 1.0;
        basis[1] = n / p;
        basis[2] = n;
        basis[3] = p;
        break;
    case SGDFIT_OPTIMUS_SYNC_SERVERS:
        basis[0] = 1.0 / n;
        basis[1] = 1.0;
        basis[2] = n / p;
        basis[3] = n;
        basis[4] = p;
        break;
    case SGDFIT_BLACKBOX_COUNT: break;
    }
}

static int sgdfit_priv_is_configuration(const sgdfit_point *point)
{
    const double n = point->workers, p = sgdfit_priv_servers(point->servers);
    return n >= 1.0 && n <= DBL_MAX && point->servers >= 0.0 && p >= 1.0 && p <= DBL_MAX;
}

SGDFIT_API double sgdfit_curve_at(const sgdfit_curve *fit, double workers, double servers)
{
    double basis[SGDFIT_PARAMETERS], above = workers, below = 0.0;
    size_t i = 0, p;
    if (!fit || !(workers >= 1.0) || !(servers >= 1.0 || sgdfit_priv_same(servers, 0.0)))
        return 0.0;
    p = sgdfit_blackbox_parameters(fit->model);
    SGDFIT_ASSERT(p <= SGDFIT_PARAMETERS);
    sgdfit_priv_basis(fit->model, workers, servers, basis);
    if (sgdfit_priv_is_rate_model(fit->model)) {
        above *= fit->parameter[0];
        below = basis[0];
        i = 1;
    }
    for (; i < p; i++) below += fit->parameter[i] * basis[i];
    return sgdfit_priv_is_rate(below) && sgdfit_priv_is_rate(above / below)
        ? above / below : 0.0;
}

/* Are there at least as many distinct numbers of workers as parameters? */
static int sgdfit_priv_distinct(sgdfit_blackbox model, const sgdfit_point *point,
                                size_t n)
{
    const size_t wanted = sgdfit_blackbox_parameters(model);
    double seen[SGDFIT_PARAMETERS] = { 0.0 };
    size_t found = 0, i, k;
    for (i = 0; i < n && found < wanted; i++) {
        for (k = 0; k < found; k++)
            if (sgdfit_priv_same(point[i].workers, seen[k])) break;
        SGDFIT_ASSERT(found < SGDFIT_PARAMETERS);
        if (k == found) seen[found++] = point[i].workers;
    }
    return found == wanted;
}

/* Are the terms of the model linearly independent at these points? */
static int sgdfit_priv_independent(sgdfit_blackbox model, const sgdfit_point *point,
                                   size_t n)
{
    const size_t k = sgdfit_blackbox_parameters(model);
    double a[SGDFIT_PRIV_TERMS2] = { 0.0 }, basis[SGDFIT_PARAMETERS];
    size_t i, j;
    for (i = 0; i < n; i++) {
        double length = 0.0;
        sgdfit_priv_basis(model, point[i].workers, point[i].servers, basis);
        for (j = 0; j < k; j++) length += basis[j];
        for (j = 0; j < k; j++) basis[j] /= length;
        sgdfit_priv_add_row(a, basis, k, 1.0);
    }
    return n >= k && sgdfit_priv_invert(a, k);
}

typedef struct sgdfit_priv_curve {
    double *a, *b, *nnls;  /* problem [n][parameters] and [n], work of sgdfit_nnls */
    size_t  nnls_bytes;
} sgdfit_priv_curve;

static sgdfit_priv_curve sgdfit_priv_curve_carve(sgdfit_priv_arena *arena,
                                                 sgdfit_blackbox model, size_t n)
{
    const size_t p = sgdfit_blackbox_parameters(model);
    const sgdfit_system of = { NULL, NULL, n, p };
    sgdfit_priv_curve c;
    c.nnls_bytes = 0;
    arena->overflow |= sgdfit_nnls_bytes(&of, &c.nnls_bytes) != SGDFIT_OK;
    c.b = sgdfit_priv_doubles(arena, n);
    c.a = (double *)sgdfit_priv_take(arena, n, p * sizeof(double));
    c.nnls = (double *)sgdfit_priv_take(arena, c.nnls_bytes, 1);
    return c;
}

SGDFIT_API sgdfit_status sgdfit_fit_bytes(sgdfit_blackbox model, size_t n, size_t *bytes)
{
    sgdfit_priv_arena arena = sgdfit_priv_arena_at(NULL);
    if (sgdfit_blackbox_parameters(model) == 0 || n == 0) return SGDFIT_BAD_ARGUMENT;
    (void)sgdfit_priv_curve_carve(&arena, model, n);
    return sgdfit_priv_answer(&arena, bytes);
}

/* Parameters from the coefficients x of the step time; 0 if they give no finite curve. */
static int sgdfit_priv_parameters(sgdfit_curve *fit, const double *x)
{
    const int rate = sgdfit_priv_is_rate_model(fit->model);
    size_t i;
    SGDFIT_ASSERT(fit->parameters == sgdfit_blackbox_parameters(fit->model));
    for (i = 0; i < fit->parameters; i++) {
        if (!rate) fit->parameter[i] = x[i];
        else if (!(x[0] > 0.0)) return 0;
        else fit->parameter[i] = (i == 0 ? 1.0 : x[i]) / x[0];
    }
    return sgdfit_priv_all_finite(fit->parameter, fit->parameters);
}

/* Row i of the problem is divided by its step time s: sum x basis(n, p) / s = 1. Returns
 * 0 for an invalid point. */
static int sgdfit_priv_curve_rows(sgdfit_blackbox model, const sgdfit_point *point,
                                  size_t n, const sgdfit_priv_curve *c)
{
    const size_t p = sgdfit_blackbox_parameters(model);
    double basis[SGDFIT_PARAMETERS];
    size_t i, k;
    SGDFIT_ASSERT(p <= SGDFIT_PARAMETERS);
    for (i = 0; i < n; i++) {
        double s;
        if (!sgdfit_priv_is_configuration(&point[i]) ||
            !sgdfit_priv_is_rate(point[i].batches_per_s))
            return 0;
        s = point[i].workers / point[i].batches_per_s;
        sgdfit_priv_basis(model, point[i].workers, point[i].servers, basis);
        for (k = 0; k < p; k++) c->a[i * p + k] = basis[k] / s;
        c->b[i] = 1.0;
    }
    return 1;
}

SGDFIT_API sgdfit_status sgdfit_fit(sgdfit_blackbox model, const sgdfit_point *point,
                                    size_t n, void *work, size_t work_bytes,
                                    sgdfit_curve *out)
{
    double x[SGDFIT_PARAMETERS], sum = 0.0;
    sgdfit_priv_arena arena = sgdfit_priv_arena_at(work);
    sgdfit_priv_curve c;
    sgdfit_system of;
    sgdfit_curve fit;
    size_t need = 0, i;
    sgdfit_status status = sgdfit_fit_bytes(model, n, &need);
    if (status != SGDFIT_OK) return status;
    if (!point || !out) return SGDFIT_BAD_ARGUMENT;
    status = sgdfit_priv_check_work(work, work_bytes, need);
    if (status != SGDFIT_OK) return status;

    memset(&fit, 0, sizeof fit);
    fit.model = model;
    fit.parameters = sgdfit_blackbox_parameters(model);
    c = sgdfit_priv_curve_carve(&arena, model, n);
    SGDFIT_ASSERT(arena.used == need);
    if (!sgdfit_priv_curve_rows(model, point, n, &c)) return SGDFIT_BAD_ARGUMENT;
    if (sgdfit_priv_knows_servers(model) ? !sgdfit_priv_independent(model, point, n)
                                       : !sgdfit_priv_distinct(model, point, n))
        return SGDFIT_BAD_ARGUMENT;
    of.a = c.a;
    of.b = c.b;
    of.rows = n;
    of.columns = fit.parameters;
    status = sgdfit_nnls(&of, c.nnls, c.nnls_bytes, x, NULL);
    if (status != SGDFIT_OK) return status;
    if (!sgdfit_priv_parameters(&fit, x)) return SGDFIT_BAD_ARGUMENT;
    for (i = 0; i < n; i++) {
        const double fitted = sgdfit_curve_at(&fit, point[i].workers, point[i].servers);
        const double error = fabs(fitted / point[i].batches_per_s - 1.0);
        sum += error;
        if (error > fit.max_error) fit.max_error = error;
    }
    if (!sgdfit_priv_is_time(sum)) return SGDFIT_BAD_ARGUMENT;
    fit.mean_error = sum / (double)n;
    *out = fit;
    return SGDFIT_OK;
}

typedef struct sgdfit_priv_left {
    sgdfit_curve *curve;       /* [n]                                                 */
    sgdfit_point *stay;        /* [n] points of a fit                                 */
    void         *fit;         /* its work area                                       */
    size_t        fit_bytes;
} sgdfit_priv_left;

static sgdfit_priv_left sgdfit_priv_left_carve(sgdfit_priv_arena *arena,
                                               sgdfit_blackbox model, size_t n)
{
    sgdfit_priv_left l;
    l.fit_bytes = 0;
    arena->overflow |= sgdfit_fit_bytes(model, n, &l.fit_bytes) != SGDFIT_OK;
    l.curve = (sgdfit_curve *)sgdfit_priv_take(arena, n, sizeof(sgdfit_curve));
    l.stay = (sgdfit_point *)sgdfit_priv_take(arena, n, sizeof(sgdfit_point));
    l.fit = sgdfit_priv_take(arena, l.fit_bytes, 1);
    return l;
}

SGDFIT_API sgdfit_status sgdfit_leave_out_bytes(sgdfit_blackbox model, size_t n,
                                                size_t *bytes)
{
    sgdfit_priv_arena arena = sgdfit_priv_arena_at(NULL);
    if (sgdfit_blackbox_parameters(model) == 0 || n == 0) return SGDFIT_BAD_ARGUMENT;
    (void)sgdfit_priv_left_carve(&arena, model, n);
    return sgdfit_priv_answer(&arena, bytes);
}

SGDFIT_API sgdfit_status sgdfit_leave_out(sgdfit_blackbox model,
                                          const sgdfit_point *point, size_t n,
                                          void *work, size_t work_bytes,
                                          sgdfit_left_out *out)
{
    sgdfit_priv_arena arena = sgdfit_priv_arena_at(work);
    double sum = 0.0, most = 0.0, ratio = 1.0;
    sgdfit_priv_left l;
    size_t need = 0, i, k;
    sgdfit_status status = sgdfit_leave_out_bytes(model, n, &need);
    if (status != SGDFIT_OK) return status;
    if (!point || !out || !out->curve) return SGDFIT_BAD_ARGUMENT;
    status = sgdfit_priv_check_work(work, work_bytes, need);
    if (status != SGDFIT_OK) return status;
    l = sgdfit_priv_left_carve(&arena, model, n);
    SGDFIT_ASSERT(arena.used == need);
    for (i = 0; i < n; i++) {
        size_t m = 0;
        double of;
        for (k = 0; k < n; k++)
            if (!sgdfit_priv_same(point[k].workers, point[i].workers)
                || !sgdfit_priv_same(point[k].servers, point[i].servers))
                l.stay[m++] = point[k];
        status = sgdfit_fit(model, l.stay, m, l.fit, l.fit_bytes, &l.curve[i]);
        if (status != SGDFIT_OK) return status;
        of = sgdfit_curve_at(&l.curve[i], point[i].workers, point[i].servers)
           / point[i].batches_per_s;
        if (!sgdfit_priv_is_rate(of)) return SGDFIT_BAD_ARGUMENT;
        sum += fabs(of - 1.0);
        most = fmax(most, fabs(of - 1.0));
        ratio = fmax(ratio, fmax(of, 1.0 / of));
    }
    if (!sgdfit_priv_is_time(sum) || !sgdfit_priv_is_rate(ratio))
        return SGDFIT_BAD_ARGUMENT;
    memcpy(out->curve, l.curve, n * sizeof l.curve[0]);
    out->mean_error = sum / (double)n;
    out->max_error = most;
    out->ratio = ratio;
    return SGDFIT_OK;
}

SGDFIT_API sgdfit_status sgdfit_left_out_range(const sgdfit_left_out *of, size_t n,
                                               double workers, double servers,
                                               double *low, double *high)
{
    double least = HUGE_VAL, most = 0.0;
    size_t i;
    if (!of || !of->curve || n == 0 || !low || !high) return SGDFIT_BAD_ARGUMENT;
    if (!(of->ratio >= 1.0 && of->ratio <= DBL_MAX)) return SGDFIT_BAD_ARGUMENT;
    for (i = 0; i < n; i++) {
        const double at = sgdfit_curve_at(&of->curve[i], workers, servers);
        if (!(at > 0.0)) return SGDFIT_BAD_ARGUMENT;
        least = fmin(least, at);
        most = fmax(most, at);
    }
    if (!sgdfit_priv_is_rate(least / of->ratio) || !sgdfit_priv_is_rate(most * of->ratio))
        return SGDFIT_BAD_ARGUMENT;
    SGDFIT_ASSERT(least <= most);
    *low = least / of->ratio;
    *high = most * of->ratio;
    return SGDFIT_OK;
}

/* Writes a row of a design: terms of the step time / step time. Returns 0 without one. */
static int sgdfit_priv_design_row(const sgdfit_point_design *of,
                                  const sgdfit_point *point, double *row)
{
    const size_t k = sgdfit_blackbox_parameters(of->model);
    double s = 1.0, basis[SGDFIT_PARAMETERS];
    size_t j;
    if (!sgdfit_priv_is_configuration(point)) return 0;
    sgdfit_priv_basis(of->model, point->workers, point->servers, basis);
    if (of->fit)
        s = point->workers / sgdfit_curve_at(of->fit, point->workers, point->servers);
    if (!sgdfit_priv_is_rate(s)) return 0;
    for (j = 0; j < k; j++) row[j] = basis[j] / s;
    return sgdfit_priv_all_finite(row, k);
}

SGDFIT_API sgdfit_status sgdfit_suggest_points_bytes(const sgdfit_point_design *of,
                                                     size_t *bytes)
{
    const size_t k = of ? sgdfit_blackbox_parameters(of->model) : 0;
    sgdfit_priv_arena arena = sgdfit_priv_arena_at(NULL);
    if (k == 0 || of->m == 0) return SGDFIT_BAD_ARGUMENT;
    (void)sgdfit_priv_take(&arena, of->m, k * sizeof(double));
    return sgdfit_priv_answer(&arena, bytes);
}

/* Columns are scaled so that their largest element over the candidates is 1. That changes
 * no choice, but gives the term added to the diagonal the same meaning in each column. */
SGDFIT_API sgdfit_status sgdfit_suggest_points(const sgdfit_point_design *of,
                                               size_t count, void *work,
                                               size_t work_bytes, size_t *chosen,
                                               double *spread)
{
    sgdfit_priv_arena arena = sgdfit_priv_arena_at(work);
    double a[SGDFIT_PRIV_TERMS2] = { 0.0 }, most[SGDFIT_PARAMETERS] = { 0.0 };
    double row[SGDFIT_PARAMETERS], *e;
    size_t need = 0, k, i, j;
    sgdfit_status status = sgdfit_suggest_points_bytes(of, &need);
    if (status != SGDFIT_OK) return status;
    if ((of->n > 0 && !of->measured) || !of->candidate || count == 0 || !chosen ||
        (of->fit && of->fit->model != of->model))
        return SGDFIT_BAD_ARGUMENT;
    status = sgdfit_priv_check_work(work, work_bytes, need);
    if (status != SGDFIT_OK) return status;
    k = sgdfit_blackbox_parameters(of->model);
    e = (double *)sgdfit_priv_take(&arena, of->m, k * sizeof(double));
    SGDFIT_ASSERT(arena.used == need);
    for (i = 0; i < of->m; i++)
        if (!sgdfit_priv_design_row(of, &of->candidate[i], e + i * k))
            return SGDFIT_BAD_ARGUMENT;
    for (i = 0; i < of->m * k; i++)
        if (e[i] > most[i % k]) most[i % k] = e[i];
    for (j = 0; j < k; j++)
        if (!(most[j] > 0.0)) most[j] = 1.0;
    for (i = 0; i < of->m * k; i++) e[i] /= most[i % k];
    for (i = 0; i < of->n; i++) {
        if (!sgdfit_priv_design_row(of, &of->measured[i], row))
            return SGDFIT_BAD_ARGUMENT;
        for (j = 0; j < k; j++) row[j] /= most[j];
        sgdfit_priv_add_row(a, row, k, 1.0);
    }
    return sgdfit_priv_choose_runs(a, e, of->m, k, count, chosen, spread)
        ? SGDFIT_OK : SGDFIT_BAD_ARGUMENT;
}

/* ---- Black boxes: ranges of sizes ------------------------------------------ */

typedef struct sgdfit_priv_ranges {
    sgdfit_times  of;
    double       *a, *b, *nnls; /* problem [points][terms] and [points], work of nnls */
    size_t        nnls_bytes;
    sgdfit_range *range;       /* [(bounds + 1) formulas]                             */
    double       *constant;    /* [(bounds + 1) formulas][terms]                      */
    size_t        count;       /* ranges found                                        */
} sgdfit_priv_ranges;

static void sgdfit_priv_ranges_carve(sgdfit_priv_ranges *s, sgdfit_priv_arena *arena)
{
    const sgdfit_times *of = &s->of;
    const sgdfit_system system = { NULL, NULL, of->points, of->terms };
    const size_t limit = (size_t)-1 / sizeof(sgdfit_range);
    size_t most;
    s->nnls_bytes = 0;
    if (of->bounds >= limit / of->formulas ||
        of->terms > limit / of->points || of->formulas > limit / of->points / of->terms ||
        sgdfit_nnls_bytes(&system, &s->nnls_bytes) != SGDFIT_OK) {
        arena->overflow = 1;
        return;
    }
    most = (of->bounds + 1) * of->formulas;
    s->b = sgdfit_priv_doubles(arena, of->points);
    s->a = (double *)sgdfit_priv_take(arena, of->points, of->terms * sizeof(double));
    s->nnls = (double *)sgdfit_priv_take(arena, s->nnls_bytes, 1);
    s->range = (sgdfit_range *)sgdfit_priv_take(arena, most, sizeof(sgdfit_range));
    s->constant = (double *)sgdfit_priv_take(arena, most, of->terms * sizeof(double));
}

SGDFIT_API sgdfit_status sgdfit_ranges_bytes(const sgdfit_times *of, size_t *bytes)
{
    sgdfit_priv_arena arena = sgdfit_priv_arena_at(NULL);
    sgdfit_priv_ranges s;
    if (!of || of->points == 0 || of->formulas == 0 || of->terms == 0)
        return SGDFIT_BAD_ARGUMENT;
    memset(&s, 0, sizeof s);
    s.of = *of;
    sgdfit_priv_ranges_carve(&s, &arena);
    return sgdfit_priv_answer(&arena, bytes);
}

static int sgdfit_priv_are_times(const sgdfit_times *of)
{
    const size_t terms = of->formulas * of->points * of->terms;
    size_t i;
    if (!of->size || !of->time_s || !of->term || (of->bounds > 0 && !of->bound)) return 0;
    for (i = 0; i < of->points; i++)
        if (!sgdfit_priv_is_time(of->size[i]) || !sgdfit_priv_is_rate(of->time_s[i]))
            return 0;
    for (i = 0; i < terms; i++)
        if (!sgdfit_priv_is_time(of->term[i])) return 0;
    for (i = 0; i < of->bounds; i++)
        if (!sgdfit_priv_is_rate(of->bound[i]) ||
            (i > 0 && !(of->bound[i] > of->bound[i - 1])))
            return 0;
    return 1;
}

/* Is point i in a range, or on the bound above it? */
static int sgdfit_priv_is_within(const sgdfit_times *of, size_t i, double from,
                                 double below)
{
    return of->size[i] >= from && (of->size[i] <= below || !(below > 0.0));
}

/* Points of a range that are not extra. */
static size_t sgdfit_priv_own_points(const sgdfit_times *of, double from, double below)
{
    size_t i, n = 0;
    SGDFIT_ASSERT(from < below || !(below > 0.0));
    for (i = 0; i < of->points; i++)
        n += sgdfit_priv_is_within(of, i, from, below) && !(of->extra && of->extra[i]);
    return n;
}

/* Fits one formula to the points of a range: its constants x, and its error. */
static sgdfit_status sgdfit_priv_range_fit(sgdfit_priv_ranges *s, sgdfit_range *range,
                                           double *x)
{
    const sgdfit_times *of = &s->of;
    const size_t terms = of->terms;
    const double *term = of->term + range->formula * of->points * terms;
    sgdfit_system system;
    sgdfit_status status;
    double sum = 0.0;
    size_t n = 0, i, k;
    for (i = 0; i < of->points; i++) {
        if (!sgdfit_priv_is_within(of, i, range->from, range->below)) continue;
        for (k = 0; k < terms; k++)
            s->a[n * terms + k] = term[i * terms + k] / of->time_s[i];
        s->b[n++] = 1.0;
    }
    SGDFIT_ASSERT(n > 0 && n <= of->points);
    system.a = s->a;
    system.b = s->b;
    system.rows = n;
    system.columns = terms;
    status = sgdfit_nnls(&system, s->nnls, s->nnls_bytes, x, NULL);
    if (status != SGDFIT_OK) return status;
    for (i = 0; i < of->points; i++) {
        double fitted_s = 0.0;
        if (!sgdfit_priv_is_within(of, i, range->from, range->below)) continue;
        for (k = 0; k < terms; k++) fitted_s += term[i * terms + k] * x[k];
        sum += fabs(fitted_s - of->time_s[i]) / of->time_s[i];
    }
    range->mean_error = sum / (double)n;
    return sgdfit_priv_is_time(sum) ? SGDFIT_OK : SGDFIT_BAD_ARGUMENT;
}

/* Fits all formulas to one range. Keeps the best one, and those that are hardly worse. */
static sgdfit_status sgdfit_priv_range_add(sgdfit_priv_ranges *s, double from,
                                           double below)
{
    const double hardly = 1.3, rounding = 0.002;
    const size_t terms = s->of.terms, first = s->count;
    sgdfit_range *range = s->range + first;
    double *x = s->constant + first * terms, least = DBL_MAX;
    size_t f;
    for (f = 0; f < s->of.formulas; f++) {
        sgdfit_status status;
        range[f].from = from;
        range[f].below = below;
        range[f].formula = f;
        status = sgdfit_priv_range_fit(s, &range[f], x + f * terms);
        if (status != SGDFIT_OK) return status;
        if (range[f].mean_error < least) least = range[f].mean_error;
    }
    for (f = 0; f < s->of.formulas; f++) {
        if (!(range[f].mean_error <= hardly * least + rounding)) continue;
        s->range[s->count] = range[f];
        memmove(s->constant + s->count++ * terms, x + f * terms, terms * sizeof(double));
    }
    SGDFIT_ASSERT(s->count > first && s->count - first <= s->of.formulas);
    return SGDFIT_OK;
}

static sgdfit_status sgdfit_priv_ranges_find(sgdfit_priv_ranges *s)
{
    const size_t few = 3;
    const sgdfit_times *of = &s->of;
    double from = 0.0;
    size_t i;
    for (i = 0; i < of->bounds; i++) {
        const double bound = of->bound[i];
        sgdfit_status status;
        if (sgdfit_priv_own_points(of, from, bound) < few
            || sgdfit_priv_own_points(of, bound, 0.0) < few)
            continue;
        status = sgdfit_priv_range_add(s, from, bound);
        if (status != SGDFIT_OK) return status;
        from = bound;
    }
    if (sgdfit_priv_own_points(of, from, 0.0) == 0) return SGDFIT_OK;
    return sgdfit_priv_range_add(s, from, 0.0);
}

SGDFIT_API sgdfit_status sgdfit_ranges(const sgdfit_times *of, void *work,
                                       size_t work_bytes, sgdfit_range *range,
                                       double *constant, size_t *ranges)
{
    sgdfit_priv_arena arena = sgdfit_priv_arena_at(work);
    sgdfit_priv_ranges s;
    size_t need = 0;
    sgdfit_status status = sgdfit_ranges_bytes(of, &need);
    if (status != SGDFIT_OK) return status;
    if (!range || !constant || !ranges || !sgdfit_priv_are_times(of))
        return SGDFIT_BAD_ARGUMENT;
    status = sgdfit_priv_check_work(work, work_bytes, need);
    if (status != SGDFIT_OK) return status;
    memset(&s, 0, sizeof s);
    s.of = *of;
    sgdfit_priv_ranges_carve(&s, &arena);
    SGDFIT_ASSERT(arena.used == need);
    status = sgdfit_priv_ranges_find(&s);
    if (status != SGDFIT_OK) return status;
    memcpy(range, s.range, s.count * sizeof(sgdfit_range));
    memcpy(constant, s.constant, s.count * of->terms * sizeof(double));
    *ranges = s.count;
    return SGDFIT_OK;
}

/* ---- Epochs to a loss: between points of a table --------------------------- */

SGDFIT_API const char *sgdfit_epochs_by_text(sgdfit_epochs_by by)
{
#define SGDFIT_X(name, text) text,
    static const char *const text[] = { SGDFIT_EPOCHS_BY_TABLE(SGDFIT_X) };
#undef SGDFIT_X
    return sgdfit_priv_text(text, SGDFIT_EPOCHS_BY_COUNT, (size_t)by);
}

/* The number x of a table, see sgdfit_epochs_by. */
static double sgdfit_priv_epochs_x(sgdfit_epochs_by by, double at)
{
    return by == SGDFIT_EPOCHS_BY_STALENESS ? 1.0 + at : at;
}

static int sgdfit_priv_epochs_in_range(const sgdfit_epochs *t)
{
    size_t i;
    if (!t || !t->at || !t->epochs || t->points == 0) return 0;
    if ((size_t)t->by >= (size_t)SGDFIT_EPOCHS_BY_COUNT) return 0;
    for (i = 0; i < t->points; i++) {
        if (!sgdfit_priv_is_time(t->at[i]) || !sgdfit_priv_is_rate(t->epochs[i])
            || !sgdfit_priv_is_rate(sgdfit_priv_epochs_x(t->by, t->at[i]))) return 0;
        if (i > 0 && !(t->at[i] > t->at[i - 1])) return 0;
    }
    return 1;
}

SGDFIT_API sgdfit_status sgdfit_epochs_to_loss(const sgdfit_epochs *table, double workers,
                                               double batch, int asynchronous,
                                               double *epochs)
{
    double x, low, high, part = 0.0;
    size_t i = 0, last;
    if (!epochs || !sgdfit_priv_epochs_in_range(table)) return SGDFIT_BAD_ARGUMENT;
    if (!(workers >= 1.0 && workers <= DBL_MAX) || !sgdfit_priv_is_rate(batch))
        return SGDFIT_BAD_ARGUMENT;
    x = table->by == SGDFIT_EPOCHS_BY_BATCH ? batch
      : table->by == SGDFIT_EPOCHS_BY_WORKERS || asynchronous ? workers : 1.0;
    last = table->points - 1;
    *epochs = 0.0;
    if (x < sgdfit_priv_epochs_x(table->by, table->at[0])
        || x > sgdfit_priv_epochs_x(table->by, table->at[last])) return SGDFIT_OK;
    while (i < last && !(x < sgdfit_priv_epochs_x(table->by, table->at[i + 1]))) i++;
    low = sgdfit_priv_epochs_x(table->by, table->at[i]);
    if (i < last) {
        high = sgdfit_priv_epochs_x(table->by, table->at[i + 1]);
        if (high > low) part = log(x / low) / log(high / low);
    }
    SGDFIT_ASSERT(part >= 0.0 && part <= 1.0);
    *epochs = table->epochs[i];
    if (part > 0.0) *epochs += part * (table->epochs[i + 1] - table->epochs[i]);
    return SGDFIT_OK;
}

/* ---- Measurements: phases to a profile ------------------------------------- */

SGDFIT_API const char *sgdfit_phase_text(sgdfit_phase phase)
{
#define SGDFIT_X(name, text) text,
    static const char *const table[] = { SGDFIT_PHASE_TABLE(SGDFIT_X) };
#undef SGDFIT_X
    const size_t i = (size_t)phase;
    return sgdfit_priv_text(table, sizeof table / sizeof table[0], i);
}

/* Orders two sgdfit_phase_record * by step, phase and start. */
static int sgdfit_priv_record_before(const void *ctx, const void *a, const void *b)
{
    const sgdfit_phase_record *p = *(const sgdfit_phase_record *const *)a;
    const sgdfit_phase_record *q = *(const sgdfit_phase_record *const *)b;
    (void)ctx;
    if (p->step != q->step) return p->step < q->step;
    if (p->phase != q->phase) return p->phase < q->phase;
    return p->start_s < q->start_s;
}

static int sgdfit_priv_is_record(const sgdfit_phase_record *r)
{
    return (size_t)r->phase < SGDFIT_PHASE_COUNT && sgdfit_priv_all_finite(&r->start_s, 1)
        && sgdfit_priv_is_time(r->end_s - r->start_s);
}

/* Adds a step's total of a phase. deviation_s holds for now the sum of squared deviations
 * from the mean, updated without cancellation (Welford, Technometrics 1962). */
static void sgdfit_priv_add_total(sgdfit_phase_statistics *of, double total_s)
{
    const double difference = total_s - of->mean_s;
    of->steps++;
    of->mean_s += difference / (double)of->steps;
    of->deviation_s += difference * (total_s - of->mean_s);
    SGDFIT_ASSERT(of->steps > 0 && !(of->deviation_s < 0.0));
}

/* Deviation and interval over all totals; 0 if they overflow, at about 1e154 s. */
static int sgdfit_priv_finish_totals(sgdfit_phase_statistics *of)
{
    if (of->steps > 1) {
        of->deviation_s = sqrt(of->deviation_s / (double)(of->steps - 1));
        of->ci95_half_width_s = sgdfit_priv_student95(of->steps - 1) * of->deviation_s
                              / sqrt((double)of->steps);
    }
    return sgdfit_priv_is_time(of->mean_s) && sgdfit_priv_is_time(of->ci95_half_width_s);
}

static const sgdfit_phase_record **sgdfit_priv_phases_carve(sgdfit_priv_arena *arena,
                                                            size_t n)
{
    return (const sgdfit_phase_record **)sgdfit_priv_take(arena, n,
                                                          sizeof(sgdfit_phase_record *));
}

SGDFIT_API sgdfit_status sgdfit_profile_phases_bytes(size_t n, size_t *bytes)
{
    sgdfit_priv_arena arena = sgdfit_priv_arena_at(NULL);
    if (n == 0) return SGDFIT_BAD_ARGUMENT;
    (void)sgdfit_priv_phases_carve(&arena, n);
    return sgdfit_priv_answer(&arena, bytes);
}

/* Checks the arguments and sorts pointers to the records in work. */
static sgdfit_status sgdfit_priv_sort_records(const sgdfit_phase_record *record, size_t n,
                                              void *work, size_t work_bytes,
                                              const sgdfit_phase_record ***out)
{
    sgdfit_priv_arena arena = sgdfit_priv_arena_at(work);
    const sgdfit_phase_record **sorted;
    size_t need = 0, k;
    sgdfit_status status = sgdfit_profile_phases_bytes(n, &need);
    if (status != SGDFIT_OK) return status;
    if (!record) return SGDFIT_BAD_ARGUMENT;
    status = sgdfit_priv_check_work(work, work_bytes, need);
    if (status != SGDFIT_OK) return status;

    sorted = sgdfit_priv_phases_carve(&arena, n);
    SGDFIT_ASSERT(arena.used == need);
    for (k = 0; k < n; k++) {
        if (!sgdfit_priv_is_record(record + k)) return SGDFIT_BAD_ARGUMENT;
        sorted[k] = record + k;
    }
    sgdfit_priv_sort(sorted, n, sizeof sorted[0], sgdfit_priv_record_before, NULL);
    *out = sorted;
    return SGDFIT_OK;
}

SGDFIT_API sgdfit_status sgdfit_profile_phases(const sgdfit_phase_record *record,
                                               size_t n, void *work, size_t work_bytes,
                                               sgdfit_phase_statistics *statistics,
                                               size_t *steps)
{
    sgdfit_phase_statistics found[SGDFIT_PHASE_COUNT];
    const sgdfit_phase_record **sorted;
    size_t distinct = 0, i = 0, k;
    sgdfit_status status;
    if (!statistics) return SGDFIT_BAD_ARGUMENT;
    status = sgdfit_priv_sort_records(record, n, work, work_bytes, &sorted);
    if (status != SGDFIT_OK) return status;

    memset(found, 0, sizeof found);
    while (i < n) {                        /* all records of a step and phase       */
        const sgdfit_phase_record *first = sorted[i];
        double reached_s = first->start_s, total_s = 0.0;
        if (i == 0 || first->step != sorted[i - 1]->step) distinct++;
        for (; i < n; i++) {
            const sgdfit_phase_record *r = sorted[i];
            if (r->step != first->step || r->phase != first->phase) break;
            SGDFIT_ASSERT(r->start_s >= first->start_s);
            if (!(r->end_s > reached_s)) continue;
            total_s += r->end_s - (r->start_s > reached_s ? r->start_s : reached_s);
            reached_s = r->end_s;
        }
        SGDFIT_ASSERT(total_s >= 0.0);
        sgdfit_priv_add_total(&found[first->phase], total_s);
    }
    SGDFIT_ASSERT(distinct >= 1 && distinct <= n);
    for (k = 0; k < SGDFIT_PHASE_COUNT; k++)
        if (!sgdfit_priv_finish_totals(found + k)) return SGDFIT_BAD_ARGUMENT;
    memcpy(statistics, found, sizeof found);
    if (steps) *steps = distinct;
    return SGDFIT_OK;
}

/* Counts the steps in which each phase of sorted records occurs; returns the steps. */
static size_t sgdfit_priv_count_phases(const sgdfit_phase_record *const *sorted, size_t n,
                                       size_t count[SGDFIT_PHASE_COUNT])
{
    size_t steps = 0, i;
    for (i = 0; i < SGDFIT_PHASE_COUNT; i++) count[i] = 0;
    for (i = 0; i < n; i++) {
        const sgdfit_phase_record *r = sorted[i], *before = i > 0 ? sorted[i - 1] : NULL;
        const int next = !before || before->step != r->step;
        steps += next != 0;
        count[r->phase] += next || before->phase != r->phase;
    }
    SGDFIT_ASSERT(steps >= 1 && steps <= n);
    return steps;
}

SGDFIT_API sgdfit_status sgdfit_profile_steps(const sgdfit_phase_record *record, size_t n,
                                              void *work, size_t work_bytes,
                                              sgdfit_phase_statistics *step, size_t *cut)
{
    sgdfit_phase_statistics whole;
    size_t count[SGDFIT_PHASE_COUNT], steps, i = 0, p;
    const sgdfit_phase_record **sorted;
    sgdfit_status status;
    if (!step) return SGDFIT_BAD_ARGUMENT;
    status = sgdfit_priv_sort_records(record, n, work, work_bytes, &sorted);
    if (status != SGDFIT_OK) return status;

    steps = sgdfit_priv_count_phases(sorted, n, count);
    memset(&whole, 0, sizeof whole);
    while (i < n) {                        /* all records of a step                 */
        const sgdfit_phase_record *first = sorted[i];
        double start_s = first->start_s, end_s = first->end_s;
        int has[SGDFIT_PHASE_COUNT] = { 0 }, lacks = 0;
        for (; i < n && sorted[i]->step == first->step; i++) {
            has[sorted[i]->phase] = 1;
            if (sorted[i]->start_s < start_s) start_s = sorted[i]->start_s;
            if (sorted[i]->end_s > end_s) end_s = sorted[i]->end_s;
        }
        for (p = 0; p < SGDFIT_PHASE_COUNT; p++)
            lacks |= !has[p] && count[p] > 0 && 4 * count[p] >= 3 * (steps - 1);
        if (!lacks) sgdfit_priv_add_total(&whole, end_s - start_s);
    }
    SGDFIT_ASSERT(whole.steps <= steps);
    if (!sgdfit_priv_finish_totals(&whole)) return SGDFIT_BAD_ARGUMENT;
    *step = whole;
    if (cut) *cut = steps - whole.steps;
    return SGDFIT_OK;
}

/* First start to last end of the records of one step and phase, from sorted[*i] on. *i
 * moves behind them. If there are none, *found is 0. */
static sgdfit_phase_record sgdfit_priv_span(const sgdfit_phase_record *const *sorted,
                                            size_t n, size_t *i, uint64_t step,
                                            sgdfit_phase phase, int *found)
{
    sgdfit_phase_record span;
    memset(&span, 0, sizeof span);
    *found = 0;
    for (; *i < n && sorted[*i]->step == step && sorted[*i]->phase == phase; ++*i) {
        if (!*found) span = *sorted[*i];   /* sorted by start                       */
        if (sorted[*i]->end_s > span.end_s) span.end_s = sorted[*i]->end_s;
        *found = 1;
    }
    SGDFIT_ASSERT(span.end_s >= span.start_s);
    return span;
}

/* Appends a gap, or, if gap is NULL, counts it. Returns 0 if it is negative. */
static int sgdfit_priv_add_gap(sgdfit_phase_record *gap, size_t *count, uint64_t step,
                               sgdfit_phase phase, double start_s, double end_s)
{
    sgdfit_phase_record r;
    r.step = step;
    r.phase = phase;
    r.start_s = start_s;
    r.end_s = end_s;
    if (!sgdfit_priv_is_record(&r)) return 0;
    if (gap) gap[*count] = r;
    ++*count;
    return 1;
}

/* The gaps between sorted transfers; gap = NULL only counts. 0 if a gap is negative. */
static int sgdfit_priv_gaps(const sgdfit_phase_record *const *sorted, size_t n,
                            sgdfit_phase_record *gap, size_t *count)
{
    sgdfit_phase_record sent;
    size_t i = 0;
    int was_sent = 0, has_down, has_up;
    memset(&sent, 0, sizeof sent);
    *count = 0;
    while (i < n) {                        /* all records of a step                 */
        const uint64_t step = sorted[i]->step;
        const sgdfit_phase_record down = sgdfit_priv_span(sorted, n, &i, step,
                                                          SGDFIT_PHASE_DOWNLINK,
                                                          &has_down);
        const sgdfit_phase_record up = sgdfit_priv_span(sorted, n, &i, step,
                                                        SGDFIT_PHASE_UPLINK, &has_up);
        SGDFIT_ASSERT(has_down || has_up);
        if (was_sent && has_down && step - sent.step == 1 &&
            !sgdfit_priv_add_gap(gap, count, sent.step, SGDFIT_PHASE_UPDATE, sent.end_s,
                                 down.start_s))
            return 0;
        if (has_down && has_up &&
            !sgdfit_priv_add_gap(gap, count, step, SGDFIT_PHASE_FORWARD, down.end_s,
                                 up.start_s))
            return 0;
        sent = up;
        was_sent = has_up;
    }
    SGDFIT_ASSERT(*count <= 2 * n);
    return 1;
}

SGDFIT_API sgdfit_status sgdfit_profile_gaps(const sgdfit_phase_record *record, size_t n,
                                             void *work, size_t work_bytes,
                                             sgdfit_phase_record *gap, size_t *gaps)
{
    const sgdfit_phase_record **sorted;
    size_t count, k;
    sgdfit_status status;
    if (!gap || !gaps) return SGDFIT_BAD_ARGUMENT;
    status = sgdfit_priv_sort_records(record, n, work, work_bytes, &sorted);
    if (status != SGDFIT_OK) return status;
    for (k = 0; k < n; k++) {
        const sgdfit_phase phase = record[k].phase;
        if (phase != SGDFIT_PHASE_DOWNLINK && phase != SGDFIT_PHASE_UPLINK)
            return SGDFIT_BAD_ARGUMENT;
    }
    if (!sgdfit_priv_gaps(sorted, n, NULL, &count)) return SGDFIT_BAD_ARGUMENT;
    (void)sgdfit_priv_gaps(sorted, n, gap, gaps);
    SGDFIT_ASSERT(*gaps == count);
    return SGDFIT_OK;
}

/* ---- Measurements: activities to the parts of a step ----------------------- */

/* The begin or the end of an activity. */
typedef struct sgdfit_priv_edge {
    double time_s;
    size_t activity;
    int    begins;
} sgdfit_priv_edge;

/* Orders by time. At the same time, begins come before ends: an activity of no length
 * then has both in order, and an end meets the begin that takes over from it. */
static int sgdfit_priv_edge_before(const void *ctx, const void *a, const void *b)
{
    const sgdfit_priv_edge *p = (const sgdfit_priv_edge *)a;
    const sgdfit_priv_edge *q = (const sgdfit_priv_edge *)b;
    (void)ctx;
    if (p->time_s < q->time_s || q->time_s < p->time_s) return p->time_s < q->time_s;
    if (p->begins != q->begins) return p->begins > q->begins;
    return p->activity < q->activity;
}

static sgdfit_priv_edge *sgdfit_priv_edges_carve(sgdfit_priv_arena *arena, size_t n)
{
    return (sgdfit_priv_edge *)sgdfit_priv_take(arena, n, 2 * sizeof(sgdfit_priv_edge));
}

SGDFIT_API sgdfit_status sgdfit_profile_activity_bytes(const sgdfit_traced_step *of,
                                                       size_t *bytes)
{
    sgdfit_priv_arena arena = sgdfit_priv_arena_at(NULL);
    if (!of) return SGDFIT_BAD_ARGUMENT;
    (void)sgdfit_priv_edges_carve(&arena, of->n);
    return sgdfit_priv_answer(&arena, bytes);
}

/* Edges of the activities within the step, clipped to it. *waits: is there any WAIT
 * record? Returns the number of edges, or -1 for an invalid record. */
static ptrdiff_t sgdfit_priv_edges(const sgdfit_traced_step *of, sgdfit_priv_edge *edge,
                                   int *waits)
{
    const double start_s = of->start_s, end_s = of->end_s;
    size_t i, edges = 0;
    for (*waits = 0, i = 0; i < of->n; i++) {
        const sgdfit_activity *a = of->activity + i;
        if (!sgdfit_priv_is_time(a->end_s - a->start_s)
            || (size_t)a->kind > (size_t)SGDFIT_ACTIVITY_WAIT)
            return -1;
        *waits |= a->kind == SGDFIT_ACTIVITY_WAIT;
        if (!(a->start_s < end_s) || !(a->end_s > start_s)) continue;
        edge[edges].time_s = a->start_s > start_s ? a->start_s : start_s;
        edge[edges].activity = edge[edges + 1].activity = i;
        edge[edges].begins = 1;
        edge[edges + 1].begins = 0;
        edge[edges + 1].time_s = a->end_s < end_s ? a->end_s : end_s;
        edges += 2;
    }
    SGDFIT_ASSERT(edges <= 2 * of->n);
    return (ptrdiff_t)edges;
}

/* A sweep over a step. */
typedef struct sgdfit_priv_sweep {
    size_t active[SGDFIT_ACTIVITY_WAIT + 1];
    int    always_waits;
    double at_s;
    double stalled_from_s;          /* of the stall that lasts at at_s; at_s: none  */
    sgdfit_step_parts parts;
} sgdfit_priv_sweep;

static void sgdfit_priv_sweep_to(sgdfit_priv_sweep *sweep, double time_s)
{
    const double passed_s = time_s - sweep->at_s;
    const int computes = sweep->active[SGDFIT_ACTIVITY_COMPUTE] > 0;
    const int exchanges = sweep->active[SGDFIT_ACTIVITY_COMMUNICATION] > 0;
    const int waits = sweep->always_waits || sweep->active[SGDFIT_ACTIVITY_WAIT] > 0;
    SGDFIT_ASSERT(passed_s >= 0.0);
    if (computes) sweep->parts.compute_s += passed_s;
    if (exchanges) sweep->parts.communication_s += passed_s;
    if (computes && exchanges) sweep->parts.overlap_s += passed_s;
    if (!computes && !exchanges) sweep->parts.host_s += passed_s;
    if (passed_s > 0.0 && (computes || !exchanges || !waits))
        sweep->stalled_from_s = time_s;
    sweep->at_s = time_s;
}

SGDFIT_API sgdfit_status sgdfit_profile_activity(const sgdfit_traced_step *of, void *work,
                                                 size_t work_bytes,
                                                 sgdfit_step_parts *parts,
                                                 double *stalled_from_s)
{
    sgdfit_priv_arena arena = sgdfit_priv_arena_at(work);
    sgdfit_priv_sweep sweep;
    sgdfit_priv_edge *edge;
    size_t need = 0, k;
    double end_s;
    ptrdiff_t edges;
    int waits;
    sgdfit_status status = sgdfit_profile_activity_bytes(of, &need);
    if (status != SGDFIT_OK) return status;
    if ((!of->activity && of->n > 0) || !parts
        || !sgdfit_priv_is_time(of->end_s - of->start_s))
        return SGDFIT_BAD_ARGUMENT;
    status = sgdfit_priv_check_work(work, work_bytes, need);
    if (status != SGDFIT_OK) return status;
    end_s = of->end_s;
    edge = sgdfit_priv_edges_carve(&arena, of->n);
    edges = sgdfit_priv_edges(of, edge, &waits);
    if (edges < 0) return SGDFIT_BAD_ARGUMENT;
    if (edges > 0)
        sgdfit_priv_sort(edge, (size_t)edges, sizeof edge[0], sgdfit_priv_edge_before,
                         NULL);
    memset(&sweep, 0, sizeof sweep);
    sweep.always_waits = !waits;
    sweep.at_s = sweep.stalled_from_s = of->start_s;
    for (k = 0; stalled_from_s && k < of->n; k++)
        stalled_from_s[k] = of->activity[k].end_s < end_s ? of->activity[k].end_s : end_s;
    for (k = 0; k < (size_t)edges; k++) {
        const sgdfit_activity_kind kind = of->activity[edge[k].activity].kind;
        sgdfit_priv_sweep_to(&sweep, edge[k].time_s);
        if (edge[k].begins) { sweep.active[kind]++; continue; }
        SGDFIT_ASSERT(sweep.active[kind] > 0);
        sweep.active[kind]--;
        if (kind != SGDFIT_ACTIVITY_COMMUNICATION) continue;
        if (stalled_from_s) stalled_from_s[edge[k].activity] = sweep.stalled_from_s;
        sweep.parts.exposed_s += edge[k].time_s - sweep.stalled_from_s;
        sweep.stalled_from_s = edge[k].time_s;
    }
    sgdfit_priv_sweep_to(&sweep, end_s);
    sweep.parts.step_s = end_s - of->start_s;
    SGDFIT_ASSERT(sweep.parts.exposed_s <= sweep.parts.communication_s * (1.0 + 1e-9));
    *parts = sweep.parts;
    return SGDFIT_OK;
}

SGDFIT_API const char *sgdfit_bound_text(sgdfit_bound bound)
{
#define SGDFIT_X(name, text) text,
    static const char *const table[] = { SGDFIT_BOUND_TABLE(SGDFIT_X) };
#undef SGDFIT_X
    const size_t i = (size_t)bound;
    return sgdfit_priv_text(table, sizeof table / sizeof table[0], i);
}

SGDFIT_API sgdfit_bound sgdfit_profile_bound(const sgdfit_step_parts *parts)
{
    const double host_s = parts->step_s - parts->compute_s - parts->exposed_s;
    if (host_s >= parts->compute_s && host_s >= parts->exposed_s)
        return SGDFIT_BOUND_HOST;
    return parts->compute_s >= parts->exposed_s ? SGDFIT_BOUND_ACCELERATOR
                                                : SGDFIT_BOUND_COMMUNICATION;
}

/* The exponent p, 1 to `most`, for which T = (C^p + E^p)^(1/p). This falls from C + E to
 * max(C, E) as p grows. */
static double sgdfit_priv_exponent(double C, double E, double T, double most)
{
    double low = 1.0, high = most;
    int i;
    for (i = 0; i < 200 && low < high; i++) {
        const double p = low + 0.5 * (high - low);
        const double sum = pow(C / T, p) + pow(E / T, p);
        if (sum > 1.0) low = p; else high = p;
    }
    SGDFIT_ASSERT(low >= 1.0 && high <= most);
    return high;
}

static int sgdfit_priv_are_parts(const sgdfit_step_parts *p)
{
    return sgdfit_priv_is_time(p->step_s) && p->step_s > 0.0
        && sgdfit_priv_is_time(p->communication_s) && sgdfit_priv_is_time(p->exposed_s)
        && p->exposed_s <= p->communication_s * (1.0 + 1e-9)
        && p->communication_s <= p->step_s * (1.0 + 1e-9);
}

SGDFIT_API sgdfit_status sgdfit_profile_traced(const sgdfit_step_parts *parts,
                                               uint32_t workers, double exchanged_bytes,
                                               sgdfit_traced *out)
{
    const double most = 64.0, n = workers;
    double compute_s, forward = 1.0 / 3.0, exponent = 0.0, bandwidth = 0.0, T, E;
    if (!parts || !out || workers == 0 || !sgdfit_priv_are_parts(parts)
        || !sgdfit_priv_is_time(exchanged_bytes) || !sgdfit_priv_is_time(out->forward_s)
        || !sgdfit_priv_is_time(out->backward_s))
        return SGDFIT_BAD_ARGUMENT;
    T = compute_s = parts->step_s;
    E = parts->communication_s;
    if (workers > 1 && E > 0.0) {
        if (!(exchanged_bytes > 0.0)) return SGDFIT_BAD_ARGUMENT;
        bandwidth = 2.0 * (n - 1.0) / n * exchanged_bytes / E;
        if (!sgdfit_priv_is_time(bandwidth) || !(bandwidth > 0.0))
            return SGDFIT_BAD_ARGUMENT;
        if (E > T) E = T;
        compute_s = T > parts->exposed_s ? T - parts->exposed_s : 0.0;
        exponent = sgdfit_priv_exponent(compute_s, E, T, most);
        if (exponent >= most) {
            const double both = pow(compute_s / T, most) + pow(E / T, most);
            const double longer = pow(both, 1.0 / most);
            compute_s /= longer;
            bandwidth *= longer;
        }
    }
    if (out->forward_s + out->backward_s > 0.0)
        forward = out->forward_s / (out->forward_s + out->backward_s);
    out->forward_s = compute_s * forward;
    out->backward_s = compute_s - out->forward_s;
    SGDFIT_ASSERT(out->backward_s >= 0.0);
    out->model_bytes = bandwidth > 0.0 ? exchanged_bytes : 0.0;
    out->bandwidth_bytes_per_s = bandwidth;
    out->overlap_exponent = exponent;
    return SGDFIT_OK;
}

/* ---- Calibration: unknowns and mismatch ------------------------------------ */

enum {
    SGDFIT_PRIV_ROUNDS = 100,          /* of line searches and polishing            */
    SGDFIT_PRIV_GOLDEN_STEPS = 24,     /* reduce the bracket to 1e-5                */
    SGDFIT_PRIV_BISECTIONS = 40,       /* reduce the bracket to 1e-12               */
    SGDFIT_PRIV_FEW_STEPS = 10,        /* of Levenberg-Marquardt, to compare starts */
    SGDFIT_PRIV_MANY_STEPS = 40
};

/* Where a prediction jumps as a threshold grows, and its squared error on both sides. */
typedef struct sgdfit_priv_flip {
    double threshold;
    double below, above;
    double from_here;                  /* sum of `below` over this and later ones   */
} sgdfit_priv_flip;

/* The result of a part of the search. */
typedef struct sgdfit_priv_found {
    double      y[SGDFIT_UNKNOWNS];
    double      mismatch;              /* at y                                      */
    size_t      evaluations;
    sgdfit_status failure;             /* of its first failed prediction            */
} sgdfit_priv_found;

/* The search for some of a problem's unknowns, among numbers y as in sgdfit_kind. */
typedef struct sgdfit_priv_search {
    const sgdfit_problem *of;
    size_t         n;                  /* points                                    */
    size_t         unknowns;           /* number of unknowns sought                 */
    size_t         rows;               /* n, and with priors one for each unknown   */
    size_t         place[SGDFIT_UNKNOWNS]; /* their indices in the problem          */
    sgdfit_unknown unknown[SGDFIT_UNKNOWNS]; /* their ranges                        */
    sgdfit_prior   prior[SGDFIT_UNKNOWNS];   /* spread 0: none                      */
    double         noise;
    double     *scan;                  /* [nodes] mismatch over a grid              */
    double     *error, *trial, *other; /* [rows] relative errors: at y, elsewhere   */
    double     *a, *b;                 /* [rows + unknowns][unknowns], [rows +      */
    double     *nnls;                  /*   unknowns]: a step, and its work area    */
    size_t      nnls_bytes;
    sgdfit_priv_flip *flip;            /* [n]                                       */
    void       *predict;               /* work area of predictions                  */
    size_t      evaluations;
    sgdfit_status failure;             /* of the first failed prediction            */
    void       *work;                  /* memory of the arrays                      */
    size_t     *start;                 /* [nodes] of the scan to start from         */
    size_t      first;                 /* index in `start` of part 0                */
    sgdfit_priv_found *found;          /* [nodes] results of parts                  */
} sgdfit_priv_search;

static double sgdfit_priv_unknown_value(sgdfit_kind kind, double y)
{
    return kind == SGDFIT_RATE || kind == SGDFIT_EXPONENT ? 1.0 / y : y;
}

/* Values of the problem's unknowns at y; -1 for those that are not sought. */
static void sgdfit_priv_values(const sgdfit_priv_search *s, const double *y,
                               double *value)
{
    size_t j;
    for (j = 0; j < s->of->unknowns; j++) value[j] = -1.0;
    for (j = 0; j < s->unknowns; j++) {
        SGDFIT_ASSERT(s->place[j] < s->of->unknowns && y[j] >= 0.0);
        value[s->place[j]] = sgdfit_priv_unknown_value(s->unknown[j].kind, y[j]);
    }
}

/* Relative errors at y of points first .. first + count - 1, to error[count]. Returns 0
 * if one cannot be predicted; its error is DBL_MAX, later ones are not computed. */
static int sgdfit_priv_errors_at(sgdfit_priv_search *s, const double *y, size_t first,
                                 size_t count, double *error)
{
    const sgdfit_model *model = &s->of->model;
    double value[SGDFIT_UNKNOWNS];
    sgdfit_status status;
    size_t i;
    SGDFIT_ASSERT(first < s->n && count <= s->n - first);
    sgdfit_priv_values(s, y, value);
    for (i = 0; i < count; i++) error[i] = 0.0;
    status =
        (sgdfit_status)model->predict(model->ctx, value, first, count, s->predict, error);
    for (i = 0; i < count; i++) {
        s->evaluations++;
        if (!sgdfit_priv_is_rate(error[i])) break;
        error[i] = error[i] / s->of->measured[first + i] - 1.0;
    }
    if (i == count && status == SGDFIT_OK) return 1;
    error[i < count ? i : 0] = DBL_MAX;
    if (s->failure == SGDFIT_OK) s->failure = status != SGDFIT_OK ? status
        : SGDFIT_BAD_ARGUMENT;
    return 0;
}

/* Distance of unknown j from its prior at y, in units of a point's relative error. *slope
 * receives its derivative. */
static double sgdfit_priv_off_prior(const sgdfit_priv_search *s, size_t j, double y,
                                    double *slope)
{
    const sgdfit_prior *prior = &s->prior[j];
    const sgdfit_kind kind = s->unknown[j].kind;
    const double value = sgdfit_priv_unknown_value(kind, y);
    const double by_y = kind == SGDFIT_TIME ? 1.0 : -value * value; /* d value / d y    */
    double scale;
    *slope = 0.0;
    if (!(prior->spread > 0.0)) return 0.0;
    scale = s->noise / prior->spread;
    if (!prior->normal && !(value > 0.0)) return DBL_MAX;
    *slope = prior->normal ? scale * by_y : scale * by_y / value;
    return scale * (prior->normal ? value - prior->value : log(value / prior->value));
}

/* Sum of squared errors at y, of points and from priors; they go to error[rows]. DBL_MAX,
 * with an incomplete error, if a point cannot be predicted. */
static double sgdfit_priv_mismatch(sgdfit_priv_search *s, const double *y, double *error)
{
    double sum = 0.0, slope;
    size_t i;
    SGDFIT_ASSERT(s->rows == s->n || s->rows == s->n + s->unknowns);
    if (!sgdfit_priv_errors_at(s, y, 0, s->n, error)) return DBL_MAX;
    for (i = s->n; i < s->rows; i++)
        error[i] = sgdfit_priv_off_prior(s, i - s->n, y[i - s->n], &slope);
    for (i = 0; i < s->rows; i++) sum += error[i] * error[i];
    return sum < DBL_MAX ? sum : DBL_MAX;
}

/* The mismatch if all errors are 1e-11: rounding, or nearly so. */
static double sgdfit_priv_exact(const sgdfit_priv_search *s)
{
    return 1e-22 * (double)s->n;
}

static int sgdfit_priv_is_threshold(sgdfit_kind kind)
{
    return kind == SGDFIT_SHARE || kind == SGDFIT_STEPS;
}

/* ---- Calibration: nodes of the scan ---------------------------------------- */

/* Number of values of each unknown in the scan. Nodes are all their combinations, laid
 * out as an array: in node i an unknown has its value number i / stride % values. */
static size_t sgdfit_priv_scan_values(const sgdfit_priv_search *s)
{
    static const size_t values[SGDFIT_UNKNOWNS] = { 64, 16, 8, 5 };
    return values[s->unknowns - 1];
}

static size_t sgdfit_priv_scan_stride(const sgdfit_priv_search *s, size_t j)
{
    size_t stride = 1;
    for (; j > 0; j--) stride *= sgdfit_priv_scan_values(s);
    return stride;
}

static size_t sgdfit_priv_scan_nodes(const sgdfit_priv_search *s)
{
    return sgdfit_priv_scan_stride(s, s->unknowns);
}

/* Spacing of the values: a difference for thresholds, else a factor. */
static double sgdfit_priv_scan_spacing(const sgdfit_priv_search *s, size_t j)
{
    const double steps = (double)(sgdfit_priv_scan_values(s) - 1);
    if (sgdfit_priv_is_threshold(s->unknown[j].kind)) return s->unknown[j].high / steps;
    return exp(log(s->unknown[j].high / s->unknown[j].low) / (steps - 1.0));
}

/* The number y of a prior, within the range. */
static double sgdfit_priv_prior_y(const sgdfit_unknown *unknown,
                                  const sgdfit_prior *prior)
{
    const double y = sgdfit_priv_unknown_value(unknown->kind, prior->value);
    if (!(y > unknown->least)) return unknown->least;
    return y < unknown->high ? y : unknown->high;
}

/* The first value is the prior's, or else `least`; the others run from `low` to
 * `high`. */
static void sgdfit_priv_scan_point(const sgdfit_priv_search *s, size_t node, double *y)
{
    size_t j;
    for (j = 0; j < s->unknowns; j++) {
        const size_t i = node / sgdfit_priv_scan_stride(s,
                                                        j) % sgdfit_priv_scan_values(s);
        const double spacing = sgdfit_priv_scan_spacing(s, j);
        if (sgdfit_priv_is_threshold(s->unknown[j].kind)) y[j] = (double)i * spacing;
        else if (i == 0 && s->prior[j].spread > 0.0)
            y[j] = sgdfit_priv_prior_y(&s->unknown[j], &s->prior[j]);
        else if (i == 0) y[j] = s->unknown[j].least;
        else y[j] = s->unknown[j].low * exp(log(spacing) * ((double)i - 1.0));
        if (y[j] > s->unknown[j].high) y[j] = s->unknown[j].high;
        SGDFIT_ASSERT(y[j] >= s->unknown[j].least);
    }
}

/* The best node in which unknown j has its value number i. */
static size_t sgdfit_priv_scan_best(const sgdfit_priv_search *s, size_t j, size_t i)
{
    const size_t stride = sgdfit_priv_scan_stride(s, j),
        values = sgdfit_priv_scan_values(s);
    const size_t nodes = sgdfit_priv_scan_nodes(s);
    size_t best = i * stride, node;
    for (node = best + 1; node < nodes; node++)
        if (node / stride % values == i && s->scan[node] < s->scan[best]) best = node;
    SGDFIT_ASSERT(best < nodes && best / stride % values == i);
    return best;
}

/* ---- Calibration: parallel parts ------------------------------------------- */

static void sgdfit_priv_search_carve(sgdfit_priv_search *s, sgdfit_priv_arena *arena)
{
    const size_t rows = s->rows, u = s->unknowns, nodes = sgdfit_priv_scan_nodes(s);
    const sgdfit_system step = { NULL, NULL, rows + u, u };
    arena->overflow |= sgdfit_nnls_bytes(&step, &s->nnls_bytes) != SGDFIT_OK;
    s->scan = sgdfit_priv_doubles(arena, nodes);
    s->error = sgdfit_priv_doubles(arena, rows);
    s->trial = sgdfit_priv_doubles(arena, rows);
    s->other = sgdfit_priv_doubles(arena, rows);
    s->b = sgdfit_priv_doubles(arena, rows + u);
    s->a = (double *)sgdfit_priv_take(arena, rows + u, u * sizeof(double));
    s->nnls = (double *)sgdfit_priv_take(arena, s->nnls_bytes, 1);
    s->flip = (sgdfit_priv_flip *)sgdfit_priv_take(arena, s->n, sizeof(sgdfit_priv_flip));
    s->predict = sgdfit_priv_take(arena, s->of->model.work_bytes, 1);
    s->start = (size_t *)sgdfit_priv_take(arena, nodes, sizeof(size_t));
    s->found = (sgdfit_priv_found *)sgdfit_priv_take(arena, nodes,
                                                     sizeof(sgdfit_priv_found));
}

/* The search as a part sees it: its own arrays, and the common scan and starts. */
static sgdfit_priv_search sgdfit_priv_part_of(const void *search, void *work)
{
    const sgdfit_priv_search *whole = (const sgdfit_priv_search *)search;
    sgdfit_priv_search s = *whole;
    sgdfit_priv_arena arena = sgdfit_priv_arena_at(work);
    sgdfit_priv_search_carve(&s, &arena);
    s.scan = whole->scan;
    s.start = whole->start;
    s.evaluations = 0;
    s.failure = SGDFIT_OK;
    return s;
}

static void sgdfit_priv_end_part(const sgdfit_priv_search *s, const double *y,
                                 double mismatch, void *result)
{
    sgdfit_priv_found found;
    SGDFIT_ASSERT(mismatch >= 0.0);
    memset(&found, 0, sizeof found);
    memcpy(found.y, y, s->unknowns * sizeof(double));
    found.mismatch = mismatch;
    found.evaluations = s->evaluations;
    found.failure = s->failure;
    memcpy(result, &found, sizeof found);
}

/* Does the `count` parts from index `first` on, into found[count]. */
static void sgdfit_priv_do_parts(sgdfit_priv_search *s, sgdfit_part part, size_t first,
                                 size_t count)
{
    size_t i;
    s->first = first;
    if (s->of->deal) s->of->deal(s->of->deal_ctx, part, s, count, s->found,
                                 sizeof *s->found);
    else for (i = 0; i < count; i++) part(s, i, s->work, &s->found[i]);
}

/* Adds the counts of a part. */
static void sgdfit_priv_take_part(sgdfit_priv_search *s, const sgdfit_priv_found *found)
{
    SGDFIT_ASSERT(found->mismatch >= 0.0);
    s->evaluations += found->evaluations;
    if (s->failure == SGDFIT_OK) s->failure = found->failure;
}

/* ---- Calibration: the scan for starting points ----------------------------- */

static void sgdfit_priv_scan_part(const void *search, size_t i, void *work, void *result)
{
    sgdfit_priv_search s = sgdfit_priv_part_of(search, work);
    double y[SGDFIT_UNKNOWNS];
    sgdfit_priv_scan_point(&s, i, y);
    sgdfit_priv_end_part(&s, y, sgdfit_priv_mismatch(&s, y, s.trial), result);
}

/* Fills the scan. SGDFIT_OK if a node can be predicted and every unknown changes the
 * mismatch somewhere. */
static sgdfit_status sgdfit_priv_scan(sgdfit_priv_search *s)
{
    const size_t nodes = sgdfit_priv_scan_nodes(s), values = sgdfit_priv_scan_values(s);
    double least = DBL_MAX;
    size_t node, j;
    sgdfit_priv_do_parts(s, sgdfit_priv_scan_part, 0, nodes);
    for (node = 0; node < nodes; node++) {
        sgdfit_priv_take_part(s, &s->found[node]);
        SGDFIT_ASSERT(s->found[node].evaluations <= s->n);
        s->scan[node] = s->found[node].mismatch;
        if (s->scan[node] < least) least = s->scan[node];
    }
    if (!(least < DBL_MAX))
        return s->failure != SGDFIT_OK ? s->failure : SGDFIT_BAD_ARGUMENT;
    for (j = 0; j < s->unknowns; j++) {
        const size_t stride = sgdfit_priv_scan_stride(s, j);
        int changes = 0;
        for (node = 0; node + stride < nodes && !changes; node++) {
            const double change = fabs(s->scan[node + stride] - s->scan[node]);
            changes = node / stride % values + 1 < values
                   && change > 1e-12 * s->scan[node] + sgdfit_priv_exact(s);
        }
        if (!changes) return SGDFIT_BAD_ARGUMENT;
    }
    return SGDFIT_OK;
}

/* Is the mismatch a step function of unknown j? */
static int sgdfit_priv_is_stepped(const sgdfit_priv_search *s, size_t j)
{
    return s->unknown[j].kind == SGDFIT_STEPS;
}

/* Does a search start from the best node with unknown j at its value number i? One
 * unknown: from the local minima (STEPS: once, as all steps are searched). Several: from
 * each such node, once, because valleys are narrow, have several bottoms and run between
 * the nodes. */
static int sgdfit_priv_is_start(const sgdfit_priv_search *s, size_t j, size_t i)
{
    const size_t values = sgdfit_priv_scan_values(s), node = sgdfit_priv_scan_best(s, j,
                                                                                   i);
    const double *at = s->scan + node;
    size_t k;
    SGDFIT_ASSERT(j < s->unknowns && i < values);
    if (s->unknowns == 1 && sgdfit_priv_is_stepped(s, j)) return i == 0;
    if (!(*at < DBL_MAX)) return 0;
    if (s->unknowns == 1)
        return (i == 0 || at[-1] > *at) && (i + 1 == values || at[1] >= *at);
    for (k = 0; k < j; k++)
        if (sgdfit_priv_scan_best(s, k, node / sgdfit_priv_scan_stride(s, k) % values) ==
            node)
            return 0;
    return 1;
}

/* ---- Calibration: descent from a starting point ---------------------------- */

/* Golden-section search along unknown j between its neighbours in the scan. y moves only
 * to better values. Returns the new mismatch, as the functions below do. */
static double sgdfit_priv_search_line(sgdfit_priv_search *s, size_t j, double *y,
                                      double mismatch)
{
    const double golden = 0.38196601125010515; /* of the longer side               */
    const double spacing = sgdfit_priv_scan_spacing(s, j), low = s->unknown[j].low;
    double best = y[j], from, to;
    int step;
    from = best > low ? best / spacing : s->unknown[j].least;
    to = (best > low ? best : low) * spacing;
    if (sgdfit_priv_is_threshold(s->unknown[j].kind)) {
        from = best - spacing;
        to = best + spacing;
    }
    if (from < s->unknown[j].least) from = s->unknown[j].least;
    if (to > s->unknown[j].high) to = s->unknown[j].high;
    for (step = 0; step < SGDFIT_PRIV_GOLDEN_STEPS; step++) {
        const int up = to - best > best - from;
        const double next = best + golden * (up ? to - best : from - best);
        double found;
        SGDFIT_ASSERT(from <= best && best <= to);
        y[j] = next;
        found = sgdfit_priv_mismatch(s, y, s->trial);
        if (found < mismatch) {
            if (up) from = best; else to = best;
            best = next;
            mismatch = found;
        } else {
            if (up) to = next; else from = next;
        }
    }
    y[j] = best;
    return mismatch;
}

static int sgdfit_priv_flip_before(const void *ctx, const void *a, const void *b)
{
    (void)ctx;
    return ((const sgdfit_priv_flip *)a)->threshold <
           ((const sgdfit_priv_flip *)b)->threshold;
}

/* Bisects for the value of threshold j at which the prediction of point i jumps. It is 0
 * if the prediction does not jump or hardly changes, as for one worker. */
static sgdfit_priv_flip sgdfit_priv_find_flip(sgdfit_priv_search *s, size_t j, double *y,
                                              size_t i)
{
    double low = 0.0, high = s->unknown[j].high, error_low, error_high, error;
    sgdfit_priv_flip flip;
    int step;
    y[j] = low;
    (void)sgdfit_priv_errors_at(s, y, i, 1, &error_low);
    y[j] = high;
    (void)sgdfit_priv_errors_at(s, y, i, 1, &error_high);
    if (fabs(error_high - error_low) < 1e-12) high = 0.0;
    for (step = 0; step < SGDFIT_PRIV_BISECTIONS && high > 0.0; step++) {
        y[j] = low + 0.5 * (high - low);
        (void)sgdfit_priv_errors_at(s, y, i, 1, &error);
        if (sgdfit_priv_same(error, error_low)) low = y[j]; else high = y[j];
    }
    SGDFIT_ASSERT(high >= 0.0 && high <= s->unknown[j].high);
    flip.threshold = high;
    flip.below = error_low * error_low;
    flip.above = error_high * error_high;
    flip.from_here = 0.0;
    return flip;
}

/* Moves threshold j to the middle of its best interval: the mismatch is a step function,
 * with a step where a prediction jumps. Sums are built up from both ends, because
 * differences of one sum would cancel. */
static double sgdfit_priv_best_threshold(sgdfit_priv_search *s, size_t j, double *y)
{
    const double narrow = 1e-9;        /* two bisections found the same step        */
    const size_t n = s->n;
    const double end = s->unknown[j].high;
    double passed = 0.0, least = DBL_MAX, best = 0.5 * end;
    size_t i;
    for (i = 0; i < n; i++) s->flip[i] = sgdfit_priv_find_flip(s, j, y, i);
    sgdfit_priv_sort(s->flip, n, sizeof s->flip[0], sgdfit_priv_flip_before, NULL);
    for (i = n; i-- > 0;) {
        s->flip[i].from_here = s->flip[i].below;
        if (i + 1 < n) s->flip[i].from_here += s->flip[i + 1].from_here;
    }
    for (i = 0; i <= n; i++) {             /* between steps i - 1 and i */
        const double from = i > 0 ? s->flip[i - 1].threshold : 0.0;
        const double to = i < n ? s->flip[i].threshold : end;
        double sum;
        SGDFIT_ASSERT(from <= to);
        if (i > 0) passed += s->flip[i - 1].above;
        sum = passed + (i < n ? s->flip[i].from_here : 0.0);
        if (!(to - from > narrow && sum < least)) continue;
        least = sum;
        best = from + 0.5 * (to - from);
    }
    y[j] = best;
    return sgdfit_priv_mismatch(s, y, s->trial);
}

/* A SHARE, unknown j, has no effect above some value. If y lies there, moves it to the
 * middle of that range. */
static void sgdfit_priv_centre_threshold(sgdfit_priv_search *s, size_t j, double *y,
                                         double mismatch)
{
    const double same = 1e-9 * mismatch + sgdfit_priv_exact(s);
    const double end = s->unknown[j].high;
    double low = 0.0, high = y[j];
    int step;
    y[j] = end;
    if (fabs(sgdfit_priv_mismatch(s, y, s->trial) - mismatch) > same) {
        y[j] = high;
        return;
    }
    for (step = 0; step < SGDFIT_PRIV_BISECTIONS; step++) {
        y[j] = low + 0.5 * (high - low);
        if (fabs(sgdfit_priv_mismatch(s, y, s->trial) - mismatch) > same) low = y[j];
        else high = y[j];
        SGDFIT_ASSERT(low <= high && high <= end);
    }
    y[j] = high + 0.5 * (end - high);
}

/* Derivatives of the errors, a[rows][unknowns], by central differences, one-sided at the
 * end of a range; zeros if a point cannot be predicted. */
static void sgdfit_priv_derive_errors(sgdfit_priv_search *s, const double *y)
{
    const size_t u = s->unknowns;
    double at[SGDFIT_UNKNOWNS];
    size_t i, j;
    memcpy(at, y, u * sizeof(double));
    for (j = 0; j < u; j++) {
        const double h = 1e-5 * y[j] + 0.1 * s->unknown[j].low;
        const double from = fmax(y[j] - h, s->unknown[j].least);
        const double to = fmin(y[j] + h, s->unknown[j].high);
        int known;
        SGDFIT_ASSERT(from < to);
        at[j] = from;
        known = sgdfit_priv_mismatch(s, at, s->trial) < DBL_MAX;
        at[j] = to;
        known = sgdfit_priv_mismatch(s, at, s->other) < DBL_MAX && known;
        at[j] = y[j];
        for (i = 0; i < s->n; i++)
            s->a[i * u + j] = known ? (s->other[i] - s->trial[i]) / (to - from) : 0.0;
        for (i = s->n; i < s->rows; i++) s->a[i * u + j] = 0.0;
        if (s->rows > s->n)
            (void)sgdfit_priv_off_prior(s, j, y[j], &s->a[(s->n + j) * u + j]);
    }
}

/* One step of Levenberg-Marquardt from y to next. sgdfit_nnls keeps y >= least: with z =
 * next - least it minimises |error + a (z + least - y)|. One more row for each unknown
 * damps its change in proportion to its effect; without an effect it stays. Returns the
 * largest relative change. */
static double sgdfit_priv_damped_step(sgdfit_priv_search *s, const double *y,
                                      double damping, double *next)
{
    const size_t u = s->unknowns, n = s->rows;
    const sgdfit_system of = { s->a, s->b, n + u, u };
    double z[SGDFIT_UNKNOWNS], largest = 0.0;
    size_t i, j;
    if (!sgdfit_priv_all_finite(s->a, n * u)) return 0.0; /* y is almost 0         */
    memset(s->a + n * u, 0, u * u * sizeof(double));
    for (j = 0; j < u; j++) {
        const double effect = sgdfit_priv_norm(s->a + j, n, u);
        s->a[(n + j) * u + j] = effect > 0.0 ? damping * effect : 1.0;
    }
    for (i = 0; i < n + u; i++) {
        s->b[i] = i < n ? -s->error[i] : 0.0;
        for (j = 0; j < u; j++) s->b[i] += s->a[i * u + j] * (y[j] - s->unknown[j].least);
    }
    if (sgdfit_nnls(&of, s->nnls, s->nnls_bytes, z, NULL) != SGDFIT_OK) return 0.0;
    for (j = 0; j < u; j++) {
        double change;
        next[j] = s->unknown[j].least + z[j];
        if (next[j] > s->unknown[j].high) next[j] = s->unknown[j].high;
        SGDFIT_ASSERT(next[j] >= s->unknown[j].least);
        change = fabs(next[j] - y[j]) / (y[j] + s->unknown[j].low);
        if (change > largest) largest = change;
    }
    return largest;
}

/* Levenberg-Marquardt. */
static double sgdfit_priv_polish(sgdfit_priv_search *s, double *y, double mismatch,
                                 int steps)
{
    double next[SGDFIT_UNKNOWNS], damping = 0.03;
    int step, better = 1;
    (void)sgdfit_priv_mismatch(s, y, s->error);
    for (step = 0; step < steps; step++) {
        double change, found;
        if (better) sgdfit_priv_derive_errors(s, y);
        change = sgdfit_priv_damped_step(s, y, damping, next);
        if (!(change > 1e-13)) break;
        found = sgdfit_priv_mismatch(s, next, s->trial);
        better = found < mismatch;
        SGDFIT_ASSERT(damping > 0.0);
        damping *= better ? 0.1 : 10.0;
        if (!better) continue;
        mismatch = found;
        memcpy(y, next, s->unknowns * sizeof(double));
        memcpy(s->error, s->trial, s->rows * sizeof(double));
    }
    return mismatch;
}

/* Repeats line searches and polishing while a round gains 1 %. A handful of rounds is
 * enough, except for exact points along a narrow valley. */
static double sgdfit_priv_refine(sgdfit_priv_search *s, double *y, double mismatch)
{
    int round;
    size_t j;
    for (round = 0; round < SGDFIT_PRIV_ROUNDS; round++) {
        const double before = mismatch;
        for (j = 0; j < s->unknowns; j++) {
            if (sgdfit_priv_is_stepped(s, j))
                mismatch = sgdfit_priv_best_threshold(s, j, y);
            else if (mismatch > sgdfit_priv_exact(s))
                mismatch = sgdfit_priv_search_line(s, j, y, mismatch);
        }
        mismatch = sgdfit_priv_polish(s, y, mismatch, SGDFIT_PRIV_MANY_STEPS);
        SGDFIT_ASSERT(mismatch >= 0.0);
        if (s->unknowns == 1 || !(mismatch < 0.99 * before)) break;
    }
    for (j = 0; j < s->unknowns; j++)
        if (s->unknown[j].kind == SGDFIT_SHARE)
            sgdfit_priv_centre_threshold(s, j, y, mismatch);
    return mismatch;
}

static void sgdfit_priv_start_part(const void *search, size_t i, void *work, void *result)
{
    sgdfit_priv_search s = sgdfit_priv_part_of(search, work);
    const size_t node = s.start[s.first + i];
    double y[SGDFIT_UNKNOWNS], mismatch = s.scan[node];
    SGDFIT_ASSERT(node < sgdfit_priv_scan_nodes(&s));
    sgdfit_priv_scan_point(&s, node, y);
    mismatch = s.unknowns == 1 ? sgdfit_priv_refine(&s, y, mismatch)
                               : sgdfit_priv_polish(&s, y, mismatch,
                                                    SGDFIT_PRIV_FEW_STEPS);
    sgdfit_priv_end_part(&s, y, mismatch, result);
}

/* Finds the nodes of the scan to start from; returns their number. */
static size_t sgdfit_priv_find_starts(sgdfit_priv_search *s)
{
    size_t starts = 0, i, j;
    for (j = 0; j < s->unknowns; j++)
        for (i = 0; i < sgdfit_priv_scan_values(s); i++)
            if (sgdfit_priv_is_start(s, j, i))
                s->start[starts++] = sgdfit_priv_scan_best(s, j, i);
    SGDFIT_ASSERT(starts > 0 && starts <= sgdfit_priv_scan_nodes(s));
    return starts;
}

/* The best y from all starts. The first start, often exact, runs alone; with a deal all
 * others then run together. An exact result ends the search. */
static void sgdfit_priv_search_all(sgdfit_priv_search *s, double *best)
{
    const size_t starts = sgdfit_priv_find_starts(s);
    double mismatch = DBL_MAX;
    size_t first, count, i;
    for (first = 0; first < starts && mismatch > sgdfit_priv_exact(s); first += count) {
        count = s->of->deal && first > 0 ? starts - first : 1;
        sgdfit_priv_do_parts(s, sgdfit_priv_start_part, first, count);
        for (i = 0; i < count && mismatch > sgdfit_priv_exact(s); i++) {
            sgdfit_priv_take_part(s, &s->found[i]);
            if (!(s->found[i].mismatch <= mismatch)) continue;
            mismatch = s->found[i].mismatch;
            memcpy(best, s->found[i].y, s->unknowns * sizeof(double));
        }
    }
    SGDFIT_ASSERT(mismatch < DBL_MAX);
    if (s->unknowns > 1) (void)sgdfit_priv_refine(s, best, mismatch);
}

/* ---- Calibration: are the unknowns determined? ----------------------------- */

/* Scales v[n] to length 1; returns its length before. If that is 0, v is no number. */
static double sgdfit_priv_to_unit(double *v, size_t n)
{
    const double length = sgdfit_priv_norm(v, n, 1);
    size_t i;
    for (i = 0; i < n; i++) v[i] /= length;
    return length;
}

/* d ln rate / d ln unknown of point i at `value`, by central differences. It is 0 for an
 * unknown that is 0, left to the point, or a threshold. */
static sgdfit_status sgdfit_priv_differences(const sgdfit_problem *of,
                                             const double *value, size_t i, void *work,
                                             double *e)
{
    const double around[2] = { 1.0 - 1e-5, 1.0 + 1e-5 }, above[2] = { 1.0, 1.0 + 2e-5 };
    double varied[SGDFIT_UNKNOWNS], rate[2] = { 0.0, 0.0 };
    size_t j, side;
    memcpy(varied, value, of->unknowns * sizeof *value);
    for (j = 0; j < of->unknowns; j++) {
        const sgdfit_unknown *u = &of->unknown[j];
        const int from_end =
            u->kind == SGDFIT_EXPONENT && value[j] * around[0] < 1.0 / u->high;
        const double *factor = from_end ? above : around;
        e[j] = 0.0;
        if (!(value[j] > 0.0) || sgdfit_priv_is_threshold(u->kind)) continue;
        for (side = 0; side < 2; side++) {
            int status;
            varied[j] = value[j] * factor[side];
            status =
                of->model.predict(of->model.ctx, varied, i, 1, work, &rate[side]);
            if (status != 0) return (sgdfit_status)status;
            if (!sgdfit_priv_is_rate(rate[side])) return SGDFIT_BAD_ARGUMENT;
        }
        varied[j] = value[j];
        e[j] = log(rate[1] / rate[0]) / log(factor[1] / factor[0]);
    }
    return SGDFIT_OK;
}

/* Elasticities of point i at y, e[unknowns]; returns 0 if they fail. */
static int sgdfit_priv_elasticities(const sgdfit_priv_search *s, const double *y,
                                    size_t i, double *e)
{
    const sgdfit_model *model = &s->of->model;
    double value[SGDFIT_UNKNOWNS], all[SGDFIT_UNKNOWNS] = { 0.0 };
    sgdfit_status status;
    size_t j;
    SGDFIT_ASSERT(i < s->n);
    sgdfit_priv_values(s, y, value);
    if (!model->elasticity)
        status = sgdfit_priv_differences(s->of, value, i, s->predict, all);
    else
        status = (sgdfit_status)model->elasticity(model->ctx, value, i, s->predict, all);
    for (j = 0; j < s->unknowns; j++) e[j] = all[s->place[j]];
    return status == SGDFIT_OK;
}

/* Is y the only best fit, beside the priors? Column j of a holds the elasticities of all
 * points to one unknown; its components along the columns before it are taken out. */
static int sgdfit_priv_is_determined(sgdfit_priv_search *s, const double *y)
{
    const double little = 1e-4;            /* elasticities are exact to 1e-6         */
    const size_t n = s->n, u = s->unknowns;
    double e[SGDFIT_UNKNOWNS];
    size_t columns = 0, i, j, k;
    for (i = 0; i < n; i++) {
        if (!sgdfit_priv_elasticities(s, y, i, e)) return 0;
        for (j = 0; j < u; j++) s->a[j * n + i] = e[j];
    }
    for (j = 0; j < u; j++) {
        double *column = s->a + columns * n;
        if (sgdfit_priv_is_threshold(s->unknown[j].kind)) continue;
        if (s->prior[j].spread > 0.0) continue;
        SGDFIT_ASSERT(columns <= j);
        memmove(column, s->a + j * n, n * sizeof *column);
        if (!(sgdfit_priv_to_unit(column, n) > little)) return 0;
        for (k = 0; k < columns; k++)
            (void)sgdfit_priv_take_out(column, s->a + k * n, n);
        if (!(sgdfit_priv_to_unit(column, n) > little)) return 0;
        columns++;
    }
    return 1;
}

/* ---- Calibration: priors and fits of a subset ------------------------------ */

/* A fit of the unknowns whose bits are set. */
typedef struct sgdfit_priv_subset {
    unsigned bits;
    size_t   unknowns;
    size_t   place[SGDFIT_UNKNOWNS];   /* in the caller's order                     */
    double   y[SGDFIT_UNKNOWNS];
    double   squares;                  /* sum of squared relative errors            */
    double   mean_error, max_error;
    int      determined;
} sgdfit_priv_subset;

static sgdfit_priv_subset sgdfit_priv_subset_of(const sgdfit_problem *of, unsigned bits)
{
    sgdfit_priv_subset s;
    size_t j;
    memset(&s, 0, sizeof s);
    s.bits = bits;
    for (j = 0; j < of->unknowns; j++)
        if ((bits >> j & 1u) != 0) s.place[s.unknowns++] = j;
    SGDFIT_ASSERT(s.unknowns >= 1 && s.unknowns <= of->unknowns);
    return s;
}

/* Widens an unknown's range to its prior, unless the prior is no value of this kind. */
static void sgdfit_priv_take_prior(sgdfit_priv_search *s, size_t j)
{
    sgdfit_unknown *unknown = &s->unknown[j];
    double y;
    s->prior[j] = s->of->prior[s->place[j]];
    if (!(s->prior[j].spread > 0.0)) return;
    s->rows = s->n + s->unknowns;
    y = sgdfit_priv_unknown_value(unknown->kind, s->prior[j].value);
    if (unknown->kind == SGDFIT_EXPONENT || !(y >= 0.0 && y <= DBL_MAX)) return;
    if (y < unknown->least) unknown->least = y;
    if (y > unknown->high && y / unknown->low <= DBL_MAX) unknown->high = y;
    SGDFIT_ASSERT(unknown->least <= unknown->low && unknown->low <= unknown->high);
}

static sgdfit_priv_search sgdfit_priv_search_for(const sgdfit_problem *of,
                                                 const sgdfit_priv_subset *sought)
{
    sgdfit_priv_search s;
    size_t j;
    memset(&s, 0, sizeof s);
    s.of = of;
    s.n = s.rows = of->n;
    s.noise = of->noise > 0.0 ? of->noise : 0.02;
    s.unknowns = sought->unknowns;
    for (j = 0; j < s.unknowns; j++) {
        s.place[j] = sought->place[j];
        SGDFIT_ASSERT(s.place[j] < of->unknowns);
        s.unknown[j] = of->unknown[s.place[j]];
        if (sgdfit_priv_is_threshold(s.unknown[j].kind)) s.unknown[j].least = 0.0;
        if (of->prior) sgdfit_priv_take_prior(&s, j);
    }
    return s;
}

/* Number of unknowns with a prior. */
static size_t sgdfit_priv_priors(const sgdfit_problem *of)
{
    size_t count = 0, j;
    for (j = 0; of->prior && j < of->unknowns; j++) count += of->prior[j].spread > 0.0;
    return count;
}

static int sgdfit_priv_is_prior(const sgdfit_prior *prior, sgdfit_kind kind)
{
    if (!sgdfit_priv_is_time(prior->spread)) return 0;
    if (!(prior->spread > 0.0)) return 1;
    if (sgdfit_priv_is_threshold(kind)) return 0;
    return prior->normal ? fabs(prior->value) <= DBL_MAX
                         : sgdfit_priv_is_rate(prior->value);
}

static int sgdfit_priv_is_unknown(const sgdfit_unknown *u, int pooled)
{
    if ((unsigned)u->kind > (unsigned)SGDFIT_STEPS) return 0;
    if (pooled && sgdfit_priv_is_threshold(u->kind)) return 0;
    return sgdfit_priv_is_rate(u->low) && u->high > u->low && u->high / u->low <= DBL_MAX
        && u->least >= 0.0 && u->least <= u->low;
}

static int sgdfit_priv_is_problem(const sgdfit_problem *of)
{
    size_t i;
    if (!of || !of->unknown || !of->measured || !of->model.predict || of->unknowns == 0
        || of->unknowns > SGDFIT_UNKNOWNS || of->n == 0
        || !(of->level >= 0.0 && of->level < 1.0) || !sgdfit_priv_is_time(of->noise))
        return 0;
    if (of->unknowns - sgdfit_priv_priors(of) > of->n) return 0;
    for (i = 0; i < of->unknowns; i++)
        if (!sgdfit_priv_is_unknown(&of->unknown[i], of->level > 0.0)
            || (of->prior && !sgdfit_priv_is_prior(&of->prior[i], of->unknown[i].kind)))
            return 0;
    for (i = 0; i < of->n; i++)
        if (!sgdfit_priv_is_rate(of->measured[i])) return 0;
    return 1;
}

/* Fits of fewer unknowns scan fewer nodes, so they need no more work. */
SGDFIT_API sgdfit_status sgdfit_calibrate_bytes(const sgdfit_problem *of, size_t *bytes)
{
    sgdfit_priv_arena arena = sgdfit_priv_arena_at(NULL);
    sgdfit_priv_subset all;
    sgdfit_priv_search s;
    if (!sgdfit_priv_is_problem(of)) return SGDFIT_BAD_ARGUMENT;
    all = sgdfit_priv_subset_of(of, ~0u);
    s = sgdfit_priv_search_for(of, &all);
    sgdfit_priv_search_carve(&s, &arena);
    return sgdfit_priv_answer(&arena, bytes);
}

/* A problem, and what its fits have in common. */
typedef struct sgdfit_priv_pool {
    const sgdfit_problem *of;
    void  *work;
    size_t work_bytes;
    size_t evaluations;
} sgdfit_priv_pool;

/* Fits the unknowns of a subset to the points. */
static sgdfit_status sgdfit_priv_subset_fit(sgdfit_priv_pool *p,
                                            sgdfit_priv_subset *sought)
{
    sgdfit_priv_search s = sgdfit_priv_search_for(p->of, sought);
    sgdfit_priv_arena arena = sgdfit_priv_arena_at(p->work);
    sgdfit_status status;
    size_t i;
    sgdfit_priv_search_carve(&s, &arena);
    SGDFIT_ASSERT(arena.used <= p->work_bytes);
    s.work = p->work;
    status = sgdfit_priv_scan(&s);
    if (status != SGDFIT_OK) return status;
    sgdfit_priv_search_all(&s, sought->y);
    (void)sgdfit_priv_mismatch(&s, sought->y, s.error);
    sought->squares = sought->mean_error = sought->max_error = 0.0;
    for (i = 0; i < s.n; i++) {
        const double error = fabs(s.error[i]);
        sought->squares += error * error;
        sought->mean_error += error / (double)s.n;
        if (error > sought->max_error) sought->max_error = error;
    }
    p->evaluations += s.evaluations;
    sought->determined = sgdfit_priv_is_determined(&s, sought->y);
    SGDFIT_ASSERT(sought->squares >= 0.0);
    return SGDFIT_OK;
}

/* ---- Calibration: pooled unknowns, intervals ------------------------------- */

/* P(|T| <= t) of Student's t [AS64, 26.7.3 and 26.7.4], a finite sum. */
static double sgdfit_priv_student_within(double t, uint64_t degrees)
{
    const double tangent = t / sqrt((double)degrees);
    const double cos2 = 1.0 / (1.0 + tangent * tangent);
    const double sine = tangent * sqrt(cos2);
    const int odd = degrees % 2 == 1;
    double term = odd ? sqrt(cos2) : 1.0, sum = degrees > 1 ? term : 0.0;
    uint64_t k;
    for (k = odd ? 3 : 2; k < degrees; k += 2) {
        term *= cos2 * (double)(k - 1) / (double)k;
        sum += term;
    }
    SGDFIT_ASSERT(sum >= 0.0 && cos2 <= 1.0);
    return odd ? (atan(tangent) + sine * sum) / 1.57079632679489662 : sine * sum;
}

SGDFIT_API double sgdfit_student(double level, uint64_t degrees)
{
    double t = 1.0, part;
    if (degrees == 0 || !(level > 0.0 && level < 1.0)) return (double)NAN;
    if (degrees > 1000) degrees = 1000;
    while (sgdfit_priv_student_within(t, degrees) < level && t < 1e15) t *= 2.0;
    for (part = 0.5 * t; t - part < t; part *= 0.5)  /* until it is below rounding    */
        if (sgdfit_priv_student_within(t - part, degrees) >= level) t -= part;
    SGDFIT_ASSERT(t > 0.0);
    return t;
}

/* Mean square of the residuals; errors below 1e-7 are due to the search. */
static double sgdfit_priv_mean_square(const sgdfit_priv_pool *p,
                                      const sgdfit_priv_subset *s)
{
    const double degrees = p->of->n > s->unknowns ? (double)(p->of->n - s->unknowns)
        : 1.0;
    const double square = p->of->n > s->unknowns ? s->squares / degrees : 0.0;
    return square > 1e-14 ? square : 1e-14;
}

/* The inverse of the sum of e e' over all points, e their elasticities, to a[k][k]; 0 if
 * there is none. */
static int sgdfit_priv_pool_covariance(const sgdfit_priv_pool *p,
                                       const sgdfit_priv_subset *sought, double *a)
{
    const size_t k = sought->unknowns;
    sgdfit_priv_search s = sgdfit_priv_search_for(p->of, sought);
    double e[SGDFIT_UNKNOWNS];
    size_t i;
    s.predict = p->work;
    memset(a, 0, k * k * sizeof *a);
    for (i = 0; i < s.n; i++) {
        if (!sgdfit_priv_elasticities(&s, sought->y, i, e)) return 0;
        sgdfit_priv_add_row(a, e, k, 1.0);
    }
    return sgdfit_priv_invert(a, k);
}

/* Widens the intervals of out by those of one fit, symmetric in y. Returns 0 if the fit
 * has none, because other values fit as well. */
static int sgdfit_priv_pool_intervals(const sgdfit_priv_pool *p,
                                      const sgdfit_priv_subset *s,
                                      sgdfit_calibration *out)
{
    const size_t k = s->unknowns;
    const double square = sgdfit_priv_mean_square(p, s);
    double a[SGDFIT_PRIV_TERMS2], t;
    size_t j;
    if (!sgdfit_priv_pool_covariance(p, s, a)) return 0;
    if (p->of->n <= k) return 1;
    t = sgdfit_student(p->of->level, p->of->n - k);
    for (j = 0; j < k; j++) {
        const size_t at = s->place[j];
        const sgdfit_unknown *unknown = &p->of->unknown[at];
        const double value = sgdfit_priv_unknown_value(unknown->kind, s->y[j]);
        const double y = sgdfit_priv_unknown_value(unknown->kind, value);
        const int inverse = unknown->kind != SGDFIT_TIME;
        const double half = t * sqrt(square * a[j * k + j]) * y;
        const double least = half < y ? y - half : 0.0;
        const int past = unknown->kind == SGDFIT_EXPONENT && y + half > unknown->high;
        const double most = past ? unknown->high : y + half;
        const double low = inverse ? 1.0 / most : least;
        const double high = !inverse ? most : least > 0.0 ? 1.0 / least : HUGE_VAL;
        SGDFIT_ASSERT(low <= value * (1.0 + 1e-9) && value <= high * (1.0 + 1e-9));
        if (low < out->low[at]) out->low[at] = low;
        if (high > out->high[at]) out->high[at] = high;
    }
    return 1;
}

/* Leaves out unknowns that the points do not need, one after the other. */
static sgdfit_status sgdfit_priv_pool_reduce(sgdfit_priv_pool *p,
                                             sgdfit_priv_subset *best,
                                             sgdfit_calibration *out)
{
    sgdfit_status status = sgdfit_priv_subset_fit(p, best);
    if (status != SGDFIT_OK) return status;
    while (best->unknowns > 1) {
        const size_t degrees = p->of->n > best->unknowns ? p->of->n - best->unknowns : 0;
        const double t = degrees > 0 ? sgdfit_student(0.95, degrees) : 1.0;
        sgdfit_priv_subset least = *best;
        size_t j;
        least.squares = DBL_MAX;
        for (j = best->unknowns; j-- > 0;) {
            sgdfit_priv_subset s =
                sgdfit_priv_subset_of(p->of, best->bits & ~(1u << best->place[j]));
            if (sgdfit_priv_subset_fit(p, &s) != SGDFIT_OK) continue;
            if (s.squares < least.squares) least = s;
        }
        if (least.squares >= best->squares + t * t * sgdfit_priv_mean_square(p, best))
            break;
        SGDFIT_ASSERT(least.unknowns + 1 == best->unknowns);
        sgdfit_priv_pool_intervals(p, best, out);
        *best = least;
    }
    return SGDFIT_OK;
}

/* Intervals of the unknowns fitted, and of those left out. */
static void sgdfit_priv_pool_report(const sgdfit_priv_pool *p, sgdfit_priv_subset *best,
                                    sgdfit_calibration *out)
{
    const size_t n = p->of->n, k = best->unknowns;
    size_t j;
    best->determined = sgdfit_priv_pool_intervals(p, best, out) && best->determined;
    for (j = 0; j < p->of->unknowns; j++) {
        SGDFIT_ASSERT(out->low[j] >= 0.0 && out->high[j] >= 0.0);
        if (out->low[j] <= out->high[j]) continue;
        out->low[j] = 0.0;
        out->high[j] = HUGE_VAL;
    }
    if (n > k) out->deviation = sqrt(best->squares / (double)(n - k));
}

/* ---- Calibration: posterior with priors ------------------------------------ */

/* Posterior covariance of the y at sought->y, in units of a standard deviation of each
 * prior, or of the y itself: a[k][k] and unit[k]. 0 if the points cannot separate the
 * unknowns without a prior. */
static int sgdfit_priv_posterior(const sgdfit_priv_pool *p,
                                 const sgdfit_priv_subset *sought, double *unit,
                                 double *a)
{
    const size_t k = sought->unknowns;
    sgdfit_priv_search s = sgdfit_priv_search_for(p->of, sought);
    sgdfit_priv_arena arena = sgdfit_priv_arena_at(p->work);
    double row[SGDFIT_UNKNOWNS], slope;
    size_t i, j;
    sgdfit_priv_search_carve(&s, &arena);
    SGDFIT_ASSERT(arena.used <= p->work_bytes);
    for (j = 0; j < k; j++)
        if (!(sought->y[j] >= s.unknown[j].least * (1.0 - 1e-9)
              && sought->y[j] <= s.unknown[j].high * (1.0 + 1e-9))) return 0;
    sgdfit_priv_derive_errors(&s, sought->y);
    memset(a, 0, k * k * sizeof *a);
    for (j = 0; j < k; j++) {
        const int known = s.prior[j].spread > 0.0;
        (void)sgdfit_priv_off_prior(&s, j, sought->y[j], &slope);
        unit[j] = known ? s.noise / fabs(slope) : sought->y[j] + s.unknown[j].low;
        if (!sgdfit_priv_is_rate(unit[j])) return 0;
        if (known) a[j * k + j] = 1.0;
    }
    for (i = 0; i < s.n; i++) {
        for (j = 0; j < k; j++) row[j] = s.a[i * k + j] * unit[j] / s.noise;
        if (!sgdfit_priv_all_finite(row, k)) return 0;
        sgdfit_priv_add_row(a, row, k, 1.0);
    }
    return sgdfit_priv_invert(a, k);
}

/* The interval of one unknown, whose y has this standard deviation at `level`. */
static void sgdfit_priv_prior_interval(const sgdfit_priv_pool *p, size_t at, double y,
                                       double deviation, sgdfit_calibration *out)
{
    const sgdfit_unknown *unknown = &p->of->unknown[at];
    const sgdfit_prior *prior = &p->of->prior[at];
    const double half = sgdfit_student(p->of->level, 1000) * deviation;
    const int logarithmic = prior->spread > 0.0 && !prior->normal;
    const double value = sgdfit_priv_unknown_value(unknown->kind, y);
    const double factor = logarithmic ? exp(half / y) : 1.0;
    const double least = logarithmic ? y / factor : fmax(y - half, 0.0);
    const double most = logarithmic ? y * factor : y + half;
    const int past = unknown->kind == SGDFIT_EXPONENT && most > unknown->high;
    const int inverse = unknown->kind != SGDFIT_TIME;
    out->low[at] = inverse ? 1.0 / (past ? unknown->high : most) : least;
    out->high[at] = !inverse ? most : least > 0.0 ? 1.0 / least : HUGE_VAL;
    SGDFIT_ASSERT(out->low[at] <= value * (1.0 + 1e-9));
    if (out->high[at] < value) out->high[at] = value;
}

/* Intervals of all unknowns, from the posterior. */
static void sgdfit_priv_prior_report(const sgdfit_priv_pool *p, sgdfit_priv_subset *best,
                                     sgdfit_calibration *out)
{
    const size_t n = p->of->n, k = best->unknowns;
    const double noise = p->of->noise > 0.0 ? p->of->noise : 0.02;
    double unit[SGDFIT_UNKNOWNS], a[SGDFIT_PRIV_TERMS2], wider = 1.0;
    const int known = sgdfit_priv_posterior(p, best, unit, a);
    size_t j;
    SGDFIT_ASSERT(k >= 1 && k <= p->of->unknowns);
    if (n > k) out->deviation = sqrt(best->squares / (double)(n - k));
    if (out->deviation > noise) wider = out->deviation / noise;
    best->determined = known && best->determined;
    for (j = 0; j < k; j++) {
        const double deviation = known ? unit[j] * sqrt(a[j * k + j]) * wider : 0.0;
        out->low[best->place[j]] = 0.0;
        out->high[best->place[j]] = HUGE_VAL;
        if (known)
            sgdfit_priv_prior_interval(p, best->place[j], best->y[j], deviation, out);
    }
}

SGDFIT_API sgdfit_status sgdfit_told(const sgdfit_problem *of, const double *value,
                                     void *work, size_t work_bytes, double *told)
{
    sgdfit_priv_pool p = { of, work, work_bytes, 0 };
    double unit[SGDFIT_UNKNOWNS], a[SGDFIT_PRIV_TERMS2];
    sgdfit_priv_subset at;
    unsigned bits = 0;
    size_t need = 0, j;
    sgdfit_status status = sgdfit_calibrate_bytes(of, &need);
    if (status != SGDFIT_OK) return status;
    if (!value || !told) return SGDFIT_BAD_ARGUMENT;
    status = sgdfit_priv_check_work(work, work_bytes, need);
    if (status != SGDFIT_OK) return status;
    for (j = 0; j < of->unknowns; j++) bits |= value[j] >= 0.0 ? 1u << j : 0u;
    if (bits == 0 || !sgdfit_priv_all_finite(value, of->unknowns))
        return SGDFIT_BAD_ARGUMENT;
    at = sgdfit_priv_subset_of(of, bits);
    for (j = 0; j < at.unknowns; j++) {
        const size_t place = at.place[j];
        at.y[j] = sgdfit_priv_unknown_value(of->unknown[place].kind, value[place]);
        if (!sgdfit_priv_is_time(at.y[j])) return SGDFIT_BAD_ARGUMENT;
    }
    if (!sgdfit_priv_posterior(&p, &at, unit, a)) return SGDFIT_BAD_ARGUMENT;
    for (j = 0; j < of->unknowns; j++) told[j] = 0.0;
    for (j = 0; j < at.unknowns; j++) {
        const int known = of->prior && of->prior[at.place[j]].spread > 0.0;
        const double left = known ? a[j * at.unknowns + j] : 0.0;
        told[at.place[j]] = left < 1.0 ? 1.0 - left : 0.0;
    }
    return SGDFIT_OK;
}

SGDFIT_API sgdfit_status sgdfit_calibrate(const sgdfit_problem *of, void *work,
                                          size_t work_bytes, sgdfit_calibration *out)
{
    sgdfit_priv_pool p = { of, work, work_bytes, 0 };
    sgdfit_calibration found;
    sgdfit_priv_subset best;
    size_t need = 0, j;
    int priors;
    sgdfit_status status = sgdfit_calibrate_bytes(of, &need);
    if (status != SGDFIT_OK) return status;
    if (!out) return SGDFIT_BAD_ARGUMENT;
    status = sgdfit_priv_check_work(work, work_bytes, need);
    if (status != SGDFIT_OK) return status;
    best = sgdfit_priv_subset_of(of, (1u << of->unknowns) - 1u);
    priors = sgdfit_priv_priors(of) > 0;
    memset(&found, 0, sizeof found);
    for (j = 0; j < of->unknowns && of->level > 0.0; j++) found.low[j] = HUGE_VAL;
    status = of->level > 0.0 && !priors ? sgdfit_priv_pool_reduce(&p, &best, &found)
                                        : sgdfit_priv_subset_fit(&p, &best);
    if (status != SGDFIT_OK) return status;
    if (of->level > 0.0 && priors) sgdfit_priv_prior_report(&p, &best, &found);
    else if (of->level > 0.0) sgdfit_priv_pool_report(&p, &best, &found);
    for (j = 0; j < best.unknowns; j++) {
        const size_t at = best.place[j];
        found.kept[at] = 1;
        found.value[at] = sgdfit_priv_unknown_value(of->unknown[at].kind, best.y[j]);
    }
    found.fitted = best.unknowns;
    found.determined = best.determined;
    found.mean_error = best.mean_error;
    found.max_error = best.max_error;
    found.evaluations = p.evaluations;
    SGDFIT_ASSERT(found.fitted >= 1 && found.evaluations > 0);
    *out = found;
    return SGDFIT_OK;
}

/* ---- Calibration: the next run to measure ---------------------------------- */

SGDFIT_API sgdfit_status sgdfit_suggest_runs(const sgdfit_design *of, size_t count,
                                             size_t *chosen, double *spread)
{
    double a[SGDFIT_PRIV_TERMS2] = { 0.0 };
    size_t i;
    if (!of || !of->candidate || of->m == 0 || (of->n > 0 && !of->measured) || count == 0
        || !chosen || of->unknowns == 0 || of->unknowns > SGDFIT_UNKNOWNS
        || !sgdfit_priv_all_finite(of->candidate, of->m * of->unknowns)
        || !sgdfit_priv_all_finite(of->measured, of->n * of->unknowns))
        return SGDFIT_BAD_ARGUMENT;
    for (i = 0; i < of->n; i++)
        sgdfit_priv_add_row(a, of->measured + i * of->unknowns, of->unknowns, 1.0);
    return sgdfit_priv_choose_runs(a, of->candidate, of->m, of->unknowns, count, chosen,
                                   spread) ? SGDFIT_OK : SGDFIT_BAD_ARGUMENT;
}

/* ---- Calibration: straight line ------------------------------------------- */

/* Sums over points that are scaled: |x| <= 1. */
typedef struct sgdfit_priv_moments {
    double scale;              /* largest |x|; 1 if all x are 0                       */
    double x, y, xx, xy;       /* means, and sums of products about them              */
    double squares;            /* of the distances from the line                      */
} sgdfit_priv_moments;

static int sgdfit_priv_is_finite(double x) { return x >= -DBL_MAX && x <= DBL_MAX; }

static void sgdfit_priv_take_moments(const double *x, const double *y, size_t n,
                                     sgdfit_priv_moments *m)
{
    double slope;
    size_t i;
    memset(m, 0, sizeof *m);
    for (i = 0; i < n; i++) m->scale = fmax(m->scale, fabs(x[i]));
    if (!(m->scale > 0.0)) m->scale = 1.0;
    for (i = 0; i < n; i++) {
        m->x += x[i] / m->scale / (double)n;
        m->y += y[i] / (double)n;
    }
    for (i = 0; i < n; i++) {
        const double off = x[i] / m->scale - m->x;
        m->xx += off * off;
        m->xy += off * (y[i] - m->y);
    }
    slope = m->xx > 0.0 ? m->xy / m->xx : 0.0;
    for (i = 0; i < n; i++) {
        const double off = y[i] - m->y - slope * (x[i] / m->scale - m->x);
        m->squares += off * off;
    }
    SGDFIT_ASSERT(!(m->xx < 0.0) && m->scale > 0.0);
}

SGDFIT_API sgdfit_status sgdfit_line(const double *x, const double *y, size_t n,
                                     double level, sgdfit_straight *out)
{
    sgdfit_priv_moments m;
    sgdfit_straight line;
    double t = HUGE_VAL, slope;
    size_t i, unknowns = 1;
    if (!x || !y || n == 0 || !out || !(level > 0.0 && level < 1.0))
        return SGDFIT_BAD_ARGUMENT;
    memset(&line, 0, sizeof line);
    for (i = 0; i < n; i++) {
        if (!sgdfit_priv_is_finite(x[i]) || !sgdfit_priv_is_finite(y[i]))
            return SGDFIT_BAD_ARGUMENT;
        line.sloped = line.sloped || !sgdfit_priv_same(x[i], x[0]);
    }
    sgdfit_priv_take_moments(x, y, n, &m);
    line.sloped = line.sloped && m.xx > 0.0;
    unknowns += (size_t)line.sloped;
    slope = line.sloped ? m.xy / m.xx : 0.0;
    line.slope = slope / m.scale;
    line.intercept = m.y - slope * m.x;
    if (!sgdfit_priv_is_finite(line.slope) || !sgdfit_priv_is_finite(line.intercept)
        || !sgdfit_priv_is_time(m.squares))
        return SGDFIT_BAD_ARGUMENT;
    if (n > unknowns) {
        line.deviation = sqrt(m.squares / (double)(n - unknowns));
        t = line.deviation * sgdfit_student(level, n - unknowns);
    }
    slope = line.sloped ? t / sqrt(m.xx) / m.scale : HUGE_VAL;
    line.slope_low = line.slope - slope;
    line.slope_high = line.slope + slope;
    t *= sqrt(1.0 / (double)n + (line.sloped ? m.x * m.x / m.xx : 0.0));
    line.intercept_low = line.intercept - t;
    line.intercept_high = line.intercept + t;
    SGDFIT_ASSERT(line.slope_low <= line.slope && line.intercept <= line.intercept_high);
    *out = line;
    return SGDFIT_OK;
}

/* ---- Calibration: one unknown with jumps ---------------------------------- */

enum { SGDFIT_PRIV_NODES = 400, SGDFIT_PRIV_MINIMA = 8, SGDFIT_PRIV_INNER = 8,
       SGDFIT_PRIV_FINER = 10, SGDFIT_PRIV_HALVINGS = 20 };

typedef struct sgdfit_priv_robust {
    const sgdfit_robust_problem *of;
    void   *work;              /* of predict                                          */
    double *predicted;         /* [n]                                                 */
    double *set_loss;         /* [sets] of the value looked at last                  */
    double *best_loss;        /* [sets] of the best value                            */
    double *node_loss;        /* [NODES]                                             */
    size_t  sets;
    double  tolerance;
    double  best, loss;        /* value and its loss; a loss above 1: none yet        */
    size_t  evaluations;
    int     status;            /* of predict, when it failed                          */
} sgdfit_priv_robust;

static size_t sgdfit_priv_robust_carve(const sgdfit_robust_problem *of,
                                       sgdfit_priv_arena *arena, sgdfit_priv_robust *r)
{
    r->of = of;
    r->sets = (size_t)of->set[of->n - 1] + 1;
    r->predicted = sgdfit_priv_doubles(arena, of->n);
    r->set_loss = sgdfit_priv_doubles(arena, r->sets);
    r->best_loss = sgdfit_priv_doubles(arena, r->sets);
    r->node_loss = sgdfit_priv_doubles(arena, SGDFIT_PRIV_NODES);
    r->work = sgdfit_priv_take(arena, of->work_bytes, 1);
    return arena->used;
}

SGDFIT_API sgdfit_status sgdfit_robust_bytes(const sgdfit_robust_problem *of,
                                             size_t *bytes)
{
    sgdfit_priv_arena arena = sgdfit_priv_arena_at(NULL);
    sgdfit_priv_robust r;
    size_t i;
    if (!of || !of->set || of->n == 0 || of->set[0] != 0) return SGDFIT_BAD_ARGUMENT;
    for (i = 1; i < of->n; i++)
        if (of->set[i] - of->set[i - 1] > 1) return SGDFIT_BAD_ARGUMENT;
    (void)sgdfit_priv_robust_carve(of, &arena, &r);
    return sgdfit_priv_answer(&arena, bytes);
}

/* The value of a node of the scan; `at` may lie between two nodes. */
static double sgdfit_priv_node_value(const sgdfit_robust_problem *of, double at)
{
    const double part = at / (double)(SGDFIT_PRIV_NODES - 1);
    if (part <= 0.0) return of->low;
    return part >= 1.0 ? of->high : of->low * pow(of->high / of->low, part);
}

/* The loss at a value; set_loss[] receives those of the sets. */
static double sgdfit_priv_robust_at(sgdfit_priv_robust *r, double value)
{
    const sgdfit_robust_problem *of = r->of;
    double sum = 0.0, rows = 0.0;
    size_t i;
    if (r->status == SGDFIT_OK)
        r->status = of->predict(of->ctx, value, r->work, r->predicted);
    r->evaluations++;
    for (i = 0; i < r->sets; i++) r->set_loss[i] = 0.0;
    for (i = 0; i < of->n && r->status == SGDFIT_OK; i++) {
        const double m = of->measured[i], error = fabs(r->predicted[i] - m) / m;
        if (!(error <= DBL_MAX)) r->status = SGDFIT_BAD_ARGUMENT;
        if (r->status != SGDFIT_OK) return 1.0;
        r->set_loss[of->set[i]] += error / (error + r->tolerance);
        rows += 1.0;
        if (i + 1 < of->n && of->set[i + 1] == of->set[i]) continue;
        r->set_loss[of->set[i]] /= rows;
        sum += r->set_loss[of->set[i]];
        rows = 0.0;
    }
    SGDFIT_ASSERT(sum >= 0.0 && sum <= (double)r->sets * (1.0 + 1e-9));
    return sum / (double)r->sets;
}

/* Looks at a value, and keeps it if it is better than the best one. */
static double sgdfit_priv_robust_try(sgdfit_priv_robust *r, double value)
{
    const double error = sgdfit_priv_robust_at(r, value);
    if (error < r->loss) {
        r->loss = error;
        r->best = value;
        memcpy(r->best_loss, r->set_loss, r->sets * sizeof *r->best_loss);
    }
    SGDFIT_ASSERT(!(r->loss > error));
    return error;
}

/* Ever finer grids around a node, in steps of the scan. */
static void sgdfit_priv_robust_refine(sgdfit_priv_robust *r, size_t node)
{
    double at = (double)node, step = 1.0, error = r->node_loss[node];
    size_t round, i;
    SGDFIT_ASSERT(node < SGDFIT_PRIV_NODES);
    for (round = 0; round < SGDFIT_PRIV_FINER; round++) {
        double from = at - step;
        step *= 2.0 / (double)SGDFIT_PRIV_INNER;
        for (i = 1; i < SGDFIT_PRIV_INNER; i++) {
            const double other = from + (double)i * step;
            const double e =
                sgdfit_priv_robust_try(r, sgdfit_priv_node_value(r->of, other));
            if (e < error) { error = e; at = other; }
        }
    }
}

/* Is node i at most as high as its neighbours, and lower than the one before it? */
static int sgdfit_priv_is_minimum(const double *error, size_t i)
{
    return (i == 0 || error[i] < error[i - 1])
        && (i + 1 == SGDFIT_PRIV_NODES || error[i] <= error[i + 1]);
}

/* Returns the minimum with the least loss > `above`. A loss equal to `above` counts, too,
 * if its number exceeds `behind`. NODES: none is left. */
static size_t sgdfit_priv_next_minimum(const double *error, double above, size_t behind)
{
    size_t found = SGDFIT_PRIV_NODES, i;
    for (i = 0; i < SGDFIT_PRIV_NODES; i++) {
        if (!sgdfit_priv_is_minimum(error, i)) continue;
        if (error[i] < above || (!(error[i] > above) && i <= behind)) continue;
        if (found == SGDFIT_PRIV_NODES || error[i] < error[found]) found = i;
    }
    return found;
}

static void sgdfit_priv_robust_search(sgdfit_priv_robust *r)
{
    double above = -1.0;
    size_t behind = 0, k, i;
    r->loss = HUGE_VAL;
    for (i = 0; i < SGDFIT_PRIV_NODES; i++)
        r->node_loss[i] =
            sgdfit_priv_robust_try(r, sgdfit_priv_node_value(r->of, (double)i));
    for (k = 0; k < SGDFIT_PRIV_MINIMA; k++) {
        i = sgdfit_priv_next_minimum(r->node_loss, above, behind);
        if (i == SGDFIT_PRIV_NODES) return;
        above = r->node_loss[i];
        behind = i;
        sgdfit_priv_robust_refine(r, i);
    }
    SGDFIT_ASSERT(r->best >= r->of->low && r->best <= r->of->high);
}

/* Is the loss at a value not significantly larger than that at the best one? t: of
 * Student. */
static int sgdfit_priv_robust_fits(sgdfit_priv_robust *r, double value, double t)
{
    double mean = 0.0, squares = 0.0;
    size_t i;
    (void)sgdfit_priv_robust_at(r, value);
    for (i = 0; i < r->sets; i++)
        mean += (r->set_loss[i] - r->best_loss[i]) / (double)r->sets;
    for (i = 0; i < r->sets; i++) {
        const double off = r->set_loss[i] - r->best_loss[i] - mean;
        squares += off * off;
    }
    SGDFIT_ASSERT(squares >= 0.0 && t >= 0.0);
    if (r->sets < 2) return mean <= 1e-12;
    squares /= (double)(r->sets - 1) * (double)r->sets;
    return mean - 1e-12 <= t * sqrt(squares);
}

/* The end of the interval between a node that fits and its neighbour that does not. */
static double sgdfit_priv_robust_end(sgdfit_priv_robust *r, double fits, double fails,
                                     double t)
{
    size_t i;
    for (i = 0; i < SGDFIT_PRIV_HALVINGS; i++) {
        const double middle = 0.5 * (fits + fails);
        if (sgdfit_priv_robust_fits(r, sgdfit_priv_node_value(r->of, middle), t))
            fits = middle;
        else
            fails = middle;
    }
    return sgdfit_priv_node_value(r->of, fits);
}

static void sgdfit_priv_robust_interval(sgdfit_priv_robust *r, sgdfit_robust_result *out)
{
    const double t = r->sets > 1 ? sgdfit_student(r->of->level, r->sets - 1) : 0.0;
    size_t first = SGDFIT_PRIV_NODES, last = 0, i;
    for (i = 0; i < SGDFIT_PRIV_NODES; i++)
        if (sgdfit_priv_robust_fits(r, sgdfit_priv_node_value(r->of, (double)i), t)) {
            if (first == SGDFIT_PRIV_NODES) first = i;
            last = i;
        }
    out->determined = first > 0 && last + 1 < SGDFIT_PRIV_NODES;
    out->low = out->high = out->value;         /* no node fits as well as the value   */
    if (r->sets < 2 || first == 0) out->low = 0.0;
    if (r->sets < 2 || last + 1 == SGDFIT_PRIV_NODES) out->high = HUGE_VAL;
    if (first == SGDFIT_PRIV_NODES || r->sets < 2) return;
    if (first > 0)
        out->low = fmin(out->value, sgdfit_priv_robust_end(r, (double)first,
                                                           (double)first - 1.0, t));
    if (last + 1 < SGDFIT_PRIV_NODES)
        out->high = fmax(out->value, sgdfit_priv_robust_end(r, (double)last,
                                                            (double)last + 1.0, t));
    SGDFIT_ASSERT(out->low <= out->value && out->value <= out->high);
}

SGDFIT_API sgdfit_status sgdfit_robust(const sgdfit_robust_problem *of, void *work,
                                       size_t work_bytes, sgdfit_robust_result *out)
{
    sgdfit_priv_arena arena;
    sgdfit_priv_robust r;
    sgdfit_robust_result found;
    size_t need = 0, i;
    sgdfit_status status = sgdfit_robust_bytes(of, &need);
    if (status != SGDFIT_OK) return status;
    if (!of->predict || !of->measured || !out || !sgdfit_priv_is_rate(of->low)
        || !(of->low < of->high) || !sgdfit_priv_is_rate(of->high / of->low)
        || !(of->level > 0.0 && of->level < 1.0) || !sgdfit_priv_is_time(of->tolerance))
        return SGDFIT_BAD_ARGUMENT;
    for (i = 0; i < of->n; i++)
        if (!sgdfit_priv_is_rate(of->measured[i])) return SGDFIT_BAD_ARGUMENT;
    status = sgdfit_priv_check_work(work, work_bytes, need);
    if (status != SGDFIT_OK) return status;
    memset(&r, 0, sizeof r);
    r.tolerance = of->tolerance > 0.0 ? of->tolerance : 0.05;
    arena = sgdfit_priv_arena_at(work);
    (void)sgdfit_priv_robust_carve(of, &arena, &r);
    SGDFIT_ASSERT(!arena.overflow && arena.used == need);
    SGDFIT_ASSERT(r.predicted && r.set_loss && r.best_loss && r.node_loss);
    sgdfit_priv_robust_search(&r);
    memset(&found, 0, sizeof found);
    found.value = r.best;
    found.loss = r.loss;
    if (r.status == SGDFIT_OK) sgdfit_priv_robust_interval(&r, &found);
    if (r.status != SGDFIT_OK) return (sgdfit_status)r.status;
    found.evaluations = r.evaluations;
    *out = found;
    return SGDFIT_OK;
}

/* ---- Errors and intervals: errors ------------------------------------------ */

SGDFIT_API double sgdfit_quantile(const double *sorted, size_t n, double q)
{
    size_t i;
    double place, part;
    if (!sorted || n == 0 || !(q >= 0.0 && q <= 1.0)) return (double)NAN;
    place = q * (double)(n - 1);
    i = (size_t)place;
    part = place - (double)i;
    SGDFIT_ASSERT(i < n && part < 1.0 && (i + 1 < n || !(part > 0.0)));
    return part > 0.0 ? sorted[i] + part * (sorted[i + 1] - sorted[i]) : sorted[i];
}

static int sgdfit_priv_number_before(const void *ctx, const void *a, const void *b)
{
    (void)ctx;
    return *(const double *)a < *(const double *)b;
}

/* Are the arrays that will be read given? */
static int sgdfit_priv_are_rows(const sgdfit_rows *of)
{
    return of->predicted && of->measured && (of->set || (!of->only && !of->without));
}

static int sgdfit_priv_row_counts(const sgdfit_rows *of, size_t i)
{
    return (!of->only || of->set[i] == *of->only)
        && (!of->without || of->set[i] != *of->without);
}

SGDFIT_API sgdfit_status sgdfit_errors_bytes(const sgdfit_rows *of, size_t *bytes)
{
    sgdfit_priv_arena arena = sgdfit_priv_arena_at(NULL);
    if (!of || of->n == 0) return SGDFIT_BAD_ARGUMENT;
    (void)sgdfit_priv_doubles(&arena, of->n);
    return sgdfit_priv_answer(&arena, bytes);
}

SGDFIT_API sgdfit_status sgdfit_errors(const sgdfit_rows *of, void *work,
                                       size_t work_bytes, sgdfit_error_statistics *out)
{
    double *size = (double *)work, sum = 0.0, signed_sum = 0.0;
    size_t need = 0, rows = 0, i;
    sgdfit_status status = sgdfit_errors_bytes(of, &need);
    if (status != SGDFIT_OK) return status;
    if (!sgdfit_priv_are_rows(of) || !out) return SGDFIT_BAD_ARGUMENT;
    status = sgdfit_priv_check_work(work, work_bytes, need);
    if (status != SGDFIT_OK) return status;

    for (i = 0; i < of->n; i++) {
        double error;
        if (!sgdfit_priv_row_counts(of, i)) continue;
        if (!sgdfit_priv_is_rate(of->measured[i])) return SGDFIT_BAD_ARGUMENT;
        error = (of->predicted[i] - of->measured[i]) / of->measured[i];
        size[rows++] = fabs(error);
        signed_sum += error;
        sum += fabs(error);
    }
    if (rows == 0 || !sgdfit_priv_is_time(sum)) return SGDFIT_BAD_ARGUMENT;
    sgdfit_priv_sort(size, rows, sizeof size[0], sgdfit_priv_number_before, NULL);
    for (i = 1; i < rows; i++) SGDFIT_ASSERT(size[i - 1] <= size[i]);
    out->rows = rows;
    out->mean = sum / (double)rows;
    out->median = sgdfit_quantile(size, rows, 0.5);
    out->p5 = sgdfit_quantile(size, rows, 0.05);
    out->p95 = sgdfit_quantile(size, rows, 0.95);
    out->max = size[rows - 1];
    out->bias = signed_sum / (double)rows;
    return SGDFIT_OK;
}

/* ---- Errors and intervals: bands ------------------------------------------- */

typedef struct sgdfit_priv_residual {
    double   off;              /* measured / predicted - 1                          */
    uint32_t set;
} sgdfit_priv_residual;

static int sgdfit_priv_residual_before(const void *ctx, const void *a, const void *b)
{
    (void)ctx;
    const sgdfit_priv_residual *x = (const sgdfit_priv_residual *)a;
    return x->off < ((const sgdfit_priv_residual *)b)->off;
}

static int sgdfit_priv_set_before(const void *ctx, const void *a, const void *b)
{
    (void)ctx;
    const sgdfit_priv_residual *x = (const sgdfit_priv_residual *)a;
    return x->set < ((const sgdfit_priv_residual *)b)->set;
}

/* How far row i lies above its prediction, relative. */
static double sgdfit_priv_off(const sgdfit_rows *of, size_t i)
{
    return of->measured[i] / of->predicted[i] - 1.0;
}

SGDFIT_API sgdfit_status sgdfit_conformal_bytes(const sgdfit_rows *of, size_t *bytes)
{
    sgdfit_priv_arena arena = sgdfit_priv_arena_at(NULL);
    if (!of || of->n == 0) return SGDFIT_BAD_ARGUMENT;
    (void)sgdfit_priv_take(&arena, of->n, sizeof(sgdfit_priv_residual));
    return sgdfit_priv_answer(&arena, bytes);
}

/* Number of distinct sets; sorts r[n] by set. */
static size_t sgdfit_priv_count_sets(sgdfit_priv_residual *r, size_t n)
{
    size_t sets = n > 0 ? 1 : 0, i;
    sgdfit_priv_sort(r, n, sizeof r[0], sgdfit_priv_set_before, NULL);
    for (i = 1; i < n; i++) sets += r[i].set != r[i - 1].set;
    SGDFIT_ASSERT(sets <= n);
    return sets;
}

SGDFIT_API sgdfit_status sgdfit_conformal(const sgdfit_rows *of, double level, void *work,
                                          size_t work_bytes, sgdfit_band *out)
{
    sgdfit_priv_residual *r = (sgdfit_priv_residual *)work;
    size_t need = 0, rows = 0, i;
    double rank, beyond;
    sgdfit_band band;
    sgdfit_status status = sgdfit_conformal_bytes(of, &need);
    if (status != SGDFIT_OK) return status;
    if (!sgdfit_priv_are_rows(of) || !out) return SGDFIT_BAD_ARGUMENT;
    if (!(level > 0.0 && level < 1.0)) return SGDFIT_BAD_ARGUMENT;
    status = sgdfit_priv_check_work(work, work_bytes, need);
    if (status != SGDFIT_OK) return status;
    for (i = 0; i < of->n; i++) {
        if (!sgdfit_priv_row_counts(of, i)) continue;
        if (!sgdfit_priv_is_rate(of->predicted[i])
            || !sgdfit_priv_is_rate(of->measured[i]))
            return SGDFIT_BAD_ARGUMENT;
        r[rows].off = sgdfit_priv_off(of, i);
        r[rows++].set = of->set ? of->set[i] : 0;
    }
    if (rows == 0) return SGDFIT_BAD_ARGUMENT;
    band.rows = rows;
    band.sets = of->set ? sgdfit_priv_count_sets(r, rows) : rows;
    beyond = 0.5 * (1.0 - level);
    if (of->set) beyond *= (double)band.sets / ((double)band.sets + 1.0);
    band.level = 1.0 - beyond;
    sgdfit_priv_sort(r, rows, sizeof r[0], sgdfit_priv_residual_before, NULL);
    rank = ceil(((double)rows + 1.0) * band.level * (1.0 - 1e-12));
    SGDFIT_ASSERT(rank >= 1.0 && band.level >= level);
    band.low = band.high = HUGE_VAL;
    if (rank <= (double)rows) {
        band.low = fmax(0.0, -r[rows - (size_t)rank].off);
        band.high = fmax(0.0, r[(size_t)rank - 1].off);
    }
    *out = band;
    return SGDFIT_OK;
}

SGDFIT_API sgdfit_status sgdfit_coverage(const sgdfit_rows *of, double level, void *work,
                                         size_t work_bytes, sgdfit_coverage_result *out)
{
    sgdfit_coverage_result sum;
    sgdfit_rows others;
    size_t i, k;
    memset(&sum, 0, sizeof sum);
    if (!of || !of->set || of->only || of->without || !out) return SGDFIT_BAD_ARGUMENT;
    others = *of;
    for (i = 0; i < of->n; i++) {
        sgdfit_band band;
        sgdfit_status status;
        for (k = 0; k < i && of->set[k] != of->set[i]; k++) {}
        if (k < i) continue;               /* this set is already counted */
        others.without = &of->set[i];
        status = sgdfit_conformal(&others, level, work, work_bytes, &band);
        if (status != SGDFIT_OK) return status;
        if (!(band.high <= DBL_MAX)) continue;
        for (k = i; k < of->n; k++) {
            const double off = sgdfit_priv_off(of, k);
            if (of->set[k] != of->set[i]) continue;
            sum.rows++;
            sum.low += band.low;
            sum.high += band.high;
            sum.covered += off >= -band.low && off <= band.high;
        }
    }
    if (sum.rows == 0) return SGDFIT_BAD_ARGUMENT;
    SGDFIT_ASSERT(sum.covered <= sum.rows);
    sum.low /= (double)sum.rows;
    sum.high /= (double)sum.rows;
    *out = sum;
    return SGDFIT_OK;
}

#ifdef __cplusplus
}
#endif
#endif /* SGDPERF_FIT_IMPLEMENTATION */

/* REFERENCES  cited by key throughout
 *   [LPCG18]  S.-H. Lin, M. Paolieri, C.-F. Chou, L. Golubchik, A Model-Based
 *             Approach to Streamlining Distributed Training for Asynchronous
 *             SGD, MASCOTS 2018.
 *   [AS64]    M. Abramowitz, I. A. Stegun, Handbook of Mathematical Functions,
 *             1964.
 *   [SLF14]   G. L. Steele, D. Lea, C. H. Flood, Fast Splittable Pseudorandom
 *             Number Generators, OOPSLA 2014.
 *   [PPVG02]  H. Papadopoulos, K. Proedrou, V. Vovk, A. Gammerman, Inductive Confidence
 *             Machines for Regression, ECML 2002.
 *   [VGS05]   V. Vovk, A. Gammerman, G. Shafer, Algorithmic Learning in a Random
 *             World, Springer, 2005.
 *   [VYFRS16] S. Venkataraman et al., Ernest: Efficient Performance Prediction
 *             for Large-Scale Advanced Analytics, NSDI 2016.
 *   [PBCWG18] Y. Peng et al., Optimus: An Efficient Dynamic Resource Scheduler
 *             for Deep Learning Clusters, EuroSys 2018.
 *   [F72]     V. V. Fedorov, Theory of Optimal Experiments, 1972.
 *   [KW60]    J. Kiefer, J. Wolfowitz, The Equivalence of Two Extremum Problems,
 *             Canadian J. Math. 12, 1960.
 *   [S74]     M. Stone, Cross-Validatory Choice and Assessment of Statistical
 *             Predictions, J. Royal Statistical Society B 36, 1974.
 *   [BCRT21]  R. F. Barber, E. J. Candes, A. Ramdas, R. J. Tibshirani, Predictive
 *             Inference with the Jackknife+, Annals of Statistics 49, 2021.
 *   [G07]     N. J. Gunther, Guerrilla Capacity Planning, Springer, 2007.
 *   [GM85]    S. Geman, D. E. McClure, Bayesian Image Analysis: An Application to Single
 *             Photon Emission Tomography, Amer. Stat. Assoc., 1985.
 *   [LH74]    C. L. Lawson, R. J. Hanson, Solving Least Squares Problems, 1974.
 *
 * HISTORY
 *   0.1.0  first version
 *
 * LICENSE (MIT)
 *   Copyright (c) the sgdperf authors
 *
 *   Permission is hereby granted, free of charge, to any person obtaining a copy of
 *   this software and associated documentation files (the "Software"), to deal in the
 *   Software without restriction, including without limitation the rights to use, copy,
 *   modify, merge, publish, distribute, sublicense, and/or sell copies of the Software,
 *   and to permit persons to whom the Software is furnished to do so, subject to the
 *   following conditions:
 *
 *   The above copyright notice and this permission notice shall be included in all
 *   copies or substantial portions of the Software.
 *
 *   THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED,
 *   INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A
 *   PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT
 *   HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF
 *   CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE
 *   OR THE USE OR OTHER DEALINGS IN THE SOFTWARE. */
