/* Replications of sgdperf_sim.h: the interval of their mean, and with it the simulator as
 * the referee of the closed queueing network, which sgdperf.h solves exactly. */
#include "../sgdperf.h"
#include "../sgdperf_sim.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "scene.h"
#include "test.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static sgdsim_status replicate(const sgdsim_config *config, uint64_t runs,
                               sgdsim_replications *out)
{
    size_t bytes = 0;
    sgdsim_status status = sgdsim_run_bytes(config, &bytes);
    if (status != SGDSIM_OK) return status;
    void *work = get_memory(bytes, 1);
    out->events = 77;                  /* whatever stands there                         */
    status = sgdsim_replicate(config, runs, work, bytes, out);
    free(work);
    return status;
}

/* P(X <= k) of n trials that succeed with probability p. */
static double binomial(size_t n, double p, size_t k)
{
    double term = pow(1.0 - p, (double)n), sum = 0.0;
    for (size_t i = 0; i <= k; i++) {
        sum += term;
        term *= (double)(n - i) / (double)(i + 1) * p / (1.0 - p);
    }
    return sum;
}

/* Is it as if each of n intervals contained the truth with probability 0.95? One in a
 * thousand sets of good intervals has fewer, or more, than this lets pass. */
static void check_inside(const char *what, size_t inside, size_t n)
{
    const double fewer = binomial(n, 0.95, inside);
    const double more = inside > 0 ? 1.0 - binomial(n, 0.95, inside - 1) : 1.0;
    printf("    %-42s %3lu of %lu inside; so few: %.3g, so many: %.3g\n", what,
           (unsigned long)inside, (unsigned long)n, fewer, more);
    CHECK(fewer > 0.0005 && more > 0.0005);
}

/* ---- Statuses ------------------------------------------------------------ */

TEST(shared_statuses_have_the_same_numbers)
{
    CHECK((int)SGDSIM_OK == (int)SGDP_OK && (int)SGDSIM_OK == 0);
    CHECK((int)SGDSIM_BAD_ARGUMENT == (int)SGDP_BAD_ARGUMENT);
    CHECK((int)SGDSIM_TOO_LARGE == (int)SGDP_TOO_LARGE);
    CHECK((int)SGDSIM_SMALL_WORKSPACE == (int)SGDP_SMALL_WORKSPACE);
    CHECK((int)SGDSIM_NOT_CONVERGED == (int)SGDP_NOT_CONVERGED);
    CHECK((int)SGDSIM_OVER_BUDGET == (int)SGDP_OVER_BUDGET);
    CHECK((int)SGDSIM_BAD_TRACE >= (int)SGDP_STATUS_COUNT);
    CHECK((int)SGDSIM_NO_WINDOW >= (int)SGDP_STATUS_COUNT);
}

/* ---- Estimates ----------------------------------------------------------- */

/* Squared deviations 9 1 1 1 0 0 4 16 from 5; t of 7 degrees of freedom. */
TEST(mean_and_deviation_are_the_known_ones)
{
    static const double x[8] = {2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0};
    static const double pair[2] = {1.0, 3.0}, equal[3] = {0.1, 0.1, 0.1};
    double far[8];
    sgdsim_estimate e;
    CHECK_STATUS(sgdsim_estimate_mean(x, 8, &e), SGDSIM_OK);
    CHECK_REL(e.mean, 5.0, 1e-15);
    CHECK_REL(e.deviation, sqrt(32.0 / 7.0), 1e-15);
    CHECK_REL(e.ci95_half_width, 2.364624251593 * sqrt(4.0 / 7.0), 1e-12);
    for (size_t i = 0; i < 8; i++) far[i] = x[i] + 1e9;   /* squares lose all these digits   */
    CHECK_STATUS(sgdsim_estimate_mean(far, 8, &e), SGDSIM_OK);
    CHECK_REL(e.mean, 1e9 + 5.0, 1e-15);
    CHECK_REL(e.deviation, sqrt(32.0 / 7.0), 1e-7);
    CHECK_STATUS(sgdsim_estimate_mean(pair, 2, &e), SGDSIM_OK);
    CHECK_REL(e.deviation, sqrt(2.0), 1e-15);
    CHECK_REL(e.ci95_half_width, 12.70620473617, 1e-12);
    CHECK_STATUS(sgdsim_estimate_mean(equal, 3, &e), SGDSIM_OK);
    CHECK_REL(e.mean, 0.1, 0.0);
    CHECK_REL(e.ci95_half_width, 0.0, 0.0);
}

/* ---- Rates --------------------------------------------------------------- */

static double uniform(uint64_t seed, uint64_t i)
{
    return (double)(sgdsim_random(seed, i, 0, 7) >> 11) * 0x1p-53;
}

/* About normal: of twelve uniform numbers, as sgdsim_trace_variation. */
static double normal(uint64_t seed, uint64_t i)
{
    return sgdsim_trace_variation(SGDSIM_SHAPE_NORMAL, 1e-3, seed, i) * 1e3 - 1e3;
}

TEST(two_rates_are_told_from_one)
{
    double x[12] = {40.0, 26.5, 40.1, 26.4, 40.0, 39.9, 26.6, 40.0, 40.2, 39.8, 26.5, 40.0};
    double same[12], few[9] = {1.0, 2.0, 1.0, 2.0, 1.0, 2.0, 1.0, 2.0, 1.0};
    sgdsim_rates r;
    CHECK_STATUS(sgdsim_find_rates(x, 12, &r), SGDSIM_OK);
    CHECK(r.rates == 2 && r.runs[0] == 4 && r.runs[1] == 8);
    CHECK_REL(r.mean[0], 26.5, 1e-12);
    CHECK_REL(r.mean[1], 40.0, 1e-12);
    for (size_t i = 1; i < 12; i++) CHECK(x[i - 1] <= x[i]);
    for (size_t i = 0; i < 12; i++) same[i] = i == 3 ? 26.5 : 40.0; /* one run makes no rate     */
    CHECK_STATUS(sgdsim_find_rates(same, 12, &r), SGDSIM_OK);
    CHECK(r.rates == 1 && r.runs[0] == 12 && r.runs[1] == 0);
    for (size_t i = 0; i < 12; i++) same[i] = i < 5 ? 39.8 : 40.0; /* nor does half a percent   */
    CHECK_STATUS(sgdsim_find_rates(same, 12, &r), SGDSIM_OK);
    CHECK(r.rates == 1);
    for (size_t i = 0; i < 12; i++) same[i] = 0.0;
    CHECK_STATUS(sgdsim_find_rates(same, 12, &r), SGDSIM_OK);
    CHECK(r.rates == 1 && r.runs[0] == 12);
    CHECK_STATUS(sgdsim_find_rates(few, 9, &r), SGDSIM_OK);
    CHECK(r.rates == 1);
    CHECK_REL(r.mean[0], 13.0 / 9.0, 1e-12);
}

/* How often, as the declaration says. */
TEST(one_rate_is_seldom_taken_for_two)
{
    enum { TRIALS = 2000 };
    size_t normals = 0, flats = 0, more_flats = 0, pairs = 0, i, k;
    double x[20];
    sgdsim_rates r;
    for (i = 0; i < TRIALS; i++) {
        for (k = 0; k < 10; k++) x[k] = 100.0 + 10.0 * normal(1 + i, k);
        CHECK_STATUS(sgdsim_find_rates(x, 10, &r), SGDSIM_OK);
        normals += r.rates > 1;
        for (k = 0; k < 20; k++) x[k] = 50.0 + 50.0 * uniform(i, k);
        CHECK_STATUS(sgdsim_find_rates(x, 10, &r), SGDSIM_OK);
        flats += r.rates > 1;
        for (k = 0; k < 20; k++) x[k] = 50.0 + 50.0 * uniform(i, k);
        CHECK_STATUS(sgdsim_find_rates(x, 20, &r), SGDSIM_OK);
        more_flats += r.rates > 1;
        for (k = 0; k < 20; k++)
            x[k] = 100.0 + normal(1 + i, k) + (uniform(i, 100 + k) < 0.5 ? 8.0 : 0.0);
        CHECK_STATUS(sgdsim_find_rates(x, 20, &r), SGDSIM_OK);
        pairs += r.rates > 1;
    }
    printf("    two rates: %.1f %% of 10 normal, %.1f of 10 uniform, %.1f of 20 uniform, "
           "%.1f of 20 of two\n", (double)normals * 100.0 / TRIALS,
           (double)flats * 100.0 / TRIALS, (double)more_flats * 100.0 / TRIALS,
           (double)pairs * 100.0 / TRIALS);
    CHECK(normals < TRIALS * 2 / 100 && flats < TRIALS * 8 / 100);
    CHECK(more_flats < TRIALS * 12 / 1000 && pairs > TRIALS * 95 / 100);
}

TEST(rates_just_one_percent_apart_are_one)
{
    double x[10];
    sgdsim_rates r;
    for (size_t i = 0; i < 10; i++) x[i] = i < 5 ? 199.0 : 201.0; /* 2 is 1 % of 200 */
    CHECK_STATUS(sgdsim_find_rates(x, 10, &r), SGDSIM_OK);
    CHECK(r.rates == 1);
    for (size_t i = 0; i < 10; i++) x[i] = i < 5 ? 199.0 : 201.01;
    CHECK_STATUS(sgdsim_find_rates(x, 10, &r), SGDSIM_OK);
    CHECK(r.rates == 2);
    x[0] = 1e-20;                                  /* the mean of one, however small  */
    CHECK_STATUS(sgdsim_find_rates(x, 1, &r), SGDSIM_OK);
    CHECK_REL(r.mean[0], 1e-20, 0.0);
}

/* Two runs of 30 are less than a tenth of them, three are not. */
TEST(a_rate_of_less_than_a_tenth_of_the_runs_is_none)
{
    double x[30];
    sgdsim_rates r;
    for (size_t few = 2; few <= 3; few++) {
        for (size_t i = 0; i < 30; i++) x[i] = i < few ? 26.5 : 40.0;
        CHECK_STATUS(sgdsim_find_rates(x, 30, &r), SGDSIM_OK);
        CHECK(r.rates == few - 1 && r.runs[0] == (few == 3 ? few : 30));
    }
}

/* Of 1, 3, 7 and 9 the squares are 4 in the halves and 40 in all: just a tenth. In units of
 * which 1 to 12 are parts, so that nothing is rounded. */
TEST(a_tenth_of_the_squares_within_two_parts_is_one_rate)
{
    static const double part[4] = {1.0, 3.0, 7.0, 9.0};
    double x[12];
    sgdsim_rates r;
    for (size_t i = 0; i < 12; i++) x[i] = 27720.0 * part[i % 4];
    CHECK_STATUS(sgdsim_find_rates(x, 12, &r), SGDSIM_OK);
    CHECK(r.rates == 1);
    x[0] += 1.0;                                   /* one is nearer to its half       */
    CHECK_STATUS(sgdsim_find_rates(x, 12, &r), SGDSIM_OK);
    CHECK(r.rates == 2);
}

TEST(bad_rates_are_refused)
{
    double x[3] = {1.0, 0.0, 2.0};
    sgdsim_rates r, before;
    memset(&r, 0x5a, sizeof r);
    before = r;
    CHECK_STATUS(sgdsim_find_rates(NULL, 2, &r), SGDSIM_BAD_ARGUMENT);
    CHECK_STATUS(sgdsim_find_rates(x, 0, &r), SGDSIM_BAD_ARGUMENT);
    CHECK_STATUS(sgdsim_find_rates(x, 3, NULL), SGDSIM_BAD_ARGUMENT);
    for (size_t i = 0; i < 4; i++) {
        x[0] = 1.0;                                /* they are sorted                 */
        x[2] = 2.0;
        x[1] = i == 0 ? (double)NAN : i == 1 ? HUGE_VAL : i == 2 ? -1.0 : DBL_MAX;
        CHECK_STATUS(sgdsim_find_rates(x, 3, &r), SGDSIM_BAD_ARGUMENT);
    }
    x[0] = -1.0;
    x[1] = 1.0;
    x[2] = 2.0;
    CHECK_STATUS(sgdsim_find_rates(x, 3, &r), SGDSIM_BAD_ARGUMENT);
    CHECK(memcmp(&r, &before, sizeof r) == 0);
}

TEST(one_sample_has_no_interval)
{
    static const double x[1] = {3.0};
    sgdsim_estimate e;
    CHECK_STATUS(sgdsim_estimate_mean(x, 1, &e), SGDSIM_OK);
    CHECK_REL(e.mean, 3.0, 0.0);
    CHECK_REL(e.deviation, 0.0, 0.0);
    CHECK(!(e.ci95_half_width <= DBL_MAX) && e.ci95_half_width > 0.0);
}

TEST(bad_samples_are_refused)
{
    static const double good[2] = {1.0, 2.0}, far[2] = {DBL_MAX, -DBL_MAX};
    double x[3] = {1.0, 0.0, 2.0};
    sgdsim_estimate e, before;
    memset(&e, 0x5a, sizeof e);
    before = e;
    CHECK_STATUS(sgdsim_estimate_mean(NULL, 2, &e), SGDSIM_BAD_ARGUMENT);
    CHECK_STATUS(sgdsim_estimate_mean(good, 0, &e), SGDSIM_BAD_ARGUMENT);
    CHECK_STATUS(sgdsim_estimate_mean(good, 2, NULL), SGDSIM_BAD_ARGUMENT);
    CHECK_STATUS(sgdsim_estimate_mean(far, 2, &e), SGDSIM_BAD_ARGUMENT);
    for (size_t i = 0; i < 3; i++) {
        x[1] = i == 0 ? (double)NAN : i == 1 ? HUGE_VAL : -HUGE_VAL;
        CHECK_STATUS(sgdsim_estimate_mean(x, 3, &e), SGDSIM_BAD_ARGUMENT);
        CHECK_STATUS(sgdsim_estimate_mean(x + 1, 1, &e), SGDSIM_BAD_ARGUMENT);
    }
    CHECK(memcmp(&e, &before, sizeof e) == 0);
}

/* Student's t of the half-widths of 0 1 0 1 ...: tabulated values, and less with every
 * degree of freedom, down to the normal distribution's. */
TEST(half_widths_have_students_t)
{
    static const struct { size_t degrees; double t; } table[] = {
        {1, 12.706204736433}, {2, 4.302652729911}, {20, 2.085963447266},
        {21, 2.079613844728}, {22, 2.073873067904}, {30, 2.042272456301},
        {100, 1.983971518524}, {120, 1.979930405053}, {1000, 1.962339080826}
    };
    enum { MOST = 3000 };
    double x[MOST], before = 13.0;
    size_t n, row = 0;
    for (n = 0; n < MOST; n++) x[n] = (double)(n % 2);
    for (n = 2; n <= MOST; n++) {
        sgdsim_estimate e;
        CHECK_STATUS(sgdsim_estimate_mean(x, n, &e), SGDSIM_OK);
        double t = e.ci95_half_width * sqrt((double)n) / e.deviation;
        CHECK(t < before && t > 1.959963984540);
        before = t;
        if (row == COUNT(table) || table[row].degrees != n - 1) continue;
        CHECK_REL(t, table[row].t, 1e-7);
        row++;
    }
    CHECK(row == COUNT(table));
}

/* ---- Networks ------------------------------------------------------------ */

enum { PHASES = 4, SPREAD = 3, MIXED = 81 };       /* MIXED: SPREAD to the PHASES     */

/* One type of worker: its times by sgdsim_resource, and how many there are. */
typedef struct type { double time_s[PHASES]; uint32_t workers; } type;

/* The coarse model: every step is a downlink, a computation, an uplink and an update.
 * factor[3] given: a step's times are each multiplied by one of them, all combinations
 * being profiled steps, as likely. */
typedef struct coarse {
    sgdsim_config config;
    sgdsim_op     op[2][MIXED][PHASES];
    sgdsim_step   step[2][MIXED];
    sgdsim_trace  trace[2];
    uint32_t      workers[2];
} coarse;

static void coarse_new(coarse *c, const type *of, size_t types, const double *factor)
{
    static const uint32_t waits[PHASES - 1] = {0, 1, 2};
    memset(c, 0, sizeof *c);
    for (size_t t = 0; t < types; t++) {
        c->workers[t] = of[t].workers;
        c->trace[t].step = c->step[t];
        c->trace[t].steps = factor ? MIXED : 1;
        for (size_t s = 0; s < c->trace[t].steps; s++) {
            size_t digits = s;
            c->step[t][s].op = c->op[t][s];
            c->step[t][s].ops = PHASES;
            for (size_t i = 0; i < PHASES; i++, digits /= SPREAD) {
                sgdsim_op *op = &c->op[t][s][i];
                const double times = factor ? factor[digits % SPREAD] : 1.0;
                op->resource = (sgdsim_resource)i;
                op->duration_s = times * of[t].time_s[i];
                op->bytes = 1e8 * op->duration_s;
                op->waits = i > 0;
                op->waits_for = waits + (i > 0 ? i - 1 : 0);
            }
        }
    }
    c->config.workers.types = types;
    c->config.workers.trace = c->trace;
    c->config.workers.count = c->workers;
    c->config.links.bandwidth_bytes_per_s = 1e8;
}

/* About `steps` steps of all workers, and 400 before that do not count. */
static void coarse_length(coarse *c, uint64_t steps)
{
    const uint64_t workers = c->workers[0] + c->workers[1];
    c->config.length.steps = steps / workers;
    c->config.length.warmup = steps / 20;
    c->config.variants.steady_window = 1;
}

/* The throughput of the network: computing, and updates on own cores, only delay. */
static double exact(const type *of, size_t types, sgdsim_updates updates)
{
    static const size_t stations[3] = {SGDSIM_DOWNLINK, SGDSIM_UPLINK, SGDSIM_SERVER};
    double demand_s[6], think_s[2], x[2] = {0.0, 0.0};
    uint32_t workers[2];
    size_t t, k, bytes = 0;
    sgdp_network net = {.stations = updates == SGDSIM_UPDATES_SEPARATE ? 2 : 3, .classes = types,
                        .demand_s = demand_s, .think_s = think_s, .population = workers};
    for (t = 0; t < types; t++) {
        workers[t] = of[t].workers;
        think_s[t] = of[t].time_s[SGDSIM_WORKER];
        if (net.stations == 2) think_s[t] += of[t].time_s[SGDSIM_SERVER];
        for (k = 0; k < net.stations; k++)
            demand_s[t * net.stations + k] = of[t].time_s[stations[k]];
    }
    sgdp_mva_result out = {.throughput_per_s = x};
    CHECK_STATUS(sgdp_mva_exact_bytes(&net, NULL, &bytes), SGDP_OK);
    void *work = get_memory(bytes, 1);
    CHECK_STATUS(sgdp_mva_exact(&net, NULL, work, bytes, &out), SGDP_OK);
    free(work);
    return x[0] + x[1];
}

/* ---- Replications -------------------------------------------------------- */

typedef struct told {
    uint64_t runs, seed[8], events[8];
    double   batches_per_s[8];
    double  *step_end_s;                           /* what it should be               */
} told;

static void tell(void *ctx, uint64_t run, sgdsim_result *result)
{
    told *t = (told *)ctx;
    CHECK(run == t->runs && run < 8);
    CHECK(result->step_end_s == (run == 0 ? t->step_end_s : NULL));
    t->seed[run] = result->seed;
    t->events[run] = result->events;
    t->batches_per_s[run] = result->batches_per_s;
    t->runs++;
    result->step_end_s = NULL;
}

/* Each replication is the run of sgdsim_run with its seed; all are different. */
TEST(replications_are_runs)
{
    static const type one = {{0.05, 0.02, 0.05, 0.01}, 3};
    double end_s[60], first_s[60], x[8];
    sgdsim_replications lone;
    sgdsim_estimate e;
    uint64_t i, k, events = 0;
    coarse c;
    told t = {.step_end_s = end_s};
    sgdsim_replications out = {.result.step_end_s = end_s, .run_batches_per_s = x,
                               .on_run = tell, .on_run_ctx = &t};
    coarse_new(&c, &one, 1, NULL);
    c.config.length.steps = 20;
    c.config.variation.seed = 77;
    c.config.variation.service = SGDSIM_EXPONENTIAL;
    CHECK_STATUS(replicate(&c.config, 8, &out), SGDSIM_OK);
    CHECK(out.runs == 8 && t.runs == 8 && t.seed[0] == 77);
    for (i = 0; i < 8; i++) {
        memset(&lone, 0, sizeof lone);
        c.config.variation.seed = i > 0 ? sgdsim_random(77, i, 0, 0) : 77;
        lone.result.step_end_s = i == 0 ? first_s : NULL;
        CHECK_STATUS(replicate(&c.config, 1, &lone), SGDSIM_OK);
        CHECK(t.seed[i] == c.config.variation.seed && t.events[i] == lone.events);
        CHECK_REL(t.batches_per_s[i], lone.batches_per_s.mean, 0.0);
        CHECK_REL(x[i], lone.batches_per_s.mean, 0.0);
        CHECK(!(lone.batches_per_s.ci95_half_width <= DBL_MAX));
        for (k = 0; k < i; k++) CHECK(x[k] < x[i] || x[k] > x[i]);
        events += lone.events;
    }
    for (i = 0; i < 60; i++) CHECK_REL(end_s[i], first_s[i], 0.0);
    CHECK_STATUS(sgdsim_estimate_mean(x, 8, &e), SGDSIM_OK);
    CHECK(memcmp(&e, &out.batches_per_s, sizeof e) == 0);
    CHECK(out.events == events && out.result.seed == t.seed[7]);
    c.config.variation.service = SGDSIM_TRACED;
    c.config.variation.seed = 77;
    memset(&out, 0, sizeof out);
    CHECK_STATUS(replicate(&c.config, 3, &out), SGDSIM_OK);
    CHECK_REL(out.batches_per_s.ci95_half_width, 0.0, 0.0);
}

/* Refused at once, or by a run that is not the first: nothing but what was told. */
TEST(a_replication_that_fails_leaves_the_result_alone)
{
    static const type one = {{0.05, 0.02, 0.05, 0.01}, 3};
    static const double factor[SPREAD] = {0.5, 1.0, 1.5};
    double work[4096], x[8] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    sgdsim_replications out, before;
    size_t bytes = 0, i;
    coarse c;
    memset(&out, 0x5a, sizeof out);
    told t = {0};
    out.result.step_end_s = NULL;
    out.result.waiting = NULL;
    out.result.job_batches_per_s = NULL;
    out.run_batches_per_s = x;
    out.on_run = tell;
    out.on_run_ctx = &t;
    before = out;
    coarse_new(&c, &one, 1, factor);
    c.config.length.steps = 4;
    for (i = 0; i < MIXED; i += 2) c.step[0][i].ops = 2; /* fewer events when drawn   */
    CHECK_STATUS(sgdsim_run_bytes(&c.config, &bytes), SGDSIM_OK);
    CHECK(bytes <= sizeof work);
    CHECK_STATUS(sgdsim_replicate(NULL, 2, work, bytes, &out), SGDSIM_BAD_ARGUMENT);
    CHECK_STATUS(sgdsim_replicate(&c.config, 0, work, bytes, &out), SGDSIM_BAD_ARGUMENT);
    CHECK_STATUS(sgdsim_replicate(&c.config, 2, NULL, bytes, &out), SGDSIM_BAD_ARGUMENT);
    CHECK_STATUS(sgdsim_replicate(&c.config, 2, work, bytes, NULL), SGDSIM_BAD_ARGUMENT);
    CHECK_STATUS(sgdsim_replicate(&c.config, 2, work, bytes - 1, &out), SGDSIM_SMALL_WORKSPACE);
    c.config.length.warmup = 12;
    CHECK_STATUS(sgdsim_replicate(&c.config, 2, work, bytes, &out), SGDSIM_NO_WINDOW);
    c.config.length.warmup = 0;
    CHECK(t.runs == 0 && memcmp(&out, &before, sizeof out) == 0);
    CHECK_STATUS(sgdsim_replicate(&c.config, 8, work, bytes, &out), SGDSIM_OK);
    for (i = 1; i < 8 && t.events[i] <= t.events[0]; i++) continue;
    CHECK(i < 8);                                  /* run i has more events           */
    c.config.max_events = t.events[0];
    memset(x, 0, sizeof x);
    t.runs = 0;
    t.step_end_s = NULL;
    out = before;
    CHECK_STATUS(sgdsim_replicate(&c.config, 8, work, bytes, &out), SGDSIM_OVER_BUDGET);
    CHECK(t.runs == i && x[i - 1] > 0.0 && !(x[i] > 0.0));
    CHECK(memcmp(&out, &before, sizeof out) == 0);
}

/* Of 200 intervals of five short runs, 95 % are to contain the exact throughput. */
TEST(intervals_contain_the_truth_as_often_as_they_say)
{
    enum { RUNS = 5 };
    const size_t intervals = TEST_SIZE(30, 200);
    static const type one = {{0.05, 0.05, 0.05, 0.05}, 3};
    const double want = exact(&one, 1, SGDSIM_UPDATES_SHARED);
    size_t inside = 0, i;
    coarse c;
    coarse_new(&c, &one, 1, NULL);
    coarse_length(&c, 1500);
    c.config.variation.service = SGDSIM_EXPONENTIAL;
    c.config.servers.updates = SGDSIM_UPDATES_SHARED;
    for (i = 0; i < intervals; i++) {
        sgdsim_replications out = {0};
        c.config.variation.seed = 500 + i;
        CHECK_STATUS(replicate(&c.config, RUNS, &out), SGDSIM_OK);
        inside += fabs(out.batches_per_s.mean - want)
               <= out.batches_per_s.ci95_half_width;
    }
    check_inside("intervals of 5 runs", inside, intervals);
}

/* ---- The referee --------------------------------------------------------- */

typedef struct score { size_t settings, inside; double worst; } score;

static const double phase[5][PHASES] = {           /* down, compute, up, update       */
    {0.072, 0.029, 0.072, 0.018}, {0.02, 0.2, 0.02, 0.01}, {0.05, 0.05, 0.05, 0.05},
    {0.01, 0.3, 0.02, 0.08},      {0.1, 0.4, 0.05, 0.002}};
static const uint32_t crowd[4] = {1, 3, 8, 20};

static type type_of(size_t phases, uint32_t workers)
{
    type t;
    memcpy(t.time_s, phase[phases], sizeof t.time_s);
    t.workers = workers;
    return t;
}

/* Twenty runs of one setting against the exact throughput. */
static void judge(const type *of, size_t types, sgdsim_updates updates,
                  const double *factor, score *s)
{
    const double want = exact(of, types, updates);
    static uint64_t seed = 1000;                   /* no two settings draw alike      */
    static coarse c;
    sgdsim_replications out = {0};
    coarse_new(&c, of, types, factor);
    coarse_length(&c, TEST_SIZE(2500, 5000));
    c.config.variation.service = factor ? SGDSIM_TRACED : SGDSIM_EXPONENTIAL;
    c.config.servers.updates = updates;
    c.config.variation.seed = seed++;
    s->settings++;
    CHECK_STATUS(replicate(&c.config, 20, &out), SGDSIM_OK);
    double error = fabs(out.batches_per_s.mean - want);
    s->inside += error <= out.batches_per_s.ci95_half_width;
    s->worst = fmax(s->worst, error / want);
}

/* From the crowd[from] on. */
static void judge_all(sgdsim_updates updates, const double *factor, size_t from, score *s)
{
    s->settings = s->inside = 0;
    s->worst = 0.0;
    for (size_t i = 0; i < 5; i++)
        for (size_t k = from; k < 4; k++) {
            const type one = type_of(i, crowd[k]);
            judge(&one, 1, updates, factor, s);
        }
}

/* With exponential times the run is the network: links by processor sharing, a shared
 * server too or, as good with one exponential rate, first come first served. */
TEST(exponential_runs_are_the_network)
{
    static const char *const what[3] = {"exponential, own cores", "exponential, FCFS server",
                                        "exponential, PS server"};
    score s;
    for (int updates = 0; updates < 3; updates++) {
        judge_all((sgdsim_updates)updates, NULL, TEST_SIZE(3, 0), &s);
        check_inside(what[updates], s.inside, s.settings);
        CHECK(s.worst < 0.02);
    }
}

/* Two types of worker with times of their own: a network of two classes, for which PS
 * still has the product form and FCFS has not. */
TEST_FULL(two_types_of_worker_are_two_classes)
{
    score s = {0, 0, 0.0};
    for (size_t i = 0; i < 5; i++)
        for (size_t k = TEST_SIZE(3, 0); k < 4; k++) {
            type pair[2];
            pair[0] = type_of(i, 1 + (uint32_t)k);
            pair[1] = type_of((i + 2) % 5, 2 * (uint32_t)k + 1);
            judge(pair, 2, SGDSIM_UPDATES_SHARED, NULL, &s);
        }
    check_inside("two types, exponential, PS server", s.inside, s.settings);
    CHECK(s.worst < 0.02);
}

/* PS stations and delays know times by their means alone, here of three values with a
 * squared variation of 1.8. First come first served is not so: it shows that these runs
 * can tell. */
TEST_FULL(equal_sharing_knows_times_by_their_means)
{
    static const double factor[SPREAD] = {0.05, 0.05, 2.9};
    score ps, fcfs;
    judge_all(SGDSIM_UPDATES_SHARED, factor, TEST_SIZE(3, 0), &ps);
    check_inside("three values, PS server", ps.inside, ps.settings);
    judge_all(SGDSIM_UPDATES_QUEUED, factor, TEST_SIZE(1, 0), &fcfs);
    printf("    three values, FCFS server: %lu of %lu inside, off by up to %.2f %%\n",
           (unsigned long)fcfs.inside, (unsigned long)fcfs.settings, 100.0 * fcfs.worst);
    CHECK(binomial(fcfs.settings, 0.95, fcfs.inside) < 0.0005);
    CHECK(fcfs.worst > 2.0 * ps.worst);
}

static double traced_throughput(coarse *c)
{
    sgdsim_replications out = {0};
    CHECK_STATUS(replicate(&c->config, 2, &out), SGDSIM_OK);
    CHECK_REL(out.batches_per_s.ci95_half_width, 0.0, 0.0);
    return out.batches_per_s.mean;
}

/* Without any variation the means say nothing: workers that start together stay in step
 * for ever and reach the least throughput that a network can have, K / (Z + K sum D);
 * those that start apart need never meet, and reach the most, K / (Z + sum D). */
TEST(workers_that_never_vary_stay_in_step)
{
    coarse c;
    for (size_t i = 0; i < 5; i++)
        for (size_t k = 0; k < 4; k++) {
            const type one = type_of(i, crowd[k]);
            double K = (double)crowd[k], Z, D, least;
            Z = one.time_s[SGDSIM_WORKER];
            D = one.time_s[SGDSIM_DOWNLINK] + one.time_s[SGDSIM_UPLINK]
              + one.time_s[SGDSIM_SERVER];
            least = K / (Z + K * D);
            coarse_new(&c, &one, 1, NULL);
            c.config.servers.updates = SGDSIM_UPDATES_SHARED;
            c.config.length.steps = 50;
            CHECK_REL(traced_throughput(&c), least, 1e-9);
            if (crowd[k] == 1) CHECK_REL(exact(&one, 1, SGDSIM_UPDATES_SHARED), least, 1e-12);
            else CHECK(exact(&one, 1, SGDSIM_UPDATES_SHARED) > 1.02 * least);
        }
}

/* Two workers whose second steps start 0.0625 s apart: 0.05 s in each of four places. */
TEST(workers_that_start_apart_never_meet)
{
    uint32_t sequence[100];
    const type pair[2] = {type_of(2, 1), type_of(2, 1)};
    const type both = type_of(2, 2);
    const double want = exact(&both, 1, SGDSIM_UPDATES_SHARED);
    coarse c;
    coarse_new(&c, pair, 2, NULL);
    memcpy(c.op[1][1], c.op[1][0], sizeof c.op[1][0]);
    c.op[1][0][SGDSIM_WORKER].duration_s += 0.0625;
    c.step[1][1].op = c.op[1][1];
    c.step[1][1].ops = PHASES;
    c.trace[1].steps = 2;
    for (size_t i = 0; i < 100; i++) sequence[i] = i > 50;
    c.config.variation.sequence = sequence;
    c.config.servers.updates = SGDSIM_UPDATES_SHARED;
    c.config.length.steps = 50;
    c.config.length.warmup = 2;                           /* 49 whole steps of both          */
    CHECK_REL(traced_throughput(&c), 2.0 / 0.2, 1e-9);
    CHECK(want < 2.0 / 0.2 * 0.95 && want > 2.0 / (0.05 + 2.0 * 0.15) * 1.05);
}

/* A deviation that is a number, and a half-width that is none. */
TEST(an_interval_past_the_largest_double_is_refused)
{
    static const double far[2] = {1e153, -1e153}, farther[2] = {1.2e308, 0.0};
    sgdsim_estimate e;
    memset(&e, 0x5a, sizeof e);
    CHECK_STATUS(sgdsim_estimate_mean(farther, 2, &e), SGDSIM_BAD_ARGUMENT);
    CHECK(((unsigned char *)&e)[0] == 0x5a);
    CHECK_STATUS(sgdsim_estimate_mean(far, 2, &e), SGDSIM_OK);
    CHECK_REL(e.deviation, 1e153 * sqrt(2.0), 1e-12);
}

/* Steps of 1e-200 s or of 2e-200 s: rates whose squares are past the largest double. */
TEST(rates_whose_spread_is_past_the_largest_double_are_refused)
{
    const sgdsim_op op[2] = {{WORK(1e-200)}, {WORK(2e-200)}};
    const sgdsim_step step[2] = {{op, 1}, {op + 1, 1}};
    const sgdsim_trace trace = {step, 2};
    const uint32_t workers = 1;
    sgdsim_replications out = {0};
    sgdsim_config config = layered(&trace, &workers);
    config.length.steps = 1;
    CHECK_STATUS(replicate(&config, 1, &out), SGDSIM_OK);
    CHECK(out.runs == 1);
    CHECK_STATUS(replicate(&config, 20, &out), SGDSIM_BAD_ARGUMENT);
    CHECK(out.runs == 1);
}

TEST_MAIN("test_replicate");
