/* sgdperf_fit.h - v0.1.0 - learns from measurements of distributed SGD - C99, one file
 *
 *   Turns logged phases and traced activities into the profile of a worker, and says how
 *   far predictions were off, and how far an unseen one may be.
 *
 * USE
 *   In exactly one C or C++ file:
 *       #define SGDPERF_FIT_IMPLEMENTATION
 *       #include "sgdperf_fit.h"
 *   Everywhere else include it plainly; including it twice is harmless.
 *   SGDPERF_FIT_STATIC, defined there, keeps every symbol private. Link with -lm.
 *
 * EXAMPLE   two steps of a log to the mean of a phase, and how sure it is
 *       static double work[64];
 *       sgdfit_phase_statistics of[SGDFIT_PHASE_COUNT];
 *       const sgdfit_phase_record log[] = {
 *           { 1, SGDFIT_PHASE_FORWARD,  0.000, 0.010 },
 *           { 1, SGDFIT_PHASE_BACKWARD, 0.010, 0.029 },
 *           { 2, SGDFIT_PHASE_FORWARD,  0.029, 0.040 },
 *           { 2, SGDFIT_PHASE_BACKWARD, 0.040, 0.060 } };
 *       if (sgdfit_profile_phases(log, 4, work, sizeof work, of, NULL) == SGDFIT_OK)
 *           printf("forward: %.1f ms +- %.1f\n", 1e3 * of[SGDFIT_PHASE_FORWARD].mean_s,
 *                  1e3 * of[SGDFIT_PHASE_FORWARD].ci95_half_width_s);
 *       // forward: 10.5 ms +- 6.4
 *
 * CONTENTS
 *   Status               sgdfit_status_text
 *   Measurements         sgdfit_profile_phases, _steps, _gaps, _activity, _bound, _traced
 *   Errors and intervals sgdfit_errors  sgdfit_conformal  sgdfit_coverage
 *                        sgdfit_quantile
 *   Library              sgdfit_version  sgdfit_struct_bytes
 *
 * CONVENTIONS
 *   Units     seconds, bytes; a name ends in its unit: mean_s.
 *   Arrays    row-major; [n][k] is n*k doubles, element (i,j) at i*k + j.
 *   Defaults  zero every struct; a field left 0 or NULL takes its default.
 *   Memory    nothing is allocated or kept. A function that needs scratch takes
 *             (work, work_bytes), aligned for double; its twin ..._bytes() says
 *             how much. Only inputs may overlap.
 *   Errors    bad input is answered by an sgdfit_status and no output is written; only
 *             SGDFIT_NOT_CONVERGED leaves its best iterate. SGDFIT_ASSERT guards the
 *             library's own invariants alone.
 *   Threads   no globals: calls on distinct work and out may run at once.
 *   Floats    IEEE 754 double; with -ffp-contract=off and no -ffast-math, code using
 *             only + - * / sqrt gives the same bits on x86-64, ARM64, ... A function
 *             that calls exp, log or pow says so.
 *
 * CONFIGURE   before inclusion: SGDPERF_FIT_STATIC, SGDFIT_API, SGDFIT_ASSERT(x)
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

/* Numbered as in all headers. */
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

/* Text for a status; never NULL, also for values that are not a status. */
SGDFIT_API const char *sgdfit_status_text(sgdfit_status status);

/* ---- Measurements ---------------------------------------------------------- */

/* The phases of a profiled step, in the order in which one worker runs them. */
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

SGDFIT_API const char *sgdfit_phase_text(sgdfit_phase phase);

typedef struct sgdfit_phase_record {
    uint64_t   step;
    sgdfit_phase phase;
    double     start_s;        /* finite                                            */
    double     end_s;          /* >= start_s                                        */
} sgdfit_phase_record;

typedef struct sgdfit_phase_statistics {
    size_t steps;              /* steps in which the phase occurs                   */
    double mean_s;             /* of its total time in one of those steps           */
    double deviation_s;        /* sample standard deviation; 0 for one step         */
    double ci95_half_width_s;  /* Student's t; 0 for one step                       */
} sgdfit_phase_statistics;

/* Phases of one worker, time-stamped, to its profile. Several records of a kind in
 * one step count once where they overlap in time (their union). Any order of the
 * n records. statistics[SGDFIT_PHASE_COUNT]; *steps (may be NULL) the distinct
 * steps. O(n log n) time, a pointer per record of work. */
SGDFIT_API sgdfit_status sgdfit_profile_phases(const sgdfit_phase_record *record,
                                               size_t n, void *work, size_t work_bytes,
                                               sgdfit_phase_statistics *statistics,
                                               size_t *steps);
SGDFIT_API sgdfit_status sgdfit_profile_phases_bytes(size_t n, size_t *bytes);

/* The whole step of the same records: the time from a step's first start to its last
 * end, of all steps but those that were cut short. Such a one lacks a phase that three
 * of four other steps have, as the last step of a log that ends with a downlink.
 * step->steps: of how many, 0 where each lacks what another has; *cut (may be NULL): the
 * others. Time and work as for sgdfit_profile_phases. */
SGDFIT_API sgdfit_status sgdfit_profile_steps(const sgdfit_phase_record *record, size_t n,
                                              void *work, size_t work_bytes,
                                              sgdfit_phase_statistics *step, size_t *cut);

/* What transfers alone tell of one worker's computation and updates [LPCG18, sec.
 * III-A]: the worker computes between the end of a step's last downlink and the start
 * of its first uplink, the server updates between the end of a step's last uplink and
 * the start of the first downlink of the step whose number is the next. Of the n
 * records, all of SGDFIT_PHASE_DOWNLINK and _UPLINK, it makes gap[2 n], *gaps of them,
 * in the order of steps: the computation as SGDFIT_PHASE_FORWARD, which cannot be told
 * from backward, and SGDFIT_PHASE_UPDATE. Delays of the network are part of a gap.
 * SGDFIT_BAD_ARGUMENT where a gap would be below 0, as when layers are sent while others
 * are computed. O(n log n) time, work as for sgdfit_profile_phases. */
SGDFIT_API sgdfit_status sgdfit_profile_gaps(const sgdfit_phase_record *record, size_t n,
                                             void *work, size_t work_bytes,
                                             sgdfit_phase_record *gap, size_t *gaps);

/* What a traced worker did, or waited for, at a time. */
typedef enum sgdfit_activity_kind {
    SGDFIT_ACTIVITY_COMPUTE = 0,
    SGDFIT_ACTIVITY_COMMUNICATION,
    SGDFIT_ACTIVITY_WAIT         /* it could go on only when what ran had ended: its  */
                               /*   next kernel was queued, its host was blocked    */
} sgdfit_activity_kind;

typedef struct sgdfit_activity {
    double             start_s;/* finite                                            */
    double             end_s;  /* >= start_s                                        */
    sgdfit_activity_kind kind;
} sgdfit_activity;

/* Where the time of a step went. step_s is compute_s + communication_s - overlap_s and
 * host_s. */
typedef struct sgdfit_step_parts {
    double step_s;
    double compute_s;          /* some computation ran                              */
    double communication_s;    /* some communication ran                            */
    double overlap_s;          /* both                                              */
    double host_s;             /* neither: of an accelerator, its host's            */
    double exposed_s;          /* stalls: see below; at most communication_s -      */
                               /*   overlap_s                                       */
} sgdfit_step_parts;

/* The parts of the step from start_s to end_s, of which activity[n], in any order, is
 * clipped. Activities of a kind count once where they overlap in time. Communication
 * stalls the worker in the time straight before its end in which nothing computes and
 * some WAIT goes on; without any WAIT record a worker is taken to wait always. Of each
 * record stalled_from_s[n] (may be NULL) is when such a time begins; its end, clipped to
 * the step, if there is none. These stalls do not overlap, and add up to exposed_s.
 *
 * SGDFIT_BAD_ARGUMENT: NULL, a kind that is none, an end before its start, what is not
 * finite; SGDFIT_TOO_LARGE, SGDFIT_SMALL_WORKSPACE. n may be 0. O(n log n) time, 32 bytes
 * of work for each record. */
SGDFIT_API sgdfit_status sgdfit_profile_activity(const sgdfit_activity *activity,
                                                 size_t n, double start_s, double end_s,
                                                 void *work, size_t work_bytes,
                                                 sgdfit_step_parts *parts,
                                                 double *stalled_from_s);
SGDFIT_API sgdfit_status sgdfit_profile_activity_bytes(size_t n, size_t *bytes);

/* What bounds a step: the largest of host_s and what communication hides of it, of
 * compute_s, and of exposed_s; the first of these where they are equal. */
#define SGDFIT_BOUND_TABLE(X)                         \
    X(SGDFIT_BOUND_HOST,          "host")             \
    X(SGDFIT_BOUND_ACCELERATOR,   "accelerator")      \
    X(SGDFIT_BOUND_COMMUNICATION, "communication")

#define SGDFIT_X(name, text) name,
typedef enum sgdfit_bound {
    SGDFIT_BOUND_TABLE(SGDFIT_X) SGDFIT_BOUND_COUNT
} sgdfit_bound;
#undef SGDFIT_X

SGDFIT_API const char *sgdfit_bound_text(sgdfit_bound bound);
SGDFIT_API sgdfit_bound sgdfit_profile_bound(const sgdfit_step_parts *parts);

/* What a model of SGD needs to take the traced step again. */
typedef struct sgdfit_traced {
    double forward_s, backward_s;  /* before: their proportion                      */
    double model_bytes;
    double bandwidth_bytes_per_s;  /* at which a ring takes communication_s         */
    double overlap_exponent;       /* p, at most 64, of (C^p + E^p)^(1/p)           */
} sgdfit_traced;

/* The profile of a job that was traced while it ran on `workers` workers, which exchanged
 * exchanged_bytes in every step: what a ring would have, so that a gathering or
 * scattering of M bytes counts as M / 2. *parts are means over its steps.
 *
 * Writes to *out: size and bandwidth; forward_s and backward_s, in the proportion that
 * they have there (1 : 2 if both are 0), which together are step_s - exposed_s; and the
 * exponent such that compute C and a ring's exchange E take step_s, where compute gives
 * way by less than 1 % if 64 is not enough. One worker, or no communication: compute
 * takes step_s, and size, bandwidth and exponent become 0.
 *
 * SGDFIT_BAD_ARGUMENT: NULL, workers = 0, parts that are no times or contradict each
 * other, exchanged_bytes negative, or 0 where workers > 1 and communication_s > 0. Calls
 * pow. */
SGDFIT_API sgdfit_status sgdfit_profile_traced(const sgdfit_step_parts *parts,
                                               uint32_t workers, double exchanged_bytes,
                                               sgdfit_traced *out);

/* ---- Errors and intervals -------------------------------------------------- */

typedef struct sgdfit_error_statistics {
    size_t rows;
    double mean, median, p5, p95, max; /* of |predicted - measured| / measured      */
    double bias;               /* mean of (predicted - measured) / measured         */
} sgdfit_error_statistics;

/* Relative errors of n predictions. With workers == NULL, or only == 0, all rows
 * count, else those with workers[i] == only; no such row is SGDFIT_BAD_ARGUMENT, as
 * is, in those rows, a measured value not > 0 or a prediction not finite. O(n log n)
 * time, 8 n bytes of work. */
SGDFIT_API sgdfit_status sgdfit_errors(const double *predicted, const double *measured,
                                       const uint32_t *workers, uint32_t only, size_t n,
                                       void *work, size_t work_bytes,
                                       sgdfit_error_statistics *out);
SGDFIT_API sgdfit_status sgdfit_errors_bytes(size_t n, size_t *bytes);

typedef struct sgdfit_band {
    double half_width;         /* h: measured in prediction (1 - h) to (1 + h);     */
                               /*   HUGE_VAL: too few rows to say                   */
    double level;              /* level', the quantile taken                        */
    size_t rows;               /* n, of which it was taken                          */
    size_t sets;               /* G, to which they belong                           */
} sgdfit_band;

/* Split (inductive) conformal prediction [PPVG02] [VGS05]: how far from a prediction an
 * unseen row of a class lies, with probability `level`, by n rows of the class that were
 * measured. Rows that chose something of the model err less than an unseen one will.
 *
 * h is the ceil((n + 1) level')-th smallest of |measured / predicted - 1|, which holds
 * the next row with probability level' at least, whatever the distribution, if rows are
 * exchangeable. They are not: rows of one set (a cluster, a campaign) err alike, and the
 * next one belongs to a set of its own. So the share that may lie outside is made less
 * (ours, no theorem; sgdfit_coverage tests it): level' = 1 - (1 - level) G / (G + 1) for
 * G sets, 0.95 for one at level 0.9, 0.91 for nine. set[] tells which row belongs to
 * which (any numbers); NULL: all rows are sets of their own, and level' = level. Fewer
 * than about 1 / (1 - level') rows: HUGE_VAL.
 *
 * With `without` one set's rows can be left out (its number; NULL: none). O(n log n)
 * time, 16 n bytes of work. SGDFIT_BAD_ARGUMENT: NULL, no row left, level not in (0, 1),
 * a value not > 0 or not finite. */
SGDFIT_API sgdfit_status sgdfit_conformal(const double *predicted, const double *measured,
                                          const uint32_t *set, const uint32_t *without,
                                          size_t n, double level, void *work,
                                          size_t work_bytes, sgdfit_band *out);
SGDFIT_API sgdfit_status sgdfit_conformal_bytes(size_t n, size_t *bytes);

typedef struct sgdfit_coverage_result {
    size_t rows;               /* of sets that the others could say a band for      */
    size_t covered;            /* how many lie in it                                */
    double half_width;         /* mean over those rows                              */
} sgdfit_coverage_result;

/* The test of sgdfit_conformal on rows: each set is left out in turn, and its rows
 * counted that lie in the band of the others. Arguments, statuses and work as there;
 * needs two sets. O(G n log n + n^2). */
SGDFIT_API sgdfit_status sgdfit_coverage(const double *predicted, const double *measured,
                                         const uint32_t *set, size_t n, double level,
                                         void *work, size_t work_bytes,
                                         sgdfit_coverage_result *out);

/* Quantile q in [0, 1] of sorted[n], linear between order statistics (the median
 * of an even number is the mean of the middle two); NaN if n is 0 or q outside. */
SGDFIT_API double sgdfit_quantile(const double *sorted, size_t n, double q);

/* ---- Library --------------------------------------------------------------- */

/* SGDPERF_FIT_VERSION as it was compiled: a program that finds a shared library when it
 * runs compares. SGDFIT_API, defined before every inclusion, stands before each
 * function: __attribute__((visibility("default"))), or __declspec(dllimport). */
SGDFIT_API int sgdfit_version(void);

/* sizeof the public struct of that name as it was compiled; 0: there is none. What
 * declares the structs anew, in another language, compares before the first call. */
SGDFIT_API size_t sgdfit_struct_bytes(const char *name);

#define SGDFIT_STRUCT_TABLE(X) \
    X(sgdfit_phase_record) X(sgdfit_phase_statistics) X(sgdfit_activity) \
    X(sgdfit_step_parts) X(sgdfit_traced) X(sgdfit_error_statistics) X(sgdfit_band) \
    X(sgdfit_coverage_result)

#ifdef __cplusplus
}
#endif
#endif /* SGDPERF_FIT_H */

/* ============================================================================
 *   IMPLEMENTATION
 *
 *   Common block         the same in all headers: checks, scratch, sorting, ...
 *   Measurements         phases to a profile
 *                        activities to the parts of a step
 *   Errors and intervals errors
 *                        bands
 * ==========================================================================*/
#if defined(SGDPERF_FIT_IMPLEMENTATION) && !defined(SGDPERF_FIT_IMPLEMENTED)
#define SGDPERF_FIT_IMPLEMENTED

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
 * These lines stand in each of the headers, equal up to the prefix, so that each
 * can be dropped in alone. Inline, since not every header needs all of them. */

/* The text of value i of an enum; one rule for a value that is none of them. */
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

/* Finite x >= 0, and finite x > 0. False for NaN, which fails every comparison;
 * a range test, unlike isfinite, also holds under -ffast-math. */
static inline int sgdfit_priv_is_time(double x) { return x >= 0.0 && x <= DBL_MAX; }
static inline int sgdfit_priv_is_rate(double x) { return x > 0.0 && x <= DBL_MAX; }

/* a equals b; the compilers' warning on == is kept for where it is a mistake. */
static inline int sgdfit_priv_same(double a, double b) { return a <= b && a >= b; }

/* Carves arrays out of the caller's scratch. With base NULL it only counts, so that
 * one carving routine both answers ..._bytes() and lays the work out. */
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

/* `count` elements of `size` bytes, aligned for double; NULL while counting. */
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
    return arena->base ? arena->base + at : NULL;
}

static inline double *sgdfit_priv_doubles(sgdfit_priv_arena *arena, size_t count)
{
    return (double *)sgdfit_priv_take(arena, count, sizeof(double));
}

/* What a counting arena found, as the answer of a ..._bytes(). */
static inline sgdfit_status sgdfit_priv_answer(const sgdfit_priv_arena *arena,
                                               size_t *bytes)
{
    if (!bytes) return SGDFIT_BAD_ARGUMENT;
    if (arena->overflow) return SGDFIT_TOO_LARGE;
    *bytes = arena->used;
    return SGDFIT_OK;
}

/* Is the caller's scratch there, aligned and large enough? */
static inline sgdfit_status sgdfit_priv_check_work(const void *work,
                                                   size_t work_bytes, size_t need)
{
    if (need == 0) return SGDFIT_OK;
    if (!work || (uintptr_t)work % sizeof(double) != 0) return SGDFIT_BAD_ARGUMENT;
    return work_bytes < need ? SGDFIT_SMALL_WORKSPACE : SGDFIT_OK;
}

/* The mixing function of SplitMix64 [SLF14]: 64 random bits that depend on x alone. */
static inline uint64_t sgdfit_priv_mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* Of (seed, a, b) alone: there is no state, so that what one thing draws does not depend
 * on what others drew before it. */
static inline uint64_t sgdfit_priv_random(uint64_t seed, uint64_t a, uint64_t b)
{
    return sgdfit_priv_mix(sgdfit_priv_mix(sgdfit_priv_mix(seed) ^ a) ^ b);
}

/* In [0, 1), of 53 bits. */
static inline double sgdfit_priv_uniform(uint64_t random)
{
    return (double)(random >> 11) / 9007199254740992.0;
}

/* Two-sided 95 % point of Student's t. Beyond the table the expansion in 1 / degrees of
 * Cornish and Fisher [AS64, 26.7.5]; relative error below 1e-7. */
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

/* The largest element that sgdfit_priv_sort takes. */
#define SGDFIT_PRIV_SORTED_BYTES 32

/* Does element a come before b? */
typedef int (*sgdfit_priv_sort_order)(const void *ctx, const void *a, const void *b);

static inline void sgdfit_priv_swap(char *a, char *b, size_t size)
{
    char held[SGDFIT_PRIV_SORTED_BYTES];
    memcpy(held, a, size);
    memcpy(a, b, size);
    memcpy(b, held, size);
}

/* Lets element `at` sink to its place in the heap base[n], where the element that
 * comes last in order is on top. */
static inline void sgdfit_priv_sort_sink(char *base, size_t at, size_t n, size_t size,
                                         sgdfit_priv_sort_order before,
                                         const void *ctx)
{
    while (at < n / 2) {                   /* while it has a child */
        char *here = base + at * size, *child = base + (2 * at + 1) * size;
        if (2 * at + 2 < n && before(ctx, child, child + size)) child += size;
        if (!before(ctx, here, child)) return;
        sgdfit_priv_swap(here, child, size);
        at = (size_t)(child - base) / size;
    }
}

/* Heap sort: O(n log n) however the input lies, in place. qsort may call malloc. */
static inline void sgdfit_priv_sort(void *elements, size_t n, size_t size,
                                    sgdfit_priv_sort_order before,
                                    const void *ctx)
{
    char *base = (char *)elements;
    size_t i;
    SGDFIT_ASSERT(size <= SGDFIT_PRIV_SORTED_BYTES);
    for (i = 1; i < n; i++)
        if (before(ctx, base + i * size, base + (i - 1) * size)) break;
    if (i >= n) return;                    /* in order already, as logs often are */
    for (i = n / 2; i-- > 0;) sgdfit_priv_sort_sink(base, i, n, size, before, ctx);
    for (i = n; i-- > 1;) {
        sgdfit_priv_swap(base, base + i * size, size);
        sgdfit_priv_sort_sink(base, 0, i, size, before, ctx);
    }
}
/* ---- End of the Common block ------------------------------------------------------ */

/* ---- Measurements: phases to a profile ------------------------------------- */

static int sgdfit_priv_all_finite(const double *v, size_t n)
{
    while (n-- > 0)
        if (!(v[n] >= -DBL_MAX && v[n] <= DBL_MAX)) return 0;
    return 1;
}

SGDFIT_API const char *sgdfit_phase_text(sgdfit_phase phase)
{
#define SGDFIT_X(name, text) text,
    static const char *const table[] = { SGDFIT_PHASE_TABLE(SGDFIT_X) };
#undef SGDFIT_X
    const size_t i = (size_t)phase;
    return sgdfit_priv_text(table, sizeof table / sizeof table[0], i);
}

/* Order of two sgdfit_phase_record *: by step, phase and start. */
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

/* Adds one step's total of a phase: mean and, for now as deviation_s, the sum of
 * squared deviations from it, updated without cancellation (Welford,
 * Technometrics 1962). */
static void sgdfit_priv_add_total(sgdfit_phase_statistics *of, double total_s)
{
    const double difference = total_s - of->mean_s;
    of->steps++;
    of->mean_s += difference / (double)of->steps;
    of->deviation_s += difference * (total_s - of->mean_s);
    SGDFIT_ASSERT(of->steps > 0 && !(of->deviation_s < 0.0));
}

/* Deviation and interval of all totals; 0: they are beyond a double, about 1e154 s. */
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

/* Checks the arguments, and sorts pointers to the records in work. */
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
    while (i < n) {                        /* a step's records of a phase each time */
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

/* In how many steps each phase of sorted records occurs; returns how many there are. */
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
    while (i < n) {                        /* a step each time                      */
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

/* The times from the first start to the last end of the records from sorted[*i] on that
 * are of one step and phase; *i leads behind them. Without any: none, of length 0. */
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
    return span;
}

/* Puts a gap behind the others, if there is room for any; 0: it is below 0. */
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

/* The gaps between sorted transfers; gap may be NULL, to count; 0: one is below 0. */
static int sgdfit_priv_gaps(const sgdfit_phase_record *const *sorted, size_t n,
                            sgdfit_phase_record *gap, size_t *count)
{
    sgdfit_phase_record sent;
    size_t i = 0;
    int was_sent = 0, has_down, has_up;
    memset(&sent, 0, sizeof sent);
    *count = 0;
    while (i < n) {                        /* a step each time                      */
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
    return SGDFIT_OK;
}

/* ---- Measurements: activities to the parts of a step ----------------------- */

/* The begin or the end of an activity. */
typedef struct sgdfit_priv_edge {
    double time_s;
    size_t activity;
    int    begins;
} sgdfit_priv_edge;

/* By time; at one time, what begins before what ends, so that what lasts no time has both
 * in order, and an end meets what takes over from it. */
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

SGDFIT_API sgdfit_status sgdfit_profile_activity_bytes(size_t n, size_t *bytes)
{
    sgdfit_priv_arena arena = sgdfit_priv_arena_at(NULL);
    (void)sgdfit_priv_edges_carve(&arena, n);
    return sgdfit_priv_answer(&arena, bytes);
}

/* The edges of what lies in the step, clipped; *waits: some of it is a WAIT. Returns how
 * many, or -1 for a record that is none. */
static ptrdiff_t sgdfit_priv_edges(const sgdfit_activity *activity, size_t n,
                                   double start_s, double end_s, sgdfit_priv_edge *edge,
                                   int *waits)
{
    size_t i, edges = 0;
    for (*waits = 0, i = 0; i < n; i++) {
        const sgdfit_activity *a = activity + i;
        if (!sgdfit_priv_all_finite(&a->start_s, 1)
            || !sgdfit_priv_is_time(a->end_s - a->start_s)
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
    SGDFIT_ASSERT(edges <= 2 * n);
    return (ptrdiff_t)edges;
}

/* A sweep over a step. */
typedef struct sgdfit_priv_sweep {
    size_t active[SGDFIT_ACTIVITY_WAIT + 1];
    int    always_waits;
    double at_s;
    double stalled_from_s;          /* without a break up to at_s, which it is if not */
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

SGDFIT_API sgdfit_status sgdfit_profile_activity(const sgdfit_activity *activity,
                                                 size_t n, double start_s, double end_s,
                                                 void *work, size_t work_bytes,
                                                 sgdfit_step_parts *parts,
                                                 double *stalled_from_s)
{
    sgdfit_priv_arena arena = sgdfit_priv_arena_at(work);
    sgdfit_priv_sweep sweep;
    sgdfit_priv_edge *edge;
    size_t need = 0, k;
    ptrdiff_t edges;
    int waits;
    sgdfit_status status = sgdfit_profile_activity_bytes(n, &need);
    if (status != SGDFIT_OK) return status;
    if ((!activity && n > 0) || !parts || !sgdfit_priv_all_finite(&start_s, 1)
        || !sgdfit_priv_is_time(end_s - start_s))
        return SGDFIT_BAD_ARGUMENT;
    status = sgdfit_priv_check_work(work, work_bytes, need);
    if (status != SGDFIT_OK) return status;
    edge = sgdfit_priv_edges_carve(&arena, n);
    edges = sgdfit_priv_edges(activity, n, start_s, end_s, edge, &waits);
    if (edges < 0) return SGDFIT_BAD_ARGUMENT;
    if (edges > 0)
        sgdfit_priv_sort(edge, (size_t)edges, sizeof edge[0], sgdfit_priv_edge_before,
                         NULL);
    memset(&sweep, 0, sizeof sweep);
    sweep.always_waits = !waits;
    sweep.at_s = sweep.stalled_from_s = start_s;
    for (k = 0; stalled_from_s && k < n; k++)
        stalled_from_s[k] = activity[k].end_s < end_s ? activity[k].end_s : end_s;
    for (k = 0; k < (size_t)edges; k++) {
        const sgdfit_activity_kind kind = activity[edge[k].activity].kind;
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
    sweep.parts.step_s = end_s - start_s;
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

/* The exponent p, 1 to `most`, with which C and E take T: (C^p + E^p)^(1/p) falls from
 * C + E to the larger one as p grows. */
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
        if (exponent >= most) compute_s = T * pow(1.0 - pow(E / T, most), 1.0 / most);
    }
    if (out->forward_s + out->backward_s > 0.0)
        forward = out->forward_s / (out->forward_s + out->backward_s);
    out->forward_s = compute_s * forward;
    out->backward_s = compute_s - out->forward_s;
    out->model_bytes = bandwidth > 0.0 ? exchanged_bytes : 0.0;
    out->bandwidth_bytes_per_s = bandwidth;
    out->overlap_exponent = exponent;
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

SGDFIT_API sgdfit_status sgdfit_errors_bytes(size_t n, size_t *bytes)
{
    sgdfit_priv_arena arena = sgdfit_priv_arena_at(NULL);
    if (n == 0) return SGDFIT_BAD_ARGUMENT;
    (void)sgdfit_priv_doubles(&arena, n);
    return sgdfit_priv_answer(&arena, bytes);
}

SGDFIT_API sgdfit_status sgdfit_errors(const double *predicted, const double *measured,
                                       const uint32_t *workers, uint32_t only, size_t n,
                                       void *work, size_t work_bytes,
                                       sgdfit_error_statistics *out)
{
    double *size = (double *)work, sum = 0.0, signed_sum = 0.0;
    size_t need = 0, rows = 0, i;
    sgdfit_status status = sgdfit_errors_bytes(n, &need);
    if (status != SGDFIT_OK) return status;
    if (!predicted || !measured || !out) return SGDFIT_BAD_ARGUMENT;
    status = sgdfit_priv_check_work(work, work_bytes, need);
    if (status != SGDFIT_OK) return status;

    for (i = 0; i < n; i++) {
        double error;
        if (workers && only != 0 && workers[i] != only) continue;
        if (!sgdfit_priv_is_rate(measured[i])) return SGDFIT_BAD_ARGUMENT;
        error = (predicted[i] - measured[i]) / measured[i];
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
    double   size;             /* |measured / predicted - 1|                        */
    uint32_t set;
} sgdfit_priv_residual;

static int sgdfit_priv_residual_before(const void *ctx, const void *a, const void *b)
{
    (void)ctx;
    const sgdfit_priv_residual *x = (const sgdfit_priv_residual *)a;
    return x->size < ((const sgdfit_priv_residual *)b)->size;
}

static int sgdfit_priv_set_before(const void *ctx, const void *a, const void *b)
{
    (void)ctx;
    const sgdfit_priv_residual *x = (const sgdfit_priv_residual *)a;
    return x->set < ((const sgdfit_priv_residual *)b)->set;
}

SGDFIT_API sgdfit_status sgdfit_conformal_bytes(size_t n, size_t *bytes)
{
    sgdfit_priv_arena arena = sgdfit_priv_arena_at(NULL);
    if (n == 0) return SGDFIT_BAD_ARGUMENT;
    (void)sgdfit_priv_take(&arena, n, sizeof(sgdfit_priv_residual));
    return sgdfit_priv_answer(&arena, bytes);
}

/* How many different sets there are; sorts r[n] by them. */
static size_t sgdfit_priv_count_sets(sgdfit_priv_residual *r, size_t n)
{
    size_t sets = n > 0 ? 1 : 0, i;
    sgdfit_priv_sort(r, n, sizeof r[0], sgdfit_priv_set_before, NULL);
    for (i = 1; i < n; i++) sets += r[i].set != r[i - 1].set;
    SGDFIT_ASSERT(sets <= n);
    return sets;
}

SGDFIT_API sgdfit_status sgdfit_conformal(const double *predicted, const double *measured,
                                          const uint32_t *set, const uint32_t *without,
                                          size_t n, double level, void *work,
                                          size_t work_bytes, sgdfit_band *out)
{
    sgdfit_priv_residual *r = (sgdfit_priv_residual *)work;
    size_t need = 0, rows = 0, i;
    double rank;
    sgdfit_band band;
    sgdfit_status status = sgdfit_conformal_bytes(n, &need);
    if (status != SGDFIT_OK) return status;
    if (!predicted || !measured || !out || (without && !set)) return SGDFIT_BAD_ARGUMENT;
    if (!(level > 0.0 && level < 1.0)) return SGDFIT_BAD_ARGUMENT;
    status = sgdfit_priv_check_work(work, work_bytes, need);
    if (status != SGDFIT_OK) return status;
    for (i = 0; i < n; i++) {
        if (without && set[i] == *without) continue;
        if (!sgdfit_priv_is_rate(predicted[i]) || !sgdfit_priv_is_rate(measured[i]))
            return SGDFIT_BAD_ARGUMENT;
        r[rows].size = fabs(measured[i] / predicted[i] - 1.0);
        r[rows++].set = set ? set[i] : 0;
    }
    if (rows == 0) return SGDFIT_BAD_ARGUMENT;
    band.rows = rows;
    band.sets = set ? sgdfit_priv_count_sets(r, rows) : rows;
    band.level = level;
    if (set)
        band.level = 1.0 - (1.0 - level) * (double)band.sets / ((double)band.sets + 1.0);
    sgdfit_priv_sort(r, rows, sizeof r[0], sgdfit_priv_residual_before, NULL);
    rank = ceil(((double)rows + 1.0) * band.level * (1.0 - 1e-12));
    SGDFIT_ASSERT(rank >= 1.0 && band.level >= level);
    band.half_width = rank <= (double)rows ? r[(size_t)rank - 1].size : HUGE_VAL;
    *out = band;
    return SGDFIT_OK;
}

SGDFIT_API sgdfit_status sgdfit_coverage(const double *predicted, const double *measured,
                                         const uint32_t *set, size_t n, double level,
                                         void *work, size_t work_bytes,
                                         sgdfit_coverage_result *out)
{
    sgdfit_coverage_result sum;
    size_t i, k;
    memset(&sum, 0, sizeof sum);
    if (!set || !out) return SGDFIT_BAD_ARGUMENT;
    for (i = 0; i < n; i++) {
        sgdfit_band band;
        sgdfit_status status;
        for (k = 0; k < i && set[k] != set[i]; k++) {}
        if (k < i) continue;               /* this set has had its turn */
        status = sgdfit_conformal(predicted, measured, set, &set[i], n, level, work,
                                  work_bytes, &band);
        if (status != SGDFIT_OK) return status;
        if (!(band.half_width <= DBL_MAX)) continue;
        for (k = i; k < n; k++) {
            if (set[k] != set[i]) continue;
            sum.rows++;
            sum.half_width += band.half_width;
            sum.covered += fabs(measured[k] / predicted[k] - 1.0) <= band.half_width;
        }
    }
    if (sum.rows == 0) return SGDFIT_BAD_ARGUMENT;
    SGDFIT_ASSERT(sum.covered <= sum.rows);
    sum.half_width /= (double)sum.rows;
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
