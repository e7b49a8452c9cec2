/* sgdperf_forecast.h - v0.1.0 - forecasts the speeds of workers - C99, one file
 *
 *   Predicts the speed of a worker in its next iteration from the worker's earlier speeds
 *   and its use of CPU and memory. A load balancer sets batches by such predictions.
 *   Methods: the last speed, an exponential mean, ARIMA, recurrent networks (RNN, LSTM),
 *   NARX, and linear regression (ARX), which can be added to a network.
 *
 * USE
 *   In exactly one C or C++ file:
 *       #define SGDPERF_FORECAST_IMPLEMENTATION
 *       #include "sgdperf_forecast.h"
 *   Everywhere else include it plainly; including it twice is harmless.
 *   SGDPERF_FORECAST_STATIC, defined in that one file, keeps every symbol private to it.
 *   Link with -lm.
 *
 * EXAMPLE   another task takes half of a machine in three of seven iterations
 *       static double work[2048];
 *       sgdfc_config config = {0};
 *       sgdfc_forecaster *f;
 *       double cpu, foreseen = 0, error = 0;
 *       int k;
 *       config.kind = SGDFC_ARX;  config.train = 20;
 *       if (sgdfc_open(&config, work, sizeof work, &f) != SGDFC_OK) return 1;
 *       for (k = 0; k < 40; k++) {
 *           cpu = k % 7 < 3 ? 0.5 : 1.0;      // known as the iteration begins
 *           if (k > 0) sgdfc_predict(f, cpu, 0, &foreseen);
 *           if (k > 20 && foreseen - 80 * cpu > error) error = foreseen - 80 * cpu;
 *           sgdfc_observe(f, 80 * cpu, cpu, 0);
 *       }
 *       printf("%.1f samples/s, wrong by %.1f at most\n", foreseen, error);
 *       // 80.0 samples/s, wrong by 0.0 at most
 *
 * CONTENTS
 *   Status            sgdfc_status_text
 *   Kinds             sgdfc_weights  sgdfc_rows
 *   Forecasters       sgdfc_open, _predict, _observe, _learned
 *   Series            sgdfc_run
 *   Library           sgdfc_version  sgdfc_struct_bytes
 *
 * CONVENTIONS
 *   Words     a row is one iteration of one worker. Speeds are in samples per second, or
 *             in any unit that is the same in all rows. n is config.train, the number of
 *             rows that a forecaster learns from.
 *   Defaults  zero every struct; a field left 0 or NULL takes its default.
 *
 *   Memory    nothing is allocated or kept. A work area is (work, work_bytes), aligned
 *             for double; sgdfc_bytes() tells its size. Only inputs may alias.
 *
 *   Errors    bad input returns a status, listed after STATUSES, and writes no output.
 *             SGDFC_ASSERT checks only the library's own invariants.
 *
 *   Threads   no globals: calls with distinct work and out may run at once.
 *   Floats    IEEE 754 double. With -ffp-contract=off and without -ffast-math results
 *             have the same bits on every platform, except that networks use the
 *             platform's tanh.
 *
 * CONFIGURE   define beforehand: SGDPERF_FORECAST_STATIC, SGDFC_API, SGDFC_ASSERT(x)
 * REFERENCES (cited by key), HISTORY and LICENSE are at the end of this file.
 */
#ifndef SGDPERF_FORECAST_H
#define SGDPERF_FORECAST_H

#define SGDPERF_FORECAST_VERSION_MAJOR 0
#define SGDPERF_FORECAST_VERSION_MINOR 1
#define SGDPERF_FORECAST_VERSION_PATCH 0
#define SGDPERF_FORECAST_VERSION                                                     \
    (SGDPERF_FORECAST_VERSION_MAJOR * 10000 + SGDPERF_FORECAST_VERSION_MINOR * 100 + \
     SGDPERF_FORECAST_VERSION_PATCH)

#include <stddef.h>
#include <stdint.h>
#if defined(SGDFC_API)
#elif !defined(SGDPERF_FORECAST_STATIC)
#define SGDFC_API extern
#elif defined(__GNUC__)
#define SGDFC_API static __attribute__((unused))
#else
#define SGDFC_API static
#endif
#ifdef __cplusplus
extern "C" {
#endif

/* ---- Status ---------------------------------------------------------------- */

/* Status codes, each with its text. The first six have the same numbers in all sgdperf
 * headers. No function of this header returns SGDFC_NOT_CONVERGED or
 * SGDFC_OVER_BUDGET. */
#define SGDFC_STATUS_TABLE(X)                                                        \
    X(SGDFC_OK, "success")                                                           \
    X(SGDFC_BAD_ARGUMENT, "null pointer, zero size, or value out of domain")         \
    X(SGDFC_TOO_LARGE, "a size exceeds the address space, or 32 bits")               \
    X(SGDFC_SMALL_WORKSPACE, "work_bytes smaller than the _bytes() answer")          \
    X(SGDFC_NOT_CONVERGED, "iteration limit reached before the tolerance")           \
    X(SGDFC_OVER_BUDGET, "exceeds the allowed operations or bytes")                  \
    X(SGDFC_SHORT_SERIES, "fewer iterations than a prediction needs")                \
    X(SGDFC_BAD_ROW, "a speed, or use of CPU or memory, is out of range")

#define SGDFC_X(name, text) name,
typedef enum sgdfc_status {
    SGDFC_STATUS_TABLE(SGDFC_X) SGDFC_STATUS_COUNT
} sgdfc_status;
#undef SGDFC_X

/* Returns the text of a status, such as "success"; "no such value" if out of range. */
SGDFC_API const char *sgdfc_status_text(sgdfc_status status);

/* ---- Kinds ----------------------------------------------------------------- */

/* Kinds of forecasters. Each predicts v[k], the speed of a worker in iteration k, from
 * the earlier speeds v[k-1], v[k-2] and so on.
 *
 * NARX AND ARX also read c, the use of CPU on the worker's machine, and m, the use of
 * memory. They read both for iterations k, k-1 and k-2. c[k] and m[k] are known when
 * iteration k begins [CWWLL20, 3.2]. c and m are >= 0, in any constant unit, such as the
 * fraction that other programs use. */
typedef enum sgdfc_kind {
    SGDFC_MEMORYLESS = 0,          /* predicts v[k-1]                                 */
    SGDFC_EMA,                     /* mean of v[0..k-1] with weights that decrease    */
                                   /*   exponentially                                 */
    SGDFC_ARIMA,                   /* ARIMA(2,2,1): the second difference w[k] of v   */
                                   /*   is c0 + a1 w[k-1] + a2 w[k-2] + b e[k-1] +    */
                                   /*   e[k], where e are the errors                  */
    SGDFC_RNN,                     /* recurrent network of 16 tanh units and a linear */
                                   /*   output; reads v[k-2], then v[k-1]             */
    SGDFC_LSTM,                    /* as RNN, of 16 units with long short-term memory */
    SGDFC_NARX,                    /* network of 10 tanh units and a linear output;   */
                                   /*   reads v[k-1], v[k-2], c[k..k-2], m[k..k-2]    */
    SGDFC_ARX,                     /* linear function of a constant and of what NARX  */
                                   /*   reads                                         */
    SGDFC_KIND_COUNT
} sgdfc_kind;

/* Kind and options of a forecaster. A network is an RNN, LSTM or NARX. A line is a linear
 * function beside a network: the prediction is the line plus the network's output. */
typedef struct sgdfc_config {
    uint32_t train;                /* n, rows to learn from, >= 10; 0: 500            */
    sgdfc_kind kind;
    double   smoothing;            /* EMA: weight of the newest speed, at most 1; 0:  */
                                   /*   0.2                                           */
    uint32_t epochs;               /* most epochs of a network's training, or most    */
                                   /*   steps of ARIMA's; 0: 200                      */
    uint64_t seed;                 /* any number; sets a network's first weights and  */
                                   /*   the shuffles of rows                          */
    const double *start;           /* [sgdfc_weights] networks, ARIMA: first weights, */
                                   /*   such as those learned for another worker;     */
                                   /*   NULL: default ones                            */
    int      no_line;              /* 1: a network without a line; 0: with a line     */
    int      unclamped;            /* 1: a network reads numbers beyond its           */
                                   /*   training's range; 0: such numbers are set to  */
                                   /*   the ends of the range                         */
} sgdfc_config;

/* Returns the number of weights that a kind of forecaster learns. Weights apply to
 * standardised numbers, so those learned for one worker can start the training for
 * another. v is speed, c use of CPU, m use of memory in iteration k. By kind, the number
 * and the order of the weights:
 *   ARIMA  4     c0, a1, a2, b of the formula of ARIMA
 *   ARX    9     of v[k-1], v[k-2], c[k..k-2], m[k..k-2], then the constant
 *   NARX   110   of the neural network, then of its linear part, in the order of ARX
 *   RNN    308   of the neural network, then of its linear part: v[k-2], v[k-1], constant
 *   LSTM   1172  as RNN;  other kinds  0 */
SGDFC_API size_t sgdfc_weights(sgdfc_kind kind);

/* Returns the number of rows that sgdfc_run needs: config->train + 20 for kinds that
 * learn, 1 for other kinds. Returns 0 if config is NULL, or if its kind or `train` is out
 * of range. */
SGDFC_API uint64_t sgdfc_rows(const sgdfc_config *config);

/* ---- Forecasters ----------------------------------------------------------- */

/* A forecaster predicts the speeds of one worker during a training loop:
 *
 *     sgdfc_open(&config, work, work_bytes, &p);
 *     and in every iteration:
 *     sgdfc_predict(p, cpu, memory, &speed);    when the iteration begins
 *     sgdfc_observe(p, speed, cpu, memory);     when the iteration has ended
 *
 * TRAINING  Kinds that learn predict by an exponential mean (EMA) until n rows
 * (config.train) are observed. The n-th observation trains them, once, on all n rows.
 * Numbers are standardised: their mean over the n rows is subtracted, then they are
 * divided by their standard deviation (by 1 if it is 0). If all n speeds are equal,
 * nothing is learned, and EMA goes on.
 *
 * ARX, a linear function, is fitted by least squares (QR). If inputs are linearly
 * dependent, the fit minimises the mean squared error plus 1e-9 times the sum of squared
 * weights.
 *
 * RNN, LSTM AND NARX  First a line, a linear function of the inputs, is fitted as in ARX.
 * Then the network learns the line's errors. At last the line is fitted anew, to the
 * network's errors on all n rows.
 *
 * START of a network  Weights are uniform in +-1/sqrt(inputs of the unit). If the network
 * has a line, the weights of its output start at 0.
 *
 * EPOCHS of a network  The last 15 % of the rows are for validation. The others are
 * shuffled in each epoch. Adam [KB15] minimises the squared error in batches of 32 rows,
 * with rate 0.01 and decays 0.9 and 0.999.
 *
 * END of a network's training: it stops after 10 epochs in a row that do not lower the
 * validation error by 1e-5. The weights with the smallest validation error are kept.
 *
 * ARIMA minimises the sum of squared errors e; the first two second differences have e =
 * 0. Gauss-Newton steps with Levenberg's damping start from a1, a2, b = -0.3, -0.1, -0.5
 * and c0 = 0 (see SGDFC_ARIMA). Bounds: |a1|, |a2| <= 2 and |b| <= 0.999.
 *
 * LIMITS  A network knows nothing beyond the range of the numbers of its training. A
 * number beyond is set to the nearest end of the range, unless config.unclamped is 1;
 * only the line (see sgdfc_config) extrapolates. Without a line (our addition) a network
 * can be worse than EMA when a worker is busier than ever before. Predictions may be
 * negative. */
typedef struct sgdfc_forecaster sgdfc_forecaster;

/* Opens a forecaster in the work area, and writes its address to *out. The config and its
 * start weights are copied.
 *
 * WORK AREA  40 bytes per weight, and for each of config->train rows about 110 bytes
 * (NARX, ARX), 44 (RNN, LSTM) or 16 (ARIMA). sgdfc_bytes tells the size.
 *
 * STATUSES
 *   SGDFC_BAD_ARGUMENT     config is invalid; a start weight is above 1e70; start weights
 *                          are given for a kind that takes none
 *   SGDFC_TOO_LARGE        a size overflows
 *   SGDFC_SMALL_WORKSPACE  work_bytes is too small */
SGDFC_API sgdfc_status sgdfc_open(const sgdfc_config *config, void *work,
                                  size_t work_bytes, sgdfc_forecaster **out);
SGDFC_API sgdfc_status sgdfc_bytes(const sgdfc_config *config, size_t *bytes);

/* Predicts the speed of the iteration that begins. cpu and memory tell how much CPU and
 * memory is in use in this iteration, 0 to 1e70. Only NARX and ARX read them. O(weights).
 * STATUSES  SGDFC_SHORT_SERIES: nothing was observed yet. SGDFC_BAD_ROW: cpu or memory is
 * out of range. SGDFC_BAD_ARGUMENT: a pointer is NULL. */
SGDFC_API sgdfc_status sgdfc_predict(sgdfc_forecaster *p, double cpu, double memory,
                                     double *speed);

/* Records the iteration that has ended: its speed, and how much CPU and memory was in
 * use, each 0 to 1e70. Only NARX and ARX read cpu and memory.
 *
 * COST  O(1). Observation number n = config->train also trains the forecaster: O(n) for
 * ARX, O(epochs n) for ARIMA, O(epochs n weights) for networks.
 * STATUSES  SGDFC_BAD_ROW: a number that is read is out of range. SGDFC_BAD_ARGUMENT: p
 * is NULL. */
SGDFC_API sgdfc_status sgdfc_observe(sgdfc_forecaster *p, double speed, double cpu,
                                     double memory);

/* Writes what a forecaster has learned. Each output may be NULL:
 *   weights[sgdfc_weights]  the weights
 *   *epochs                 number of epochs run (ARIMA: number of steps)
 *   *clamped                number of predictions for which an input of the network was
 *                           set to an end of its range
 * STATUSES  SGDFC_SHORT_SERIES: nothing has been learned yet. SGDFC_BAD_ARGUMENT: p is
 * NULL. */
SGDFC_API sgdfc_status sgdfc_learned(const sgdfc_forecaster *p, double *weights,
                                     uint32_t *epochs, size_t *clamped);

/* ---- Series ---------------------------------------------------------------- */

/* A recorded series of rows, the input of sgdfc_run. */
typedef struct sgdfc_series {
    const double *speed;           /* [rows] speeds, 0 to 1e70                        */
    const double *cpu, *memory;    /* [rows] use of CPU, of memory, 0 to 1e70; NULL:  */
                                   /*   unknown; NARX and ARX need both               */
    size_t        rows;            /* number of rows                                  */
} sgdfc_series;

/* Result of sgdfc_run. The caller sets the two pointers. */
typedef struct sgdfc_result {
    double  *predicted;            /* [rows] speeds; row 0 is as observed. NULL: not  */
                                   /*   wanted                                        */
    double  *weights;              /* [sgdfc_weights] learned weights; zeros: nothing */
                                   /*   was learned. NULL: not wanted                 */
    double   rmse;                 /* root mean squared error of the scored rows, as  */
                                   /*   a speed; 0: none are scored                   */
    size_t   rows_scored;          /* number of scored rows, those from first_scored  */
    size_t   first_scored;         /* first scored row: train + 10, but 1 for fewer   */
                                   /*   than train + 20 rows                          */
    size_t   clamped;              /* number of rows predicted from a number that was */
                                   /*   set to an end of its range                    */
    uint32_t epochs;               /* epochs of training; ARIMA: steps                */
} sgdfc_result;

/* Predicts each row of a series from the rows before it, as a training loop would. The
 * work area is that of sgdfc_open.
 * STATUSES  Those of sgdfc_open. SGDFC_SHORT_SERIES: fewer rows than sgdfc_rows tells.
 * SGDFC_BAD_ARGUMENT: a pointer is NULL, or NARX or ARX lacks cpu or memory.
 *
 * SGDFC_BAD_ROW  A number is out of range, even one that config->kind does not read.
 * *bad_row, if not NULL, receives the number of the row. */
SGDFC_API sgdfc_status sgdfc_run(const sgdfc_config *config, const sgdfc_series *series,
                                 void *work, size_t work_bytes, size_t *bad_row,
                                 sgdfc_result *out);

/* ---- Library --------------------------------------------------------------- */

/* Returns the SGDPERF_FORECAST_VERSION of the compiled implementation. A program that
 * loads a shared library compares the result with the version of its own header.
 *
 * EXPORTS  To export or import the functions, define SGDFC_API before every inclusion of
 * the header, as __attribute__((visibility("default"))) or __declspec(dllimport). */
SGDFC_API int sgdfc_version(void);

/* Returns the size in bytes of the public struct called `name`, as compiled. Returns 0 if
 * there is no such struct. A binding in another language can check its own size by it. */
SGDFC_API size_t sgdfc_struct_bytes(const char *name);

#define SGDFC_STRUCT_TABLE(X) X(sgdfc_config) X(sgdfc_series) X(sgdfc_result)

#ifdef __cplusplus
}
#endif
#endif /* SGDPERF_FORECAST_H */

#if defined(SGDPERF_FORECAST_IMPLEMENTATION) && !defined(SGDPERF_FORECAST_IMPLEMENTED)
#define SGDPERF_FORECAST_IMPLEMENTED
/* ============================================================================
 *   IMPLEMENTATION
 *   Contents of the code below: chapters, each with its parts in their order.
 *   Common block      texts, checks, arena, random numbers, Student's t, heap sort
 *   Kinds
 *   Forecasters       networks, the state, standardised rows, lines, training of
 *                     networks, ARIMA, row by row
 *   Series
 * ==========================================================================*/

#ifndef SGDFC_ASSERT
#include <assert.h>
#define SGDFC_ASSERT(x) assert(x)
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
static inline const char *sgdfc_priv_text(const char *const *text, size_t count,
                                          size_t i)
{
    return i < count ? text[i] : "no such value";
}

SGDFC_API const char *sgdfc_status_text(sgdfc_status status)
{
#define SGDFC_X(name, text) text,
    static const char *const text[] = { SGDFC_STATUS_TABLE(SGDFC_X) };
#undef SGDFC_X
    return sgdfc_priv_text(text, SGDFC_STATUS_COUNT, (size_t)status);
}

SGDFC_API int sgdfc_version(void) { return SGDPERF_FORECAST_VERSION; }

SGDFC_API size_t sgdfc_struct_bytes(const char *name)
{
#define SGDFC_X(type) { #type, sizeof(type) },
    static const struct { const char *name; size_t bytes; } known[] = {
        SGDFC_STRUCT_TABLE(SGDFC_X) };
#undef SGDFC_X
    size_t i;
    for (i = 0; name && i < sizeof known / sizeof known[0]; i++)
        if (strcmp(known[i].name, name) == 0) return known[i].bytes;
    return 0;
}

/* A time is finite and >= 0, a rate finite and > 0. NaN is neither, as it fails every
 * comparison. Ranges are tested because -ffast-math may take isfinite for true. */
static inline int sgdfc_priv_is_time(double x) { return x >= 0.0 && x <= DBL_MAX; }
static inline int sgdfc_priv_is_rate(double x) { return x > 0.0 && x <= DBL_MAX; }

/* True if a equals b. Written without ==, so that -Wfloat-equal finds mistakes. */
static inline int sgdfc_priv_same(double a, double b) { return a <= b && a >= b; }

/* Divides the caller's work area into arrays. With base NULL it only counts bytes, so one
 * routine both answers ..._bytes() and lays out the work area. */
typedef struct sgdfc_priv_arena {
    char  *base;
    size_t used;
    int    overflow;
} sgdfc_priv_arena;

static inline sgdfc_priv_arena sgdfc_priv_arena_at(void *base)
{
    sgdfc_priv_arena arena;
    arena.base = (char *)base;
    arena.used = 0;
    arena.overflow = 0;
    return arena;
}

#ifndef SGDFC_PRIV_TAKEN
#define SGDFC_PRIV_TAKEN(arena, at, bytes) ((void)0)  /* of tests/gaps.h */
#endif
/* Takes `count` elements of `size` bytes, aligned for double. NULL while counting. */
static inline void *sgdfc_priv_take(sgdfc_priv_arena *arena, size_t count, size_t size)
{
    const size_t limit = (size_t)-1 / sizeof(double) * sizeof(double), at = arena->used;
    SGDFC_ASSERT(size > 0 && at % sizeof(double) == 0);
    if (arena->overflow || count > (limit - at) / size) {
        arena->overflow = 1;
        return NULL;
    }
    arena->used = (at + count * size + sizeof(double) - 1) / sizeof(double);
    arena->used *= sizeof(double);
    SGDFC_PRIV_TAKEN(arena, at, count * size);
    return arena->base ? arena->base + at : NULL;
}

static inline double *sgdfc_priv_doubles(sgdfc_priv_arena *arena, size_t count)
{
    return (double *)sgdfc_priv_take(arena, count, sizeof(double));
}

/* Answers a ..._bytes() from an arena that has counted. */
static inline sgdfc_status sgdfc_priv_answer(const sgdfc_priv_arena *arena,
                                             size_t *bytes)
{
    if (!bytes) return SGDFC_BAD_ARGUMENT;
    if (arena->overflow) return SGDFC_TOO_LARGE;
    *bytes = arena->used;
    return SGDFC_OK;
}

/* Checks that the caller's work area is not NULL, is aligned, and is large enough. */
static inline sgdfc_status sgdfc_priv_check_work(const void *work, size_t work_bytes,
                                                 size_t need)
{
    if (need == 0) return SGDFC_OK;
    if (!work || (uintptr_t)work % sizeof(double) != 0) return SGDFC_BAD_ARGUMENT;
    return work_bytes < need ? SGDFC_SMALL_WORKSPACE : SGDFC_OK;
}

/* The mixing function of SplitMix64 [SLF14]: 64 random bits that depend only on x. */
static inline uint64_t sgdfc_priv_mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* 64 random bits that depend only on (seed, a, b). There is no state: a draw does not
 * depend on the draws before it. */
static inline uint64_t sgdfc_priv_random(uint64_t seed, uint64_t a, uint64_t b)
{
    return sgdfc_priv_mix(sgdfc_priv_mix(sgdfc_priv_mix(seed) ^ a) ^ b);
}

/* Uniform in [0, 1): the upper 53 of the random bits. */
static inline double sgdfc_priv_uniform(uint64_t random)
{
    return (double)(random >> 11) / 9007199254740992.0;
}

/* Two-sided 95 % point of Student's t. Beyond the table: the expansion of Cornish and
 * Fisher in 1 / degrees [AS64, 26.7.5], with a relative error below 1e-7. */
static inline double sgdfc_priv_student95(uint64_t degrees)
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
    SGDFC_ASSERT(degrees >= 1);
    if (degrees <= sizeof table / sizeof table[0]) return table[degrees - 1];
    return x + (g1 + (g2 + (g3 + g4 / v) / v) / v) / v;
}

/* Largest size of an element that sgdfc_priv_sort can sort, in bytes. */
#define SGDFC_PRIV_SORTED_BYTES 32

/* Tells whether element a comes before element b. */
typedef int (*sgdfc_priv_sort_order)(const void *ctx, const void *a, const void *b);

static inline void sgdfc_priv_swap(char *a, char *b, size_t size)
{
    char held[SGDFC_PRIV_SORTED_BYTES];
    memcpy(held, a, size);
    memcpy(a, b, size);
    memcpy(b, held, size);
}

/* Sinks element `at` to its place in the heap base[n]. The top of the heap is the
 * element that comes last in order. */
static inline void sgdfc_priv_sort_sink(char *base, size_t at, size_t n, size_t size,
                                        sgdfc_priv_sort_order before, const void *ctx)
{
    while (at < n / 2) {                   /* while `at` has a child */
        char *here = base + at * size, *child = base + (2 * at + 1) * size;
        if (2 * at + 2 < n && before(ctx, child, child + size)) child += size;
        if (!before(ctx, here, child)) return;
        sgdfc_priv_swap(here, child, size);
        at = (size_t)(child - base) / size;
    }
}

/* Heap sort in place: O(n log n) for every order of the input. qsort may call malloc. */
static inline void sgdfc_priv_sort(void *elements, size_t n, size_t size,
                                   sgdfc_priv_sort_order before, const void *ctx)
{
    char *base = (char *)elements;
    size_t i;
    SGDFC_ASSERT(size <= SGDFC_PRIV_SORTED_BYTES);
    for (i = 1; i < n; i++)
        if (before(ctx, base + i * size, base + (i - 1) * size)) break;
    if (i >= n) return;                    /* already in order, as logs often are */
    for (i = n / 2; i-- > 0;) sgdfc_priv_sort_sink(base, i, n, size, before, ctx);
    for (i = n; i-- > 1;) {
        sgdfc_priv_swap(base, base + i * size, size);
        sgdfc_priv_sort_sink(base, 0, i, size, before, ctx);
    }
}
/* ---- End of the Common block ------------------------------------------------------ */

/* ---- Kinds ----------------------------------------------------------------------- */

enum {
    SGDFC_PRIV_HIDDEN = 10,        /* units of NARX                                   */
    SGDFC_PRIV_INPUTS = 8,         /* inputs of NARX and ARX                          */
    SGDFC_PRIV_UNITS = 16,         /* units of RNN and LSTM                           */
    SGDFC_PRIV_GATE = SGDFC_PRIV_UNITS * (SGDFC_PRIV_UNITS + 2),  /* weights of a gate */
    SGDFC_PRIV_TERMS = SGDFC_PRIV_INPUTS + 1,   /* most terms of a line               */
    SGDFC_PRIV_ARIMA = 4,          /* c0, a1, a2, b                                   */
    SGDFC_PRIV_MINI = 32,          /* rows of a mini-batch                            */
    SGDFC_PRIV_PATIENCE = 10       /* epochs without progress                         */
};

/* Numbers that are squared and added up are within these limits, or 0. */
#define SGDFC_PRIV_LEAST 1e-70
#define SGDFC_PRIV_MOST 1e70

/* Number of weights of the network of a kind. */
static size_t sgdfc_priv_network_weights(sgdfc_kind kind)
{
    switch (kind) {
    case SGDFC_RNN:  return SGDFC_PRIV_GATE + SGDFC_PRIV_UNITS + 1;
    case SGDFC_LSTM: return 4 * SGDFC_PRIV_GATE + SGDFC_PRIV_UNITS + 1;
    case SGDFC_NARX: return SGDFC_PRIV_HIDDEN * (SGDFC_PRIV_INPUTS + 2) + 1;
    case SGDFC_MEMORYLESS:
    case SGDFC_EMA:
    case SGDFC_ARIMA:
    case SGDFC_ARX:
    case SGDFC_KIND_COUNT:
    default: return 0;
    }
}

static int sgdfc_priv_is_network(sgdfc_kind kind)
{
    return sgdfc_priv_network_weights(kind) > 0;
}

static int sgdfc_priv_uses_usage(sgdfc_kind kind)
{
    return kind == SGDFC_NARX || kind == SGDFC_ARX;
}

/* Number of inputs of a network or of ARX. */
static size_t sgdfc_priv_input_count(sgdfc_kind kind)
{
    return sgdfc_priv_uses_usage(kind) ? SGDFC_PRIV_INPUTS : 2;
}

SGDFC_API size_t sgdfc_weights(sgdfc_kind kind)
{
    if (kind == SGDFC_ARIMA) return SGDFC_PRIV_ARIMA;
    if (kind != SGDFC_ARX && !sgdfc_priv_is_network(kind)) return 0;
    return sgdfc_priv_network_weights(kind) + sgdfc_priv_input_count(kind) + 1;
}

static int sgdfc_priv_learns(sgdfc_kind kind)
{
    return sgdfc_weights(kind) > 0;
}

/* n, or 0 if it is out of domain. */
static uint32_t sgdfc_priv_train_rows(const sgdfc_config *config)
{
    if (config->train == 0) return 500;
    return config->train >= 10 ? config->train : 0;
}

SGDFC_API uint64_t sgdfc_rows(const sgdfc_config *config)
{
    uint32_t n;
    if (!config || (unsigned)config->kind >= (unsigned)SGDFC_KIND_COUNT)
        return 0;
    n = sgdfc_priv_train_rows(config);
    if (n == 0) return 0;
    return sgdfc_priv_learns(config->kind) ? (uint64_t)n + 20 : 1;
}

/* Is this a valid number of a row? False for NaN. */
static int sgdfc_priv_is_measure(double x)
{
    return x >= 0.0 && x <= SGDFC_PRIV_MOST;
}

/* ---- Forecasters: networks ------------------------------------------------------- */

/* Each network returns its output for standardised inputs x. Unless gradient is NULL, it
 * adds there the derivatives of (output - target)^2 by the weights. Matrices are stored
 * by the unit they come from, so inner loops run over the units they lead to. */

/* Output = sum_i w[i] h[i] + w[count]. */
static double sgdfc_priv_output(const double *w, const double *h, size_t count)
{
    double y = w[count];
    size_t i;
    for (i = 0; i < count; i++) y += w[i] * h[i];
    return y;
}

/* Adds the gradient of the output for its derivative dy. dh receives the derivatives by
 * h, and may be h itself. */
static void sgdfc_priv_output_back(const double *w, const double *h, size_t count,
                                   double dy, double *gradient, double *dh)
{
    size_t i;
    for (i = 0; i < count; i++) {
        gradient[i] += dy * h[i];
        dh[i] = dy * w[i];
    }
    gradient[count] += dy;
}

/* Weights: inputs to units, biases, output. */
static double sgdfc_priv_narx(const double *w, const double *x, double target,
                              double *gradient)
{
    const size_t bias = (size_t)SGDFC_PRIV_INPUTS * SGDFC_PRIV_HIDDEN;
    const size_t out = bias + SGDFC_PRIV_HIDDEN;
    double h[SGDFC_PRIV_HIDDEN], da[SGDFC_PRIV_HIDDEN], y;
    size_t i, j;
    SGDFC_ASSERT(out + SGDFC_PRIV_HIDDEN + 1 ==
                 sgdfc_priv_network_weights(SGDFC_NARX));
    for (i = 0; i < SGDFC_PRIV_HIDDEN; i++) h[i] = w[bias + i];
    for (j = 0; j < SGDFC_PRIV_INPUTS; j++)
        for (i = 0; i < SGDFC_PRIV_HIDDEN; i++)
            h[i] += w[j * SGDFC_PRIV_HIDDEN + i] * x[j];
    for (i = 0; i < SGDFC_PRIV_HIDDEN; i++) h[i] = tanh(h[i]);
    y = sgdfc_priv_output(w + out, h, SGDFC_PRIV_HIDDEN);
    if (!gradient) return y;
    sgdfc_priv_output_back(w + out, h, SGDFC_PRIV_HIDDEN, 2.0 * (y - target),
                           gradient + out, da);
    for (i = 0; i < SGDFC_PRIV_HIDDEN; i++) {
        da[i] *= 1.0 - h[i] * h[i];
        gradient[bias + i] += da[i];
    }
    for (j = 0; j < SGDFC_PRIV_INPUTS; j++)
        for (i = 0; i < SGDFC_PRIV_HIDDEN; i++)
            gradient[j * SGDFC_PRIV_HIDDEN + i] += da[i] * x[j];
    return y;
}

/* The units of a recurrent layer: a[i] = w[i] x + bias[i] + sum_j u[j][i] h[j]. Weights
 * are stored in this order. h = NULL: the first step. */
static void sgdfc_priv_gate(const double *w, double x, const double *h, double *a)
{
    const double *u = w + (size_t)2 * SGDFC_PRIV_UNITS;
    size_t i, j;
    for (i = 0; i < SGDFC_PRIV_UNITS; i++)
        a[i] = w[i] * x + w[SGDFC_PRIV_UNITS + i];
    for (j = 0; h && j < SGDFC_PRIV_UNITS; j++)
        for (i = 0; i < SGDFC_PRIV_UNITS; i++)
            a[i] += u[j * SGDFC_PRIV_UNITS + i] * h[j];
}

/* For derivatives da by a: adds the gradient and, unless h is NULL, the part of dh. */
static void sgdfc_priv_gate_back(const double *w, double x, const double *h,
                                 const double *da, double *gradient, double *dh)
{
    const size_t at = (size_t)2 * SGDFC_PRIV_UNITS;
    size_t i, j;
    for (i = 0; i < SGDFC_PRIV_UNITS; i++) {
        gradient[i] += da[i] * x;
        gradient[SGDFC_PRIV_UNITS + i] += da[i];
    }
    for (j = 0; h && j < SGDFC_PRIV_UNITS; j++) {
        const double *u = w + at + j * SGDFC_PRIV_UNITS;
        double *du = gradient + at + j * SGDFC_PRIV_UNITS, sum = 0.0;
        for (i = 0; i < SGDFC_PRIV_UNITS; i++) du[i] += da[i] * h[j];
        for (i = 0; i < SGDFC_PRIV_UNITS; i++) sum += da[i] * u[i];
        dh[j] += sum;
    }
}

/* Weights: the recurrent layer, output. */
static double sgdfc_priv_rnn(const double *w, const double *x, double target,
                             double *gradient)
{
    double h[2][SGDFC_PRIV_UNITS], da[2][SGDFC_PRIV_UNITS], y;
    size_t i, t;
    for (t = 0; t < 2; t++) {
        sgdfc_priv_gate(w, x[t], t > 0 ? h[0] : NULL, h[t]);
        for (i = 0; i < SGDFC_PRIV_UNITS; i++) h[t][i] = tanh(h[t][i]);
    }
    SGDFC_ASSERT(!(fabs(h[0][0]) > 1.0) && !(fabs(h[1][0]) > 1.0));
    y = sgdfc_priv_output(w + SGDFC_PRIV_GATE, h[1], SGDFC_PRIV_UNITS);
    if (!gradient) return y;
    sgdfc_priv_output_back(w + SGDFC_PRIV_GATE, h[1], SGDFC_PRIV_UNITS,
                           2.0 * (y - target), gradient + SGDFC_PRIV_GATE, da[1]);
    for (i = 0; i < SGDFC_PRIV_UNITS; i++) {
        da[1][i] *= 1.0 - h[1][i] * h[1][i];
        da[0][i] = 0.0;
    }
    sgdfc_priv_gate_back(w, x[1], h[0], da[1], gradient, da[0]);
    for (i = 0; i < SGDFC_PRIV_UNITS; i++) da[0][i] *= 1.0 - h[0][i] * h[0][i];
    sgdfc_priv_gate_back(w, x[0], NULL, da[0], gradient, NULL);
    return y;
}

/* LSTM: h = o tanh(c), c = f c_before + i g. g is a tanh of the input and h_before; the
 * gates i, f and o are logistic functions of them. */
enum {
    SGDFC_PRIV_I,
    SGDFC_PRIV_F,
    SGDFC_PRIV_G,
    SGDFC_PRIV_O,
    SGDFC_PRIV_GATES
};

typedef struct sgdfc_priv_cell {
    double gate[SGDFC_PRIV_GATES][SGDFC_PRIV_UNITS];
    double c[SGDFC_PRIV_UNITS], tanh_c[SGDFC_PRIV_UNITS], h[SGDFC_PRIV_UNITS];
} sgdfc_priv_cell;

/* before = NULL: the first step; f has nothing to forget. */
static void sgdfc_priv_cell_step(const double *w, double x,
                                 const sgdfc_priv_cell *before, sgdfc_priv_cell *now)
{
    size_t i, k;
    for (k = 0; k < SGDFC_PRIV_GATES; k++) {
        double *a = now->gate[k];
        if (k == SGDFC_PRIV_F && !before) continue;
        sgdfc_priv_gate(w + k * SGDFC_PRIV_GATE, x, before ? before->h : NULL, a);
        for (i = 0; i < SGDFC_PRIV_UNITS; i++)
            a[i] = k == SGDFC_PRIV_G ? tanh(a[i]) : 0.5 + 0.5 * tanh(0.5 * a[i]);
    }
    for (i = 0; i < SGDFC_PRIV_UNITS; i++) {
        now->c[i] = now->gate[SGDFC_PRIV_I][i] * now->gate[SGDFC_PRIV_G][i];
        if (before) now->c[i] += now->gate[SGDFC_PRIV_F][i] * before->c[i];
        now->tanh_c[i] = tanh(now->c[i]);
        now->h[i] = now->gate[SGDFC_PRIV_O][i] * now->tanh_c[i];
        SGDFC_ASSERT(!(fabs(now->h[i]) > 1.0));
    }
}

/* From dh and dc, the derivatives by h and c after this step, adds the gradient. Leaves
 * there the derivatives by h and c before the step. Both may be now->h and now->c. */
static void sgdfc_priv_cell_back(const double *w, double x,
                                 const sgdfc_priv_cell *before,
                                 const sgdfc_priv_cell *now, double *gradient, double *dh,
                                 double *dc)
{
    double da[SGDFC_PRIV_GATES][SGDFC_PRIV_UNITS];
    size_t i, k;
    for (i = 0; i < SGDFC_PRIV_UNITS; i++) {
        const double in = now->gate[SGDFC_PRIV_I][i],
                     g = now->gate[SGDFC_PRIV_G][i];
        const double o = now->gate[SGDFC_PRIV_O][i], t = now->tanh_c[i];
        const double by_c = dc[i] + dh[i] * o * (1.0 - t * t);
        SGDFC_ASSERT(!(in < 0.0) && !(in > 1.0) && !(o < 0.0) && !(o > 1.0));
        da[SGDFC_PRIV_O][i] = dh[i] * t * o * (1.0 - o);
        da[SGDFC_PRIV_I][i] = by_c * g * in * (1.0 - in);
        da[SGDFC_PRIV_G][i] = by_c * in * (1.0 - g * g);
        dh[i] = 0.0;
        if (before) {
            const double f = now->gate[SGDFC_PRIV_F][i];
            da[SGDFC_PRIV_F][i] = by_c * before->c[i] * f * (1.0 - f);
            dc[i] = by_c * f;
        }
    }
    for (k = 0; k < SGDFC_PRIV_GATES; k++) {
        if (k == SGDFC_PRIV_F && !before) continue;
        sgdfc_priv_gate_back(w + k * SGDFC_PRIV_GATE, x, before ? before->h : NULL,
                             da[k], gradient + k * SGDFC_PRIV_GATE, dh);
    }
}

/* Weights: the gates i, f, g, o, output. Derivatives by h and c take the place of h and c
 * in the last cell, so that the frame stays small. */
static double sgdfc_priv_lstm(const double *w, const double *x, double target,
                              double *gradient)
{
    const size_t out = (size_t)SGDFC_PRIV_GATES * SGDFC_PRIV_GATE;
    sgdfc_priv_cell cell[2];
    double y, *dh, *dc;
    size_t i;
    SGDFC_ASSERT(out + SGDFC_PRIV_UNITS + 1 ==
                 sgdfc_priv_network_weights(SGDFC_LSTM));
    sgdfc_priv_cell_step(w, x[0], NULL, &cell[0]);
    sgdfc_priv_cell_step(w, x[1], &cell[0], &cell[1]);
    y = sgdfc_priv_output(w + out, cell[1].h, SGDFC_PRIV_UNITS);
    if (!gradient) return y;
    dh = cell[1].h;
    dc = cell[1].c;
    sgdfc_priv_output_back(w + out, cell[1].h, SGDFC_PRIV_UNITS, 2.0 * (y - target),
                           gradient + out, dh);
    for (i = 0; i < SGDFC_PRIV_UNITS; i++) dc[i] = 0.0;
    sgdfc_priv_cell_back(w, x[1], &cell[0], &cell[1], gradient, dh, dc);
    sgdfc_priv_cell_back(w, x[0], NULL, &cell[0], gradient, dh, dc);
    return y;
}

static double sgdfc_priv_network(sgdfc_kind kind, const double *w, const double *x,
                                 double target, double *gradient)
{
    if (kind == SGDFC_NARX) return sgdfc_priv_narx(w, x, target, gradient);
    if (kind == SGDFC_RNN) return sgdfc_priv_rnn(w, x, target, gradient);
    SGDFC_ASSERT(kind == SGDFC_LSTM);
    return sgdfc_priv_lstm(w, x, target, gradient);
}

/* ---- Forecasters: the state ------------------------------------------------------ */

/* The known values of one series: speeds, CPU or memory. */
typedef struct sgdfc_priv_column {
    double *row;                   /* [n] as observed; training standardises it       */
    double  last[2];               /* [0] the last one, [1] the one before it         */
    double  mean, deviation;       /* of row                                          */
    double  low, high;             /* range of row, standardised                      */
} sgdfc_priv_column;

enum {
    SGDFC_PRIV_SPEED,
    SGDFC_PRIV_CPU,
    SGDFC_PRIV_MEMORY,
    SGDFC_PRIV_SERIES
};

struct sgdfc_forecaster {
    sgdfc_config of;               /* with defaults filled in                         */
    size_t   weights;
    size_t   network;              /* the first of them; those of the line follow     */
    size_t   inputs;               /* of network and line                             */
    uint64_t seen;                 /* number of iterations observed                   */
    int      started;              /* `weight` holds what training starts from        */
    int      trained;
    uint32_t epochs;               /* epochs run                                      */
    size_t   clamped;
    double   ema;
    sgdfc_priv_column column[SGDFC_PRIV_SERIES];
    double   w[2], e;              /* ARIMA: last two w, newest first; last e         */
    double  *weight;               /* [weights]                                       */
    double  *gradient, *best;      /* [network] used in training                      */
    double  *first, *second;       /* [network] moments of Adam                       */
    uint32_t *order;               /* [n] rows, shuffled                              */
    double  *scratch;              /* ARIMA: [n] all w. Others: [n + inputs][inputs + */
                                   /*   2] for least squares; then networks: [n] what */
                                   /*   the line leaves of the rows                   */
};

/* Number of series that a forecaster reads. */
static size_t sgdfc_priv_columns(sgdfc_kind kind)
{
    return sgdfc_priv_uses_usage(kind) ? SGDFC_PRIV_SERIES : 1;
}

/* Carves the work area: the forecaster itself comes first. */
static sgdfc_forecaster *sgdfc_priv_lay(const sgdfc_config *config, sgdfc_forecaster *p,
                                        sgdfc_priv_arena *arena)
{
    const sgdfc_kind kind = config->kind;
    const size_t n = sgdfc_priv_learns(kind) ? sgdfc_priv_train_rows(config) : 0;
    void *self = sgdfc_priv_take(arena, 1, sizeof *p);
    size_t i;
    memset(p, 0, sizeof *p);
    p->weights = sgdfc_weights(kind);
    p->network = sgdfc_priv_network_weights(kind);
    p->inputs = sgdfc_priv_input_count(kind);
    SGDFC_ASSERT(p->weights == 0 || kind == SGDFC_ARIMA ||
                 p->weights == p->network + p->inputs + 1);
    for (i = 0; i < sgdfc_priv_columns(kind); i++)
        p->column[i].row = sgdfc_priv_doubles(arena, n);
    p->weight = sgdfc_priv_doubles(arena, p->weights);
    p->gradient = sgdfc_priv_doubles(arena, p->network);
    p->best = sgdfc_priv_doubles(arena, p->network);
    p->first = sgdfc_priv_doubles(arena, p->network);
    p->second = sgdfc_priv_doubles(arena, p->network);
    if (p->network > 0)
        p->order = (uint32_t *)sgdfc_priv_take(arena, n, sizeof *p->order);
    if (p->network > 0 || kind == SGDFC_ARX)
        p->scratch = (double *)sgdfc_priv_take(arena, n + p->inputs,
                                               (p->inputs + 2) * sizeof(double));
    else
        p->scratch = sgdfc_priv_doubles(arena, n);
    return (sgdfc_forecaster *)self;
}

static sgdfc_status sgdfc_priv_check(const sgdfc_config *config)
{
    size_t i;
    if (!config || sgdfc_rows(config) == 0) return SGDFC_BAD_ARGUMENT;
    if (!(config->smoothing >= 0.0 && config->smoothing <= 1.0))
        return SGDFC_BAD_ARGUMENT;
    if (!config->start) return SGDFC_OK;
    if (!sgdfc_priv_is_network(config->kind) && config->kind != SGDFC_ARIMA)
        return SGDFC_BAD_ARGUMENT;
    for (i = 0; i < sgdfc_weights(config->kind); i++)
        if (!(fabs(config->start[i]) <= SGDFC_PRIV_MOST))
            return SGDFC_BAD_ARGUMENT;
    return SGDFC_OK;
}

SGDFC_API sgdfc_status sgdfc_bytes(const sgdfc_config *config, size_t *bytes)
{
    const sgdfc_status status = sgdfc_priv_check(config);
    sgdfc_priv_arena arena = sgdfc_priv_arena_at(NULL);
    sgdfc_forecaster lay;
    if (status != SGDFC_OK) return status;
    (void)sgdfc_priv_lay(config, &lay, &arena);
    return sgdfc_priv_answer(&arena, bytes);
}

SGDFC_API sgdfc_status sgdfc_open(const sgdfc_config *config, void *work,
                                  size_t work_bytes, sgdfc_forecaster **out)
{
    size_t need = 0;
    sgdfc_status status = sgdfc_bytes(config, &need);
    sgdfc_priv_arena arena = sgdfc_priv_arena_at(work);
    sgdfc_forecaster lay, *p;
    if (status == SGDFC_OK && !out) status = SGDFC_BAD_ARGUMENT;
    if (status == SGDFC_OK) status = sgdfc_priv_check_work(work, work_bytes, need);
    if (status != SGDFC_OK) return status;
    p = sgdfc_priv_lay(config, &lay, &arena);
    SGDFC_ASSERT(arena.used == need);
    *p = lay;
    p->of = *config;
    p->of.train = sgdfc_priv_train_rows(config);
    if (p->of.epochs == 0) p->of.epochs = 200;
    if (!(p->of.smoothing > 0.0)) p->of.smoothing = 0.2;
    p->started = config->start != NULL;
    if (p->started) memcpy(p->weight, config->start, p->weights * sizeof(double));
    p->of.start = NULL;            /* belongs to the caller                           */
    *out = p;
    return SGDFC_OK;
}

/* ---- Forecasters: standardised rows ---------------------------------------------- */

static double sgdfc_priv_standard(const sgdfc_priv_column *column, double x)
{
    return (x - column->mean) / column->deviation;
}

/* Replaces rows by (row - mean) / deviation; returns 0 if all are equal. Sums are of
 * distances from the first row, so equal rows give exact zeros. */
static int sgdfc_priv_standardise(sgdfc_priv_column *column, size_t n)
{
    double *row = column->row, sum = 0.0, squares = 0.0, shift;
    int differ;
    size_t i;
    for (i = 0; i < n; i++) sum += row[i] - row[0];
    shift = sum / (double)n;
    for (i = 0; i < n; i++) {
        const double distance = row[i] - row[0] - shift;
        squares += distance * distance;
    }
    column->mean = row[0] + shift;
    column->deviation = sqrt(squares / (double)n);
    differ = column->deviation > SGDFC_PRIV_LEAST;
    if (!differ) column->deviation = 1.0;
    SGDFC_ASSERT(column->deviation <= DBL_MAX && fabs(column->mean) <= DBL_MAX);
    for (i = 0; i < n; i++) {
        row[i] = sgdfc_priv_standard(column, row[i]);
        if (i == 0 || row[i] < column->low) column->low = row[i];
        if (i == 0 || row[i] > column->high) column->high = row[i];
    }
    SGDFC_ASSERT(column->low <= column->high);
    return differ;
}

/* Inputs of networks and ARX, from standardised v, c and m of iterations k, k - 1 and k -
 * 2; v[k] is not read. */
static void sgdfc_priv_inputs(sgdfc_kind kind, double (*z)[3], double *x)
{
    size_t i;
    if (!sgdfc_priv_uses_usage(kind)) {
        x[0] = z[SGDFC_PRIV_SPEED][2];
        x[1] = z[SGDFC_PRIV_SPEED][1];
        return;
    }
    x[0] = z[SGDFC_PRIV_SPEED][1];
    x[1] = z[SGDFC_PRIV_SPEED][2];
    for (i = 0; i < 3; i++) {
        x[2 + i] = z[SGDFC_PRIV_CPU][i];
        x[5 + i] = z[SGDFC_PRIV_MEMORY][i];
    }
}

/* Inputs for row k >= 2 of the training rows; returns the target. */
static double sgdfc_priv_row(const sgdfc_forecaster *p, size_t k, double *x)
{
    double z[SGDFC_PRIV_SERIES][3];
    size_t i, s;
    SGDFC_ASSERT(k >= 2 && k < p->of.train);
    for (s = 0; s < sgdfc_priv_columns(p->of.kind); s++)
        for (i = 0; i < 3; i++) z[s][i] = p->column[s].row[k - i];
    sgdfc_priv_inputs(p->of.kind, z, x);
    return p->column[SGDFC_PRIV_SPEED].row[k];
}

/* ---- Forecasters: lines ---------------------------------------------------------- */

/* Least squares by Householder reflections of a[rows][terms + 1]; its last column is the
 * right-hand side. Columns have length sqrt(rows) or less. Returns 0, without x, if the
 * columns are nearly dependent. */
static int sgdfc_priv_least_squares(double *a, size_t rows, size_t terms, double *x)
{
    const size_t width = terms + 1;
    const double tiny = 1e-8 * sqrt((double)rows);
    double diagonal[SGDFC_PRIV_TERMS];
    size_t i, j, k;
    SGDFC_ASSERT(terms <= SGDFC_PRIV_TERMS);
    if (rows < terms) return 0;
    for (j = 0; j < terms; j++) {
        double squares = 0.0, norm;
        for (i = j; i < rows; i++) squares += a[i * width + j] * a[i * width + j];
        norm = sqrt(squares);
        if (!(norm > tiny)) return 0;
        diagonal[j] = a[j * width + j] > 0.0 ? -norm : norm;
        /* v = column - diagonal e_j has v.v / 2 = squares - diagonal a_jj > 0. */
        squares -= diagonal[j] * a[j * width + j];
        a[j * width + j] -= diagonal[j];
        SGDFC_ASSERT(squares > 0.0);
        for (k = j + 1; k < width; k++) {
            double dot = 0.0;
            for (i = j; i < rows; i++) dot += a[i * width + j] * a[i * width + k];
            dot /= squares;
            for (i = j; i < rows; i++) a[i * width + k] -= dot * a[i * width + j];
        }
    }
    for (j = terms; j-- > 0;) {
        double sum = a[j * width + terms];
        for (k = j + 1; k < terms; k++) sum -= a[j * width + k] * x[k];
        x[j] = sum / diagonal[j];
    }
    return 1;
}

/* The series that an input belongs to. */
static size_t sgdfc_priv_column_of(size_t input)
{
    if (input < 2) return SGDFC_PRIV_SPEED;
    return input < 5 ? SGDFC_PRIV_CPU : SGDFC_PRIV_MEMORY;
}

/* Fits the line, weights of the inputs and 1, to rows 2 .. end - 1, or, with `left`, to
 * what the network leaves of them. Dependent columns get a ridge. */
static void sgdfc_priv_fit_line(sgdfc_forecaster *p, size_t end, int left)
{
    const sgdfc_kind kind = p->of.kind;
    const size_t inputs = p->inputs, width = inputs + 2, samples = end - 2;
    double *line = p->weight + p->network;
    int ridge, solved = 0;
    size_t i;
    SGDFC_ASSERT(end > 2 && end <= p->of.train);
    for (ridge = 0; ridge < 2 && !solved; ridge++) {
        const size_t rows = ridge ? samples + inputs : samples;
        memset(p->scratch, 0, rows * width * sizeof(double));
        for (i = 0; i < samples; i++) {
            double *row = p->scratch + i * width;
            row[inputs + 1] = sgdfc_priv_row(p, i + 2, row);
            if (left)
                row[inputs + 1] -=
                    sgdfc_priv_network(kind, p->weight, row, 0.0, NULL);
            row[inputs] = 1.0;
        }
        for (; i < rows; i++)      /* no ridge for the weight of 1                    */
            p->scratch[i * width + i - samples] = sqrt(1e-9 * (double)samples);
        solved = sgdfc_priv_least_squares(p->scratch, rows, inputs + 1, line);
    }
    /* The weight of an input that never changed is 0 up to rounding; it must be exactly
     * 0, as later inputs may be arbitrarily large. */
    for (i = 0; i < inputs; i++) {
        const sgdfc_priv_column *column = &p->column[sgdfc_priv_column_of(i)];
        if (!(column->low < column->high)) line[i] = 0.0;
    }
    SGDFC_ASSERT(solved);          /* with a ridge columns are independent            */
    (void)solved;
}

static double sgdfc_priv_line(const sgdfc_forecaster *p, const double *x)
{
    const double *line = p->weight + p->network;
    double sum = line[p->inputs];
    size_t i;
    for (i = 0; i < p->inputs; i++) sum += line[i] * x[i];
    return sum;
}

/* ---- Forecasters: training of networks ------------------------------------------- */

/* Draws first weights; those of the output are 0 if there is a line. */
static void sgdfc_priv_first_weights(sgdfc_forecaster *p)
{
    const int narx = p->of.kind == SGDFC_NARX;
    const size_t units = narx ? SGDFC_PRIV_HIDDEN : SGDFC_PRIV_UNITS;
    const double inputs = narx ? SGDFC_PRIV_INPUTS : SGDFC_PRIV_UNITS + 1;
    size_t i;
    SGDFC_ASSERT(p->network > units + 1 && p->weights == p->network + p->inputs + 1);
    for (i = 0; i < p->network; i++) {
        const int output = i + units + 1 >= p->network;
        const double bound = 1.0 / sqrt(output ? (double)units : inputs);
        const double x = sgdfc_priv_uniform(sgdfc_priv_random(p->of.seed, 0, i));
        p->weight[i] = output && !p->of.no_line ? 0.0 : bound * (2.0 * x - 1.0);
    }
}

/* Fisher-Yates shuffle. */
static void sgdfc_priv_shuffle(sgdfc_forecaster *p, size_t count, uint64_t epoch)
{
    size_t i;
    for (i = count; i > 1; i--) {
        const size_t j = (size_t)(sgdfc_priv_random(p->of.seed, 1 + epoch, i) % i);
        const uint32_t row = p->order[i - 1];
        SGDFC_ASSERT(row >= 2 && row < p->of.train);
        p->order[i - 1] = p->order[j];
        p->order[j] = row;
    }
}

/* Mean squared error of rows from .. n - 1. */
static double sgdfc_priv_validate(const sgdfc_forecaster *p, size_t from)
{
    double x[SGDFC_PRIV_INPUTS], sum = 0.0;
    size_t k;
    SGDFC_ASSERT(from >= 2 && from < p->of.train);
    for (k = from; k < p->of.train; k++) {
        double d;
        (void)sgdfc_priv_row(p, k, x);
        d = sgdfc_priv_network(p->of.kind, p->weight, x, 0.0, NULL) - p->scratch[k];
        sum += d * d;
    }
    return sum / (double)(p->of.train - from);
}

/* A step of Adam. decay[i] is the i-th decay rate to the power of the steps so far. */
static void sgdfc_priv_adam(sgdfc_forecaster *p, size_t count, double decay[2])
{
    const double rate = 0.01, decay1 = 0.9, decay2 = 0.999, tiny = 1e-8;
    double scale1, scale2;
    size_t i;
    decay[0] *= decay1;
    decay[1] *= decay2;
    SGDFC_ASSERT(decay[0] < 1.0 && decay[1] < 1.0 && count > 0);
    scale1 = 1.0 / (1.0 - decay[0]);
    scale2 = 1.0 / (1.0 - decay[1]);
    for (i = 0; i < p->network; i++) {
        const double g = p->gradient[i] / (double)count;
        p->first[i] = decay1 * p->first[i] + (1.0 - decay1) * g;
        p->second[i] = decay2 * p->second[i] + (1.0 - decay2) * g * g;
        p->weight[i] -=
            rate * (p->first[i] * scale1) / (sqrt(p->second[i] * scale2) + tiny);
    }
}

/* One pass over the first `count` rows of `order`. */
static void sgdfc_priv_epoch(sgdfc_forecaster *p, size_t count, double decay[2])
{
    const size_t most = SGDFC_PRIV_MINI;
    double x[SGDFC_PRIV_INPUTS];
    size_t from, i;
    for (from = 0; from < count; from += most) {
        const size_t rows = count - from < most ? count - from : most;
        for (i = 0; i < p->network; i++) p->gradient[i] = 0.0;
        for (i = 0; i < rows; i++) {
            const size_t k = p->order[from + i];
            SGDFC_ASSERT(k >= 2 && k - 2 < count); /* none of those that validate      */
            (void)sgdfc_priv_row(p, k, x);
            (void)sgdfc_priv_network(p->of.kind, p->weight, x, p->scratch[k],
                                     p->gradient);
        }
        sgdfc_priv_adam(p, rows, decay);
    }
}

/* First a line is fitted to the rows that the network learns from, so that validation is
 * fair. Then the network learns what the line leaves. At last the line is fitted to what
 * the network leaves of all rows: the more rows, the farther it may extrapolate. */
static void sgdfc_priv_train_network(sgdfc_forecaster *p)
{
    const size_t n = p->of.train, bytes = p->network * sizeof(double);
    const size_t held = n * 15 / 100, from = n - held, count = from - 2;
    double decay[2] = { 1.0, 1.0 }, x[SGDFC_PRIV_INPUTS], best, reference;
    uint32_t idle = 0;
    size_t i;
    SGDFC_ASSERT(held > 0 && count > 0);
    for (i = 0; i <= p->inputs; i++) p->weight[p->network + i] = 0.0;
    if (!p->of.no_line) sgdfc_priv_fit_line(p, from, 0);
    for (i = 2; i < n; i++) {
        const double target = sgdfc_priv_row(p, i, x);
        p->scratch[i] = target - sgdfc_priv_line(p, x);
    }
    if (!p->started) sgdfc_priv_first_weights(p);
    for (i = 0; i < count; i++) p->order[i] = (uint32_t)(i + 2);
    memset(p->first, 0, bytes);
    memset(p->second, 0, bytes);
    memcpy(p->best, p->weight, bytes);
    best = reference = sgdfc_priv_validate(p, from);
    while (p->epochs < p->of.epochs && idle < SGDFC_PRIV_PATIENCE) {
        double error;
        sgdfc_priv_shuffle(p, count, p->epochs);
        sgdfc_priv_epoch(p, count, decay);
        p->epochs++;
        error = sgdfc_priv_validate(p, from);
        if (error < best) {
            best = error;
            memcpy(p->best, p->weight, bytes);
        }
        idle++;
        if (error < reference - 1e-5) { reference = error; idle = 0; }
    }
    SGDFC_ASSERT(!(best > reference));
    memcpy(p->weight, p->best, bytes);
    if (!p->of.no_line) sgdfc_priv_fit_line(p, n, 1);
}

/* ---- Forecasters: ARIMA ---------------------------------------------------------- */

/* Computes e for w[count]; returns the sum of e^2, and the last e in *last_e. Unless h is
 * NULL it also computes h = J'J and g = -J'e, where J has the derivatives of e by the
 * weights. */
static double sgdfc_priv_residuals(const double *w, size_t count, const double *weight,
                                   double (*h)[SGDFC_PRIV_ARIMA], double *g,
                                   double *last_e)
{
    double d[SGDFC_PRIV_ARIMA] = { 0.0, 0.0, 0.0, 0.0 }, e = 0.0, sum = 0.0;
    size_t i, j, k;
    for (i = 0; h && i < SGDFC_PRIV_ARIMA; i++) {
        for (j = 0; j < SGDFC_PRIV_ARIMA; j++) h[i][j] = 0.0;
        g[i] = 0.0;
    }
    for (k = 2; k < count; k++) {
        const double b = weight[3], before = e;
        e = w[k] - weight[0] - weight[1] * w[k - 1] - weight[2] * w[k - 2] - b * before;
        sum += e * e;
        if (!h) continue;
        d[0] = -1.0 - b * d[0];
        d[1] = -w[k - 1] - b * d[1];
        d[2] = -w[k - 2] - b * d[2];
        d[3] = -before - b * d[3];
        for (i = 0; i < SGDFC_PRIV_ARIMA; i++) {
            for (j = 0; j <= i; j++) h[i][j] += d[i] * d[j];
            g[i] -= d[i] * e;
        }
    }
    SGDFC_ASSERT(!(sum < 0.0));
    *last_e = e;
    return sum;
}

/* Solves (h + damping diag(h)) step = g by Cholesky factorisation; h has its lower half.
 * A weight whose diagonal is 0 does not move. */
static void sgdfc_priv_damped(double (*h)[SGDFC_PRIV_ARIMA], const double *g,
                              double damping, double *step)
{
    double l[SGDFC_PRIV_ARIMA][SGDFC_PRIV_ARIMA];
    size_t i, j, k;
    SGDFC_ASSERT(damping >= 0.0);
    for (i = 0; i < SGDFC_PRIV_ARIMA; i++) {
        for (j = 0; j <= i; j++) {
            double sum = i == j ? h[i][i] * (1.0 + damping) : h[i][j];
            for (k = 0; k < j; k++) sum -= l[i][k] * l[j][k];
            if (i == j) l[i][i] = sqrt(fmax(sum, 0.0));
            else l[i][j] = l[j][j] > 0.0 ? sum / l[j][j] : 0.0;
        }
        step[i] = g[i];
        for (k = 0; k < i; k++) step[i] -= l[i][k] * step[k];
        step[i] = l[i][i] > 0.0 ? step[i] / l[i][i] : 0.0;
    }
    for (i = SGDFC_PRIV_ARIMA; i-- > 0;) {
        for (k = i + 1; k < SGDFC_PRIV_ARIMA; k++) step[i] -= l[k][i] * step[k];
        step[i] = l[i][i] > 0.0 ? step[i] / l[i][i] : 0.0;
    }
}

static double sgdfc_priv_within(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

/* The limit of |weight i|. */
static double sgdfc_priv_arima_bound(size_t i)
{
    if (i == 0) return DBL_MAX;
    return i < 3 ? 2.0 : 0.999;
}

/* A step that reduces *sum; p->weight and *sum are updated. Returns 0 if no damping
 * reduces *sum. */
static int sgdfc_priv_arima_step(sgdfc_forecaster *p, size_t count, double *sum,
                                 double *damping)
{
    double h[SGDFC_PRIV_ARIMA][SGDFC_PRIV_ARIMA], g[SGDFC_PRIV_ARIMA];
    double step[SGDFC_PRIV_ARIMA], trial[SGDFC_PRIV_ARIMA], e;
    size_t i, j;
    (void)sgdfc_priv_residuals(p->scratch, count, p->weight, h, g, &e);
    for (i = 0; i < SGDFC_PRIV_ARIMA; i++) {     /* at its bound and pulled outward */
        if (fabs(p->weight[i]) < sgdfc_priv_arima_bound(i)) continue;
        if (p->weight[i] * g[i] <= 0.0) continue;
        for (j = 0; j < SGDFC_PRIV_ARIMA; j++) h[i][j] = h[j][i] = 0.0;
    }
    for (; *damping < 1e12; *damping *= 10.0) {
        double now;
        sgdfc_priv_damped(h, g, *damping, step);
        for (i = 0; i < SGDFC_PRIV_ARIMA; i++) {
            const double bound = sgdfc_priv_arima_bound(i);
            trial[i] = sgdfc_priv_within(p->weight[i] + step[i], -bound, bound);
        }
        now = sgdfc_priv_residuals(p->scratch, count, trial, NULL, NULL, &e);
        if (!(now < *sum)) continue;
        for (i = 0; i < SGDFC_PRIV_ARIMA; i++)
            SGDFC_ASSERT(fabs(trial[i]) <= sgdfc_priv_arima_bound(i));
        memcpy(p->weight, trial, sizeof trial);
        *sum = now;
        *damping = *damping > 1e-11 ? *damping / 10.0 : 1e-12;
        return 1;
    }
    return 0;
}

static void sgdfc_priv_train_arima(sgdfc_forecaster *p)
{
    static const double first[SGDFC_PRIV_ARIMA] = { 0.0, -0.3, -0.1, -0.5 };
    const double *v = p->column[SGDFC_PRIV_SPEED].row;
    const size_t count = (size_t)p->of.train - 2;
    double damping = 1e-3, sum;
    size_t i;
    for (i = 0; i < count; i++) p->scratch[i] = v[i + 2] - 2.0 * v[i + 1] + v[i];
    if (!p->started) memcpy(p->weight, first, sizeof first);
    for (i = 0; i < SGDFC_PRIV_ARIMA; i++) {
        const double bound = sgdfc_priv_arima_bound(i);
        p->weight[i] = sgdfc_priv_within(p->weight[i], -bound, bound);
    }
    sum = sgdfc_priv_residuals(p->scratch, count, p->weight, NULL, NULL, &p->e);
    while (p->epochs < p->of.epochs) {
        const double before = sum;
        if (!sgdfc_priv_arima_step(p, count, &sum, &damping)) break;
        p->epochs++;
        SGDFC_ASSERT(sum < before);
        if (before - sum <= 1e-13 * before) break;
    }
    (void)sgdfc_priv_residuals(p->scratch, count, p->weight, NULL, NULL, &p->e);
    p->w[0] = p->scratch[count - 1];
    p->w[1] = p->scratch[count - 2];
}

/* The predicted next second difference. */
static double sgdfc_priv_arima_next(const sgdfc_forecaster *p)
{
    const double *a = p->weight;
    return a[0] + a[1] * p->w[0] + a[2] * p->w[1] + a[3] * p->e;
}

/* ---- Forecasters: row by row ----------------------------------------------------- */

static void sgdfc_priv_train(sgdfc_forecaster *p)
{
    size_t s;
    SGDFC_ASSERT(p->seen == p->of.train && !p->trained);
    for (s = sgdfc_priv_columns(p->of.kind); s-- > 0;)
        p->trained = sgdfc_priv_standardise(&p->column[s], p->of.train);
    if (!p->trained) return;       /* the speed, standardised last, is constant       */
    if (sgdfc_priv_is_network(p->of.kind)) sgdfc_priv_train_network(p);
    else if (p->of.kind == SGDFC_ARX) sgdfc_priv_fit_line(p, p->of.train, 0);
    else sgdfc_priv_train_arima(p);
}

/* The line, plus the network for inputs set to the range of its training;
 * standardised. */
static double sgdfc_priv_foretell(sgdfc_forecaster *p, double cpu, double memory)
{
    const sgdfc_kind kind = p->of.kind;
    double z[SGDFC_PRIV_SERIES][3], x[SGDFC_PRIV_INPUTS], y;
    int clamped = 0;
    size_t i, s;
    SGDFC_ASSERT(p->trained);
    for (s = 0; s < sgdfc_priv_columns(kind); s++) {
        const sgdfc_priv_column *column = &p->column[s];
        const double now = s == SGDFC_PRIV_CPU ? cpu : memory;
        z[s][0] = s == SGDFC_PRIV_SPEED ? 0.0 : sgdfc_priv_standard(column, now);
        z[s][1] = sgdfc_priv_standard(column, column->last[0]);
        z[s][2] = sgdfc_priv_standard(column, column->last[1]);
    }
    sgdfc_priv_inputs(kind, z, x);
    y = sgdfc_priv_line(p, x);
    if (!sgdfc_priv_is_network(kind)) return y;
    for (s = 0; s < sgdfc_priv_columns(kind) && !p->of.unclamped; s++)
        for (i = s == SGDFC_PRIV_SPEED ? 1 : 0; i < 3; i++) {
            const double free = z[s][i];
            z[s][i] = sgdfc_priv_within(free, p->column[s].low, p->column[s].high);
            clamped |= z[s][i] < free || z[s][i] > free;
        }
    p->clamped += (size_t)clamped;
    sgdfc_priv_inputs(kind, z, x);
    return y + sgdfc_priv_network(kind, p->weight, x, 0.0, NULL);
}

SGDFC_API sgdfc_status sgdfc_predict(sgdfc_forecaster *p, double cpu, double memory,
                                     double *speed)
{
    const sgdfc_priv_column *v;
    double z;
    if (!p || !speed) return SGDFC_BAD_ARGUMENT;
    if (sgdfc_priv_uses_usage(p->of.kind)
        && (!sgdfc_priv_is_measure(cpu) || !sgdfc_priv_is_measure(memory)))
        return SGDFC_BAD_ROW;
    if (p->seen == 0) return SGDFC_SHORT_SERIES;
    v = &p->column[SGDFC_PRIV_SPEED];
    SGDFC_ASSERT(!p->trained || p->seen >= p->of.train);
    if (p->of.kind == SGDFC_MEMORYLESS) {
        *speed = v->last[0];
        return SGDFC_OK;
    }
    if (!p->trained) {
        *speed = p->ema;
        return SGDFC_OK;
    }
    if (p->of.kind == SGDFC_ARIMA)
        z = 2.0 * sgdfc_priv_standard(v, v->last[0]) -
            sgdfc_priv_standard(v, v->last[1]) + sgdfc_priv_arima_next(p);
    else
        z = sgdfc_priv_foretell(p, cpu, memory);
    *speed = v->mean + v->deviation * z;
    return SGDFC_OK;
}

SGDFC_API sgdfc_status sgdfc_observe(sgdfc_forecaster *p, double speed, double cpu,
                                     double memory)
{
    double given[SGDFC_PRIV_SERIES];
    size_t s;
    if (!p) return SGDFC_BAD_ARGUMENT;
    given[SGDFC_PRIV_SPEED] = speed;
    given[SGDFC_PRIV_CPU] = cpu;
    given[SGDFC_PRIV_MEMORY] = memory;
    for (s = 0; s < sgdfc_priv_columns(p->of.kind); s++)
        if (!sgdfc_priv_is_measure(given[s])) return SGDFC_BAD_ROW;
    if (p->trained && p->of.kind == SGDFC_ARIMA) {
        const sgdfc_priv_column *v = &p->column[SGDFC_PRIV_SPEED];
        const double w = sgdfc_priv_standard(v, speed)
                         - 2.0 * sgdfc_priv_standard(v, v->last[0])
                         + sgdfc_priv_standard(v, v->last[1]);
        p->e = w - sgdfc_priv_arima_next(p);
        p->w[1] = p->w[0];
        p->w[0] = w;
    }
    if (p->seen == 0) p->ema = speed;
    p->ema += p->of.smoothing * (speed - p->ema);
    for (s = 0; s < sgdfc_priv_columns(p->of.kind); s++) {
        sgdfc_priv_column *column = &p->column[s];
        if (p->weights > 0 && p->seen < p->of.train) column->row[p->seen] = given[s];
        column->last[1] = column->last[0];
        column->last[0] = given[s];
    }
    p->seen++;
    SGDFC_ASSERT(p->ema >= 0.0 && p->ema <= 2.0 * SGDFC_PRIV_MOST);
    if (p->weights > 0 && p->seen == p->of.train) sgdfc_priv_train(p);
    return SGDFC_OK;
}

SGDFC_API sgdfc_status sgdfc_learned(const sgdfc_forecaster *p, double *weights,
                                     uint32_t *epochs, size_t *clamped)
{
    if (!p) return SGDFC_BAD_ARGUMENT;
    if (!p->trained) return SGDFC_SHORT_SERIES;
    if (weights) memcpy(weights, p->weight, p->weights * sizeof(double));
    if (epochs) *epochs = p->epochs;
    if (clamped) *clamped = p->clamped;
    return SGDFC_OK;
}

/* ---- Series ---------------------------------------------------------------------- */

/* The first row with a number out of domain; `rows` if there is none. */
static size_t sgdfc_priv_bad_row(const sgdfc_series *series)
{
    const double *column[SGDFC_PRIV_SERIES];
    size_t i, s;
    column[SGDFC_PRIV_SPEED] = series->speed;
    column[SGDFC_PRIV_CPU] = series->cpu;
    column[SGDFC_PRIV_MEMORY] = series->memory;
    for (i = 0; i < series->rows; i++)
        for (s = 0; s < SGDFC_PRIV_SERIES; s++)
            if (column[s] && !sgdfc_priv_is_measure(column[s][i])) return i;
    return series->rows;
}

/* Predicts each row before it is observed, the first one as itself. Returns the sum of
 * squared errors from row `first` on. */
static double sgdfc_priv_predict_rows(sgdfc_forecaster *p, const sgdfc_series *series,
                                      size_t first, double *predicted)
{
    double squares = 0.0;
    size_t i;
    for (i = 0; i < series->rows; i++) {
        const double cpu = series->cpu ? series->cpu[i] : 0.0;
        const double memory = series->memory ? series->memory[i] : 0.0;
        double v = series->speed[i], error;
        SGDFC_ASSERT(p->seen == i);
        (void)sgdfc_predict(p, cpu, memory, &v);
        error = v - series->speed[i];
        if (i >= first) squares += error * error;
        if (predicted) predicted[i] = v;
        (void)sgdfc_observe(p, series->speed[i], cpu, memory);
    }
    SGDFC_ASSERT(p->seen == series->rows);
    return squares;
}

SGDFC_API sgdfc_status sgdfc_run(const sgdfc_config *config, const sgdfc_series *series,
                                 void *work, size_t work_bytes, size_t *bad_row,
                                 sgdfc_result *out)
{
    sgdfc_status status = sgdfc_priv_check(config);
    sgdfc_forecaster *p = NULL;
    double squares;
    size_t bad, i, first;
    if (status != SGDFC_OK) return status;
    if (!series || !series->speed || !out) return SGDFC_BAD_ARGUMENT;
    if (sgdfc_priv_uses_usage(config->kind) && (!series->cpu || !series->memory))
        return SGDFC_BAD_ARGUMENT;
    if (series->rows < sgdfc_rows(config)) return SGDFC_SHORT_SERIES;
    bad = sgdfc_priv_bad_row(series);
    if (bad < series->rows) {
        if (bad_row) *bad_row = bad;
        return SGDFC_BAD_ROW;
    }
    status = sgdfc_open(config, work, work_bytes, &p);
    if (status != SGDFC_OK) return status;

    first = series->rows < (uint64_t)p->of.train + 20 ? 1 : (size_t)p->of.train + 10;
    squares = sgdfc_priv_predict_rows(p, series, first, out->predicted);
    out->first_scored = first;
    out->rows_scored = series->rows > first ? series->rows - first : 0;
    out->rmse = out->rows_scored > 0 ? sqrt(squares / (double)out->rows_scored) : 0.0;
    SGDFC_ASSERT(p->clamped <= series->rows && p->epochs <= p->of.epochs);
    out->clamped = p->clamped;
    out->epochs = p->epochs;
    for (i = 0; out->weights && i < p->weights; i++)
        out->weights[i] = p->trained ? p->weight[i] : 0.0;
    return SGDFC_OK;
}

#ifdef __cplusplus
}
#endif
#endif /* SGDPERF_FORECAST_IMPLEMENTATION */

/* REFERENCES
 *   [AS64]    M. Abramowitz, I. A. Stegun, Handbook of Mathematical Functions, 1964.
 *   [CWWLL20] C. Chen, Q. Weng, W. Wang, B. Li, B. Li, Semi-Dynamic Load Balancing:
 *             Efficient Distributed Learning in Non-Dedicated Environments, SoCC 2020.
 *   [KB15]    D. P. Kingma, J. Ba, Adam: A Method for Stochastic Optimization, ICLR
 *             2015.
 *   [SLF14]   G. L. Steele, D. Lea, C. H. Flood, Fast Splittable Pseudorandom Number
 *             Generators, OOPSLA 2014.
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
