/* Coordination schemes of sgdperf_balance.h: closed forms, an oracle that keeps nothing
 * sorted, the 16-worker cluster of four accelerators, LB-BSP's balancer and predictors
 * against the same by hand, what callers are told, bad input. */
#include "../sgdperf_balance.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "foresee.h"
#include "memory.h"
#include "oracle_coordinate.h"
#include "test.h"

/* The mixing function of SplitMix64. */
static uint64_t mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* 64 random bits of four numbers. */
static uint64_t random_of(uint64_t seed, uint64_t a, uint64_t b, uint64_t c)
{
    return mix(mix(mix(mix(seed) ^ a) ^ b) ^ c);
}

enum { MOST = 128 };                               /* workers */

typedef struct outcome {
    sgdbal_scheme_result out;
    double   waiting[MOST];
    uint32_t batch[MOST];
    uint64_t pushed[MOST];
} outcome;

static int left_over = 0xa5;

/* In a work area of just the size that is asked for, with what is left from before. */
static sgdbal_status run(const sgdbal_scheme_config *config, outcome *o)
{
    size_t bytes = 0;
    sgdbal_status status = sgdbal_scheme_bytes(config, &bytes);
    if (status != SGDBAL_OK) return status;
    void *work = memset(get_dirt(bytes), left_over, bytes);
    o->out.workers.waiting_share = o->waiting;
    o->out.workers.last_batch = o->batch;
    o->out.workers.pushed = o->pushed;
    status = sgdbal_scheme_run(config, work, bytes, &o->out);
    free(work);
    return status;
}

/* A run that is to end well; of outputs the arrays here, not the pointers to them. */
static outcome ran(const sgdbal_scheme_config *config)
{
    outcome o = {0};
    CHECK_STATUS(run(config, &o), SGDBAL_OK);
    memset(&o.out.workers, 0, sizeof o.out.workers);
    return o;
}

static double uniform(uint64_t seed, uint64_t a, uint64_t b, uint64_t c)
{
    return (double)(random_of(seed, a, b, c) >> 11) / 9007199254740992.0;
}

static double larger(double a, double b) { return a > b ? a : b; }

/* ---- Workers ------------------------------------------------------------------ */

/* launch + slope x + communication, times a factor that may change by iteration and by
 * time; bad: the answer to the call with that number. */
typedef struct cluster {
    uint32_t workers;
    double   launch_s[MOST], slope_s[MOST], factor;
    uint64_t seed;                                 /* 0: constant                     */
    int      by_time;
    uint64_t calls, bad_call;                      /* bad_call 0: none                */
    double   bad;
} cluster;

static double factor_of(const cluster *c, uint32_t w, uint64_t k, double at_s)
{
    const uint64_t when = c->by_time ? (uint64_t)(at_s / c->factor * 3.0) : k;
    return c->seed == 0 ? c->factor : c->factor * (0.5 + uniform(c->seed, w, when, 0));
}

static double batch_time(void *ctx, uint32_t w, uint64_t k, double start_s, uint32_t x)
{
    cluster *c = (cluster *)ctx;
    if (++c->calls == c->bad_call) return c->bad;
    return (c->launch_s[w] + c->slope_s[w] * (double)x) * factor_of(c, w, k, start_s);
}

static double sample_time(void *ctx, uint32_t w, uint64_t k, double now_s, uint32_t x)
{
    cluster *c = (cluster *)ctx;
    if (x != 1) abort();
    if (++c->calls == c->bad_call) return c->bad;
    return c->slope_s[w] * factor_of(c, w, k, now_s);
}

static cluster of_speeds(const double *speed, uint32_t workers)
{
    cluster c = {.workers = workers, .factor = 1.0};
    for (uint32_t w = 0; w < workers; w++) c.slope_s[w] = 1.0 / speed[w];
    return c;
}

static sgdbal_scheme_config configure(cluster *c, const uint32_t *batch, sgdbal_scheme scheme,
                                      uint64_t iterations)
{
    return (sgdbal_scheme_config){.scheme = scheme, .length.iterations = iterations,
                                  .workers.count = c->workers, .workers.batch = batch,
                                  .workers.time_s = batch_time, .workers.ctx = c};
}

static uint64_t sum_of(const uint32_t *x, uint32_t n)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < n; i++) sum += x[i];
    return sum;
}

/* ---- Rules -------------------------------------------------------------------- */

/* The best batches for known curves: each sample to who then ends first. */
static void best_batches(const cluster *c, uint64_t total, uint32_t *x)
{
    uint32_t w, best;
    for (w = 0; w < c->workers; w++) x[w] = 0;
    while (total-- > 0) {
        for (best = 0, w = 1; w < c->workers; w++)
            if (c->launch_s[w] + c->slope_s[w] * (x[w] + 1.0)
                < (c->launch_s[best] + c->slope_s[best] * (x[best] + 1.0)) * (1.0 - 1e-12))
                best = w;
        x[best]++;
    }
}

static double slowest(const cluster *c, const uint32_t *x)
{
    double most = 0.0;
    for (uint32_t w = 0; w < c->workers; w++)
        most = larger(most, c->launch_s[w] + c->slope_s[w] * x[w]);
    return most * c->factor;
}

static void rule_best(void *ctx, const sgdbal_barrier *b, uint32_t *next)
{
    best_batches((const cluster *)ctx, sum_of(b->batch, b->workers), next);
}

/* In proportion to the speeds that were seen, by largest remainders. */
static void rule_proportional(void *ctx, const sgdbal_barrier *b, uint32_t *next)
{
    const uint64_t total = sum_of(b->batch, b->workers);
    double v = 0.0, rest[MOST];
    uint64_t left = total;
    uint32_t w, best;
    (void)ctx;
    for (w = 0; w < b->workers; w++) v += b->batch[w] / b->time_s[w];
    for (w = 0; w < b->workers; w++) {
        const double share = (double)total * (b->batch[w] / b->time_s[w]) / v;
        next[w] = (uint32_t)share;
        rest[w] = share - floor(share);
        left -= next[w];
    }
    for (; left > 0; left--) {
        for (best = 0, w = 1; w < b->workers; w++)
            if (rest[w] > rest[best]) best = w;
        next[best]++;
        rest[best] = -1.0;
    }
}

/* Alg. 2 of [CWWLL20], as printed; a time is less if it is so by 1e-9 of it. */
enum { HISTORY = 1000 };
typedef struct alg2 {
    double   time_s[HISTORY][MOST];
    double   slowest_s[HISTORY];
    uint64_t seen;
    uint32_t delta, window;
} alg2;

static int less(double a, double b) { return a < b * (1.0 - 1e-9); }

static void rule_alg2(void *ctx, const sgdbal_barrier *b, uint32_t *next)
{
    alg2 *a = (alg2 *)ctx;
    const double *t = a->time_s[a->seen];
    uint32_t leader = 0, straggler = 0;
    uint64_t since = 0;
    int ever = 0;
    memcpy(a->time_s[a->seen++], b->time_s, b->workers * sizeof *t);
    for (uint32_t w = 1; w < b->workers; w++) {
        if (less(t[w], t[leader])) leader = w;
        if (less(t[straggler], t[w])) straggler = w;
    }
    a->slowest_s[a->seen - 1] = t[straggler];
    if (leader == straggler || next[straggler] <= a->delta) return;
    for (uint64_t i = 0; i < a->seen; i++) {
        since = less(a->time_s[i][leader], a->time_s[i][straggler]) ? since + 1 : 0;
        ever |= less(a->time_s[i][straggler], a->time_s[i][leader]);
    }
    if (since >= a->window) {
        next[leader] += a->delta;
        next[straggler] -= a->delta;
    } else if (ever) {
        a->delta = 1;
        a->window = 20;
    }
}

/* ---- Closed forms, constant speeds --------------------------------------------- */

static const double speed4[4] = {1.0, 2.0, 4.0, 8.0};
static const uint32_t batch4[4] = {40, 40, 40, 40};

TEST(bsp_waits_for_the_slowest)
{
    cluster c = of_speeds(speed4, 4);
    sgdbal_scheme_config config = configure(&c, batch4, SGDBAL_BSP, 1000);
    config.barrier_s = 0.25;
    config.against_bsp = 1;
    outcome o = ran(&config);
    CHECK_REL(o.out.total_s, 40250.0, 1e-9);
    CHECK_REL(o.out.per_update_s, 40.25 / 4, 1e-9);
    CHECK_REL(o.out.samples_per_s, 160.0 / 40.25, 1e-9);
    CHECK_REL(o.out.staleness.mean, 0.0, 0.0);
    CHECK_REL(o.out.bsp.reduction, 0.0, 0.0);
    CHECK_REL(o.out.bsp.per_update_s, o.out.per_update_s, 0.0);
    CHECK(o.out.updates == 4000 && o.out.events == 4000);
    for (uint32_t w = 0; w < 4; w++) {
        CHECK_REL(o.waiting[w], 1.0 - 40.0 / speed4[w] / 40.25, 1e-9);
        CHECK(o.batch[w] == 40 && o.pushed[w] == 1000);
    }
}

/* In 40 s the workers make 1 + 2 + 4 + 8 updates. */
TEST(asp_never_waits)
{
    cluster c = of_speeds(speed4, 4);
    sgdbal_scheme_config config = configure(&c, batch4, SGDBAL_ASP, 15 * 100);
    config.barrier_s = 3.0;
    outcome o = ran(&config);
    CHECK_REL(o.out.per_update_s, 40.0 / 15.0, 1e-9);
    CHECK_REL(o.out.samples_per_s, 15.0, 1e-9);
    CHECK(o.out.updates == 6000);
    for (uint32_t w = 0; w < 4; w++) {
        CHECK_REL(o.waiting[w], 0.0, 0.0);
        CHECK(o.pushed[w] == 400u << w);
    }
    /* The slowest's gradient is as old as the others' updates in the meantime. */
    CHECK(o.out.staleness.max == 14);
    CHECK_REL(o.out.staleness.mean, 45.0 / 15.0, 0.01);
}

/* All pulled at once, then one after the other: each gradient is n - 1 updates old. */
TEST(asp_gradients_of_equal_workers_are_one_round_old)
{
    static const double speed[5] = {1.0, 1.0, 1.0, 1.0, 1.0};
    static const uint32_t batch[5] = {1, 1, 1, 1, 1};
    cluster c = of_speeds(speed, 5);
    sgdbal_scheme_config config = configure(&c, batch, SGDBAL_ASP, 100);
    outcome o = ran(&config);
    CHECK_REL(o.out.staleness.mean, (4.0 * 500 - 10) / 500, 1e-12);
    CHECK(o.out.staleness.max == 4);
    CHECK_REL(o.out.total_s, 100.0, 1e-12);
}

/* At 2 s both end: the slow one began before the other, and its push is the last. */
TEST(at_equal_times_who_started_earlier_goes_first)
{
    static const double speed[2] = {1.0, 0.5};
    static const uint32_t batch[2] = {1, 1};
    cluster c = of_speeds(speed, 2);
    sgdbal_scheme_config config = configure(&c, batch, SGDBAL_ASP, 1);
    outcome o = ran(&config);
    CHECK(o.pushed[0] == 1 && o.pushed[1] == 1);
    CHECK_REL(o.out.staleness.mean, 0.5, 0.0);
    CHECK_REL(o.out.total_s, 2.0, 0.0);
}

/* Whatever s, 1,000 more iterations take as long as under BSP. */
TEST(ssp_is_bsp_in_the_long_run)
{
    static const uint32_t gap[5] = {0, 1, 4, 17, 300};
    sgdbal_scheme_config config;
    cluster c = of_speeds(speed4, 4);
    for (size_t i = 0; i < 5; i++) {
        config = configure(&c, batch4, SGDBAL_SSP, 1000);
        config.staleness = gap[i];
        outcome o = ran(&config);
        double before_s = o.out.total_s;
        config.length.iterations = 2000;
        o = ran(&config);
        CHECK_REL((o.out.total_s - before_s) / 4000.0, 40.0 / 4.0, 1e-9);
        CHECK(o.pushed[3] <= o.pushed[0] + gap[i] + 1);
    }
}

TEST(redundant_is_bsp_without_the_slowest)
{
    static const double speed[6] = {3.0, 1.0, 8.0, 2.0, 1.5, 4.0};
    static const uint32_t batch[6] = {24, 24, 24, 24, 24, 24};
    static const double left_out[6] = {0, 1, 0, 0, 1, 0};
    cluster c = of_speeds(speed, 6);
    sgdbal_scheme_config config = configure(&c, batch, SGDBAL_REDUNDANT, 500);
    outcome o = ran(&config);     /* two to spare                    */
    CHECK_REL(o.out.total_s, 500 * 12.0, 1e-9);
    CHECK_REL(o.out.per_update_s, 12.0 / 4, 1e-9);
    CHECK_REL(o.out.samples_per_s, 4 * 24 / 12.0, 1e-9);
    CHECK(o.out.updates == 2000);
    for (uint32_t w = 0; w < 6; w++) {
        CHECK(o.pushed[w] == (left_out[w] > 0.0 ? 0 : 500));
        CHECK_REL(o.waiting[w], larger(0.0, 1.0 - 24 / speed[w] / 12.0), 1e-9);
    }
    config.spare = 5;
    o = ran(&config);
    CHECK_REL(o.out.per_update_s, 3.0, 1e-9);
}

/* What REDUNDANT is compared with has no spare workers: the last ones, here the slowest. */
TEST(bsp_beside_redundant_lacks_the_spare_workers)
{
    static const double speed[4] = {8.0, 4.0, 2.0, 1.0};
    static const uint32_t batch[4] = {24, 24, 24, 24};
    cluster c = of_speeds(speed, 4), fewer = of_speeds(speed, 3);
    sgdbal_scheme_config config = configure(&c, batch, SGDBAL_REDUNDANT, 50);
    const sgdbal_scheme_config bsp = configure(&fewer, batch, SGDBAL_BSP, 50);
    outcome o, of_bsp = ran(&bsp);
    config.spare = 1;
    config.against_bsp = 1;
    o = ran(&config);
    CHECK_REL(o.out.bsp.per_update_s, 12.0 / 3.0, 1e-12);
    CHECK_REL(o.out.bsp.per_update_s, of_bsp.out.per_update_s, 1e-12);
    CHECK_REL(o.out.bsp.reduction, 0.0, 0.0);
}

TEST(lb_bsp_takes_the_batches_that_are_set)
{
    const double v = 1.0 + 2.0 + 4.0 + 8.0;
    uint32_t best[4];
    cluster c = of_speeds(speed4, 4);
    best_batches(&c, 160, best);
    double first_s = 40.0;
    double best_s = slowest(&c, best);
    CHECK(best_s >= 160.0 / v && best_s <= 160.0 / v + 1.0);
    sgdbal_scheme_config config = configure(&c, batch4, SGDBAL_LB_BSP, 100);
    config.balance.rebalance = rule_best;
    config.balance.ctx = &c;
    config.balance.update_s = 0.5;
    config.barrier_s = 0.125;
    outcome o = ran(&config);
    CHECK_REL(o.out.total_s, first_s + 99 * best_s + 100 * 0.625, 1e-9);
    CHECK(memcmp(o.batch, best, sizeof best) == 0);
    config.balance.non_blocking = 1;                       /* knows later, costs nothing      */
    o = ran(&config);
    CHECK_REL(o.out.total_s, 2 * first_s + 98 * best_s + 100 * 0.125, 1e-9);
    CHECK_REL(o.waiting[0], 1.0 - (2 * first_s + 98.0 * best[0]) / o.out.total_s, 1e-9);
}

TEST(flexrr_is_between_lb_bsp_and_bsp)
{
    size_t better = 0;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        uint32_t batch[16], best[16], w;
        double speed[16], v = 0.0, bsp_s = 0.0;
        for (w = 0; w < 16; w++) {
            speed[w] = 1.0 + 9.0 * uniform(seed, w, 0, 0);
            batch[w] = 128;
            v += speed[w];
            bsp_s = larger(bsp_s, 128 / speed[w]);
        }
        cluster c = of_speeds(speed, 16);
        best_batches(&c, 16 * 128, best);
        sgdbal_scheme_config config = configure(&c, batch, SGDBAL_FLEXRR, 20);
        config.against_bsp = 1;
        outcome o = ran(&config);
        CHECK(o.out.total_s <= 20 * bsp_s * (1.0 + 1e-9));
        CHECK(o.out.total_s >= 20 * slowest(&c, best) * (1.0 - 1e-9));
        CHECK(slowest(&c, best) * v >= 16 * 128 * (1.0 - 1e-9));
        CHECK_REL(o.out.bsp.reduction, 1.0 - o.out.total_s / (20 * bsp_s), 1e-9);
        CHECK(sum_of(o.batch, 16) == 16 * 128);
        better += o.out.total_s < 0.999 * 20 * bsp_s;
    }
    CHECK(better == 100);
    printf("    FlexRR faster than BSP on %u of 100\n", (unsigned)better);
}

/* Two workers of speeds 1 and 4 with 100 samples each. */
TEST(flexrr_hands_over_what_it_does_by_hand)
{
    static const double speed[2] = {1.0, 4.0};
    static const uint32_t batch[2] = {100, 100};
    cluster c = of_speeds(speed, 2);
    sgdbal_scheme_config config = configure(&c, batch, SGDBAL_FLEXRR, 1);
    config.flexrr.shed = 0.1;
    config.flexrr.trigger = 0.19;
    config.flexrr.checks = 10;                            /* every 10 s: 10 samples          */
    outcome o = ran(&config);
    /* ends after the checks: 10: 90, 27.5; 20: 80, 30; 30: 70, 32.5; 40 (the other is
     * done): 60, 42.5; 50 (done again): half of the gap of 10 is 5: 55, 51.25 */
    CHECK_REL(o.out.total_s, 55.0, 1e-12);
    CHECK(o.batch[0] == 55 && o.batch[1] == 145 && o.out.handed_over == 45);
    CHECK_REL(o.waiting[0], 0.0, 0.0);
    CHECK_REL(o.waiting[1], 1.0 - 145 / 4.0 / 55.0, 1e-12);
    config.flexrr.migrate_s = 2.0;
    /* 10: 92, 29.5; 20: 84, 34; 30: 76, 38.5; 40: 68, 44.5; 50: gap 18 - 2, half 8:
     * 62, 54; 60: 6 % late, no more */
    o = ran(&config);
    CHECK_REL(o.out.total_s, 62.0, 1e-12);
    CHECK(o.batch[0] == 52 && o.batch[1] == 148);
    config.flexrr.migrate_s = 10.0;                       /* as long as the 10 samples take  */
    outcome before = ran(&config);
    CHECK_REL(before.out.total_s, 100.0, 0.0);
    CHECK(before.out.handed_over == 0);
    CHECK_REL(o.waiting[0], 10.0 / 62.0, 1e-12);
    CHECK_REL(o.waiting[1], 1.0 - 148 / 4.0 / 62.0, 1e-12);
    config.flexrr.trigger = 1e9;                          /* never late enough: BSP          */
    o = ran(&config);
    CHECK_REL(o.out.total_s, 100.0, 0.0);
}

static double slow_until_5(void *ctx, uint32_t w, uint64_t k, double now_s, uint32_t x)
{
    CHECK(ctx == NULL && k == 0 && x == 1);
    return w >= 64 && now_s < 5.0 ? 2.0 : 1.0;
}

/* Half of 128 workers take 2 s for a sample until the first check, at 5 s, and have 7.5 of 10
 * left then: they end at 12.5 s, which is not late enough to hand anything over. */
TEST(flexrr_asks_every_worker_for_its_new_speed)
{
    double speed[MOST];
    uint32_t batch[MOST], w;
    for (w = 0; w < MOST; w++) {
        speed[w] = 1.0;
        batch[w] = 10;
    }
    cluster c = of_speeds(speed, MOST);
    sgdbal_scheme_config config = configure(&c, batch, SGDBAL_FLEXRR, 1);
    config.workers.time_s = NULL;
    config.workers.ctx = NULL;
    config.flexrr.sample_s = slow_until_5;
    config.flexrr.checks = 4;
    config.flexrr.trigger = 1.0;
    outcome o = ran(&config);
    CHECK_REL(o.out.total_s, 12.5, 1e-12);
    CHECK_REL(o.waiting[0], 2.5 / 12.5, 1e-12);
    CHECK(o.out.handed_over == 0);
}

/* Checks every second: 1: 9, 2; 2: 8, 3; 3: 7, 4; 4: 6, 5; 5: a fifth late, no more. */
TEST(flexrr_hands_to_who_has_no_batch)
{
    static const double speed[2] = {1.0, 1.0};
    static const uint32_t batch[2] = {10, 0};
    cluster c = of_speeds(speed, 2);
    sgdbal_scheme_config config = configure(&c, batch, SGDBAL_FLEXRR, 1);
    config.flexrr.shed = 0.1;
    config.flexrr.checks = 10;
    outcome o = ran(&config);
    CHECK(o.batch[0] == 6 && o.batch[1] == 4 && o.out.handed_over == 4);
    CHECK_REL(o.out.total_s, 6.0, 1e-12);
}

/* ---- Sixteen workers of four kinds ---------------------------------------------- */

static const uint32_t balanced[4] = {89, 21, 12, 6}; /* these take 1.16 s             */

static void set_kinds(cluster *c, uint32_t first, uint32_t each)
{
    static const double slope_s[4] = {1.0 / 114.0, 0.03, 0.05, 1.0 / 13.0};
    *c = (cluster){.factor = 1.0};
    for (uint32_t kind = first; kind < 4; kind++)
        for (uint32_t i = 0; i < each; i++) {
            c->launch_s[c->workers] = 1.16 - slope_s[kind] * balanced[kind];
            c->slope_s[c->workers++] = slope_s[kind];
        }
}

TEST_FULL(four_kinds_take_the_published_times)
{
    cluster c;
    uint32_t batch[16], w;
    double inverse = 0.0;
    set_kinds(&c, 0, 4);
    for (w = 0; w < 16; w++) batch[w] = 32;
    for (w = 0; w < 16; w++) inverse += 1.0 / (c.launch_s[w] + c.slope_s[w] * 32);
    sgdbal_scheme_config config = configure(&c, batch, SGDBAL_BSP, 1000);
    outcome o = ran(&config);
    CHECK_REL(o.out.per_update_s, 0.1975, 0.01);
    printf("    per update: BSP %.6f s", o.out.per_update_s);
    config.scheme = SGDBAL_ASP;
    o = ran(&config);
    CHECK_REL(o.out.per_update_s, 0.0843, 0.01);
    CHECK_REL(o.out.per_update_s, 1.0 / inverse, 0.001);
    printf(", ASP %.6f s", o.out.per_update_s);
    config.scheme = SGDBAL_LB_BSP;
    config.balance.rebalance = rule_best;
    config.balance.ctx = &c;
    config.length.iterations = TEST_SIZE(2000, 5000);     /* the first hardly matters        */
    config.against_bsp = 1;
    outcome lb = ran(&config);
    CHECK_REL(lb.out.per_update_s, 0.0725, 0.001);
    for (w = 0; w < 16; w++) CHECK(lb.batch[w] == balanced[w / 4]);
    printf(", LB-BSP %.6f s: %.1f %% below ASP, %.1f %% below BSP\n", lb.out.per_update_s,
           100.0 * (1.0 - lb.out.per_update_s / o.out.per_update_s),
           100.0 * lb.out.bsp.reduction);
    CHECK_REL(lb.out.bsp.reduction, 0.63, 0.01);
    CHECK_REL(1.0 - lb.out.per_update_s / o.out.per_update_s, 0.14, 0.01);
    set_kinds(&c, 1, 4);                           /* without the fast ones           */
    config.workers.count = c.workers;
    lb = ran(&config);
    printf("    without the fast ones LB-BSP is %.1f %% below BSP\n",
           100.0 * lb.out.bsp.reduction);
    CHECK_REL(lb.out.bsp.reduction, 0.36, 0.01);
}

/* The published rule gets there step by step. */
TEST(alg_2_balances_four_kinds_within_100)
{
    static alg2 rule;
    cluster c;
    uint32_t batch[16], w;
    size_t i;
    set_kinds(&c, 0, 4);
    for (w = 0; w < 16; w++) batch[w] = 32;
    memset(&rule, 0, sizeof rule);
    rule.delta = rule.window = 5;
    sgdbal_scheme_config config = configure(&c, batch, SGDBAL_LB_BSP, HISTORY);
    config.balance.rebalance = rule_alg2;
    config.balance.ctx = &rule;
    outcome o = ran(&config);
    CHECK(rule.seen == HISTORY);                   /* the last barrier asks, too      */
    for (i = 0; i < HISTORY && rule.slowest_s[i] > 1.16 * 1.001; i++) continue;
    CHECK(i < 100);
    printf("    Alg. 2: %.4f s at iteration %u, mean of 1000 %.4f s\n",
           rule.slowest_s[i < 100 ? i : 99], (unsigned)i + 1, o.out.total_s / 1000);
    CHECK_REL(o.out.total_s / 1000, 1.207, 0.001);
}

/* Four workers: the start and the end of the published figure, then its change. */
TEST(alg_2_balances_four_workers_after_39)
{
    static alg2 rule;
    static const uint32_t batch[4] = {32, 32, 32, 32};
    cluster c;
    set_kinds(&c, 0, 1);
    memset(&rule, 0, sizeof rule);
    rule.delta = rule.window = 5;
    sgdbal_scheme_config config = configure(&c, batch, SGDBAL_LB_BSP, 39);
    config.balance.rebalance = rule_alg2;
    config.balance.ctx = &rule;
    outcome o = ran(&config);
    CHECK(memcmp(o.batch, balanced, sizeof balanced) != 0);
    CHECK(rule.slowest_s[4] >= 3.16 * 0.999);      /* 3.16 s until iteration 5        */
    memset(&rule, 0, sizeof rule);
    rule.delta = rule.window = 5;
    config.length.iterations = 150;
    o = ran(&config);
    CHECK(memcmp(o.batch, balanced, sizeof balanced) == 0);
    CHECK_REL(rule.slowest_s[39], 1.16, 1e-5);     /* set after iteration 39          */
    CHECK(rule.slowest_s[38] > 1.161);
}

/* ---- The oracle ------------------------------------------------------------------- */

/* A random cluster, with its batches and a run of it. */
typedef struct drawn {
    cluster              c;
    uint32_t             batch[MOST];
    sgdbal_scheme_config config;
} drawn;

static void draw(drawn *d, uint64_t seed, sgdbal_scheme scheme)
{
    const uint32_t kind = (uint32_t)(random_of(seed, 1, 0, 0) % 4);
    sgdbal_scheme_config *config = &d->config;
    cluster *c = &d->c;
    *c = (cluster){.workers = 3 + (uint32_t)(random_of(seed, 2, 0, 0) % 22), .factor = 1.0,
                   .seed = kind == 0 ? 0 : seed, .by_time = kind == 1};
    for (uint32_t w = 0; w < c->workers; w++) {
        c->slope_s[w] = 0.01 + 0.1 * uniform(seed, 3, w, 0);
        if (kind == 3) c->launch_s[w] = uniform(seed, 4, w, 0);
        d->batch[w] = 1 + (uint32_t)(random_of(seed, 5, w, 0) % 150);
    }
    *config = configure(c, d->batch, scheme,
                        1 + random_of(seed, 6, 0, 0) % (scheme == SGDBAL_FLEXRR ? 20 : 60));
    config->barrier_s = kind == 2 ? uniform(seed, 7, 0, 0) : 0.0;
    config->staleness = (uint32_t)(random_of(seed, 8, 0, 0) % 6);
    config->spare = (uint32_t)(random_of(seed, 9, 0, 0) % c->workers);
    if (config->spare == 0 && c->workers < 3) config->spare = 1;
    config->balance.rebalance = seed % 2 ? rule_best : rule_proportional;
    config->balance.ctx = c;
    config->balance.non_blocking = seed % 3 == 0;
    config->balance.update_s = 0.1;
    config->flexrr.sample_s = scheme == SGDBAL_FLEXRR && seed % 3 == 1 ? sample_time : NULL;
    config->flexrr.ctx = c;
    if (seed % 2) config->flexrr.migrate_s = 0.02 * uniform(seed, 10, 0, 0);
    if (seed % 5 == 0) config->flexrr.shed = uniform(seed, 11, 0, 0);
    if (seed % 5 == 1) config->flexrr.checks = 1 + (uint32_t)(random_of(seed, 12, 0, 0) % 300);
    if (seed % 5 == 2) config->flexrr.trigger = uniform(seed, 13, 0, 0);
}

/* The largest difference, and whether what is counted is the same. */
static double distance(const sgdbal_scheme_config *config, const oracle *want,
                       const outcome *got)
{
    double far = fabs(got->out.total_s / want->now_s - 1.0);
    far = larger(far, fabs(got->out.samples_per_s * want->now_s / (double)want->samples
                           - 1.0));
    far = larger(far, fabs(got->out.per_update_s * (double)want->pushes / want->now_s - 1.0));
    far = larger(far, fabs(got->out.staleness.mean * (double)want->pushes
                           - (double)want->staleness) / (double)want->pushes);
    if (got->out.staleness.max != want->staleness_max) return HUGE_VAL;
    if (got->out.handed_over != want->handed_over) return HUGE_VAL;
    if (got->out.bsp.per_update_s > 0.0 || got->out.bsp.reduction > 0.0) return HUGE_VAL;
    for (uint32_t w = 0; w < config->workers.count; w++) {
        const oracle_worker *x = want->worker + w;
        far = larger(far, fabs(got->waiting[w] - (1.0 - x->computing_s / want->now_s)));
        if (got->batch[w] != x->batch || got->pushed[w] != x->finished) return HUGE_VAL;
    }
    return far;
}

static void against_oracle(sgdbal_scheme scheme, const char *name)
{
    uint64_t failed = 0, moved = 0;
    const uint64_t count = TEST_SIZE(25, 400);
    double worst = 0.0;
    for (uint64_t seed = 1; seed <= count; seed++) {
        drawn d;
        outcome got;
        oracle want;
        double far = HUGE_VAL;
        draw(&d, seed, scheme);
        if (run(&d.config, &got) == SGDBAL_OK) {
            oracle_new(&want, &d.config);
            oracle_run(&want);
            far = distance(&d.config, &want, &got);
            moved += got.out.handed_over;
            oracle_free(&want);
        }
        if (!(far <= 1e-9) && failed++ == 0)
            fprintf(stderr, "    %s: seed %u is the first to differ\n", name, (unsigned)seed);
        worst = larger(worst, far);
    }
    printf("    %-10s %u random cases: largest difference %.2e\n", name, (unsigned)count,
           worst);
    CHECK(failed == 0);
    CHECK((moved > 0) == (scheme == SGDBAL_FLEXRR));
}

TEST(bsp_is_its_textbook_form) { against_oracle(SGDBAL_BSP, "BSP"); }
TEST(asp_is_its_textbook_form) { against_oracle(SGDBAL_ASP, "ASP"); }
TEST(ssp_is_its_textbook_form) { against_oracle(SGDBAL_SSP, "SSP"); }
TEST(redundant_is_its_textbook_form) { against_oracle(SGDBAL_REDUNDANT, "redundant"); }
TEST(lb_bsp_is_its_textbook_form) { against_oracle(SGDBAL_LB_BSP, "LB-BSP"); }
TEST(flexrr_is_its_textbook_form) { against_oracle(SGDBAL_FLEXRR, "FlexRR"); }

/* ---- Laws -------------------------------------------------------------------------- */

TEST(ssp_without_slack_is_bsp)
{
    for (uint64_t seed = 1; seed <= 200; seed++) {
        drawn d;
        draw(&d, seed, SGDBAL_BSP);
        d.config.barrier_s = 0.0;
        outcome bsp = ran(&d.config);
        d.config.scheme = SGDBAL_SSP;
        d.config.staleness = 0;
        outcome ssp = ran(&d.config);
        CHECK_REL(ssp.out.total_s, bsp.out.total_s, 0.0);
        CHECK_REL(ssp.out.per_update_s, bsp.out.per_update_s, 0.0);
        CHECK_REL(ssp.out.samples_per_s, bsp.out.samples_per_s, 0.0);
        CHECK(memcmp(ssp.waiting, bsp.waiting, d.config.workers.count * sizeof(double)) == 0);
        CHECK(memcmp(ssp.pushed, bsp.pushed, d.config.workers.count * sizeof(uint64_t)) == 0);
    }
}

TEST(ssp_with_much_slack_is_asp)
{
    for (uint64_t seed = 1; seed <= 50; seed++) {
        drawn d;
        draw(&d, seed, SGDBAL_ASP);
        outcome asp = ran(&d.config);
        d.config.scheme = SGDBAL_SSP;
        d.config.staleness = UINT32_MAX;
        outcome ssp = ran(&d.config);
        CHECK_REL(ssp.out.total_s, asp.out.total_s, 0.0);
        CHECK_REL(ssp.out.staleness.mean, asp.out.staleness.mean, 0.0);
    }
}

TEST(same_seed_same_bits)
{
    for (int scheme = 0; scheme < SGDBAL_SCHEME_COUNT; scheme++) {
        for (uint64_t seed = 1; seed <= 20; seed++) {
            drawn d;
            outcome a, b;
            draw(&d, seed, (sgdbal_scheme)scheme);
            memset(&a, 0, sizeof a);
            memset(&b, 0, sizeof b);
            CHECK_STATUS(run(&d.config, &a), SGDBAL_OK);
            CHECK_STATUS(run(&d.config, &b), SGDBAL_OK);
            b.out.workers.waiting_share = a.out.workers.waiting_share;
            b.out.workers.last_batch = a.out.workers.last_batch;
            b.out.workers.pushed = a.out.workers.pushed;
            CHECK(memcmp(&a, &b, sizeof a) == 0);
        }
    }
}

/* Twice the times: twice the result, to the bit. */
TEST(twice_the_times_take_twice_as_long)
{
    for (int scheme = 0; scheme < SGDBAL_SCHEME_COUNT; scheme++) {
        for (uint64_t seed = 1; seed <= TEST_SIZE(10, 50); seed++) {
            drawn d;
            draw(&d, seed, (sgdbal_scheme)scheme);
            outcome a = ran(&d.config);
            d.c.factor = 2.0;
            d.config.barrier_s *= 2.0;
            d.config.balance.update_s *= 2.0;
            d.config.flexrr.migrate_s *= 2.0;
            outcome b = ran(&d.config);
            CHECK_REL(b.out.total_s, 2.0 * a.out.total_s, 0.0);
            CHECK_REL(b.out.samples_per_s, 0.5 * a.out.samples_per_s, 0.0);
            CHECK(b.out.handed_over == a.out.handed_over);
            CHECK(memcmp(a.waiting, b.waiting, d.config.workers.count * sizeof(double)) == 0);
            CHECK(memcmp(a.batch, b.batch, d.config.workers.count * sizeof(uint32_t)) == 0);
        }
    }
}

/* Speeds that do not change may be told by the sample, too. */
TEST(flexrr_by_sample_is_flexrr_by_batch)
{
    for (uint64_t seed = 0; seed < 400; seed += 4) {        /* batches that are a power of two */
        drawn d;
        draw(&d, seed + 1, SGDBAL_FLEXRR);
        memset(d.c.launch_s, 0, sizeof d.c.launch_s);
        d.c.seed = 0;
        for (uint32_t w = 0; w < d.c.workers; w++) d.batch[w] = 1u << (seed % 7 + w % 2);
        d.config.flexrr.sample_s = NULL;
        d.config.against_bsp = 1;
        outcome a = ran(&d.config);
        d.config.flexrr.sample_s = sample_time;
        d.config.flexrr.ctx = &d.c;
        outcome b = ran(&d.config);
        CHECK_REL(b.out.total_s, a.out.total_s, 1e-9);
        CHECK(memcmp(a.batch, b.batch, d.c.workers * sizeof(uint32_t)) == 0);
        CHECK(d.config.flexrr.migrate_s > 0.0 || a.out.bsp.reduction >= -1e-12);
    }
}

/* ---- What callers are told ---------------------------------------------------------- */

typedef struct listener {
    const sgdbal_scheme_config *config;
    double   now_s;
    int      bad;
    uint64_t version, pulls, pushes, updates, staleness, staleness_max, samples, total;
    uint64_t gradients;                            /* since the last update           */
    uint64_t pulled[MOST], finished[MOST], gap;
    int      open[MOST];
} listener;

static void listen(void *ctx, const sgdbal_model_event *e)
{
    listener *l = (listener *)ctx;
    const int barriers = l->config->scheme != SGDBAL_ASP
                         && l->config->scheme != SGDBAL_SSP;
    l->bad |= e->now_s < l->now_s || e->op > SGDBAL_UPDATE;
    l->now_s = e->now_s;
    if (e->op == SGDBAL_UPDATE) {
        l->bad |= e->version != ++l->version || l->gradients == 0;
        l->bad |= barriers ? e->worker != UINT32_MAX || e->iteration + 1 != e->version
                           : e->worker >= l->config->workers.count || l->gradients != 1;
        l->gradients = 0;
        l->updates++;
        if (barriers && l->config->scheme == SGDBAL_FLEXRR)
            l->bad |= l->samples != l->total;      /* none lost, none twice           */
        l->samples = 0;
        return;
    }
    if (e->op == SGDBAL_PULL) {
        l->bad |= e->version != l->version || (!barriers && l->open[e->worker]);
        l->bad |= e->iteration != (barriers ? l->version : l->finished[e->worker]);
        l->pulled[e->worker] = e->version;
        l->open[e->worker] = 1;
        l->pulls++;
        return;
    }
    l->bad |= !l->open[e->worker] || e->version != l->pulled[e->worker];
    l->bad |= e->staleness != l->version - e->version;
    l->open[e->worker] = 0;
    l->staleness += e->staleness;
    if (e->staleness > l->staleness_max) l->staleness_max = e->staleness;
    l->samples += e->samples;
    l->gradients++;
    l->pushes++;
    l->finished[e->worker]++;
    for (uint32_t w = 0; w < l->config->workers.count; w++)
        if (l->finished[e->worker] > l->finished[w] + l->gap)
            l->gap = l->finished[e->worker] - l->finished[w];
}

TEST(events_tell_the_run)
{
    for (int scheme = 0; scheme < SGDBAL_SCHEME_COUNT; scheme++) {
        for (uint64_t seed = 1; seed <= TEST_SIZE(10, 60); seed++) {
            drawn d;
            draw(&d, seed, (sgdbal_scheme)scheme);
            outcome quiet = ran(&d.config);
            listener l = {.config = &d.config, .total = sum_of(d.batch, d.c.workers)};
            d.config.watch.on_event = listen;
            d.config.watch.ctx = &l;
            outcome told = ran(&d.config);
            CHECK(!l.bad);
            CHECK(l.pushes == told.out.updates && l.pulls >= l.pushes);
            CHECK(l.staleness_max == told.out.staleness.max);
            CHECK_REL(told.out.staleness.mean, (double)l.staleness / (double)l.pushes, 1e-12);
            CHECK_REL(told.out.total_s, quiet.out.total_s, 0.0);
            CHECK(memcmp(told.pushed, l.finished, d.c.workers * sizeof(uint64_t)) == 0);
        }
    }
}

/* Finished iterations differ by s + 1 at most, and by no less. */
TEST(ssp_keeps_its_bound)
{
    for (uint32_t s = 0; s < 8; s++) {
        for (uint64_t seed = 1; seed <= 40; seed++) {
            drawn d;
            draw(&d, seed, SGDBAL_SSP);
            listener l = {.config = &d.config};
            d.config.staleness = s;
            d.config.watch.on_event = listen;
            d.config.watch.ctx = &l;
            (void)ran(&d.config);
            CHECK(l.gap <= s + 1u);
            if (d.config.length.iterations > 20 && d.c.seed == 0) CHECK(l.gap == s + 1u);
        }
    }
}

/* Which iteration a rule knows. */
typedef struct witness { cluster *c; int bad; uint64_t calls, delay; } witness;

static void rule_witness(void *ctx, const sgdbal_barrier *b, uint32_t *next)
{
    witness *x = (witness *)ctx;
    x->bad |= b->next != b->iteration + 1 + x->delay || b->iteration != x->calls++;
    for (uint32_t w = 0; w < b->workers; w++) {
        const double want_s =
            x->c->slope_s[w] * b->batch[w] * factor_of(x->c, w, b->iteration, 0.0);
        x->bad |= b->batch[w] != (b->iteration == 0 || (x->delay && b->iteration == 1)
                                      ? 40 : 10 + (b->iteration + w) % 50);
        x->bad |= !(fabs(b->time_s[w] - want_s) <= 1e-12 * want_s);
        next[w] = 10 + (uint32_t)((b->next + w) % 50);
    }
}

TEST(rules_know_what_they_may)
{
    cluster c;
    witness x;
    sgdbal_scheme_config config;
    for (int delay = 0; delay < 2; delay++) {
        c = of_speeds(speed4, 4);
        c.seed = 7;
        x = (witness){.c = &c, .delay = (uint64_t)delay};
        config = configure(&c, batch4, SGDBAL_LB_BSP, 50);
        config.balance.rebalance = rule_witness;
        config.balance.ctx = &x;
        config.balance.non_blocking = delay;
        outcome o = ran(&config);
        CHECK(!x.bad);
        CHECK(x.calls == 50u - x.delay);
        CHECK(o.batch[2] == 10 + (49 + 2) % 50);
    }
}

/* ---- LB-BSP with a balancer ------------------------------------------------------------ */

/* What a worker has of its machine, and its speed, which follows from that. */
static void usage_of(const cluster *c, uint32_t w, uint64_t k, double at_s, double *cpu,
                     double *memory)
{
    const uint64_t when = c->by_time ? (uint64_t)(at_s * 3.0) : k;
    *cpu = 0.2 + uniform(c->seed, w, when / 5, 1) + 0.1 * uniform(c->seed, w, when, 2);
    *memory = 0.3 + uniform(c->seed, w, when / 7, 3);
}

static double shared_time(void *ctx, uint32_t w, uint64_t k, double start_s, uint32_t x)
{
    const cluster *c = (const cluster *)ctx;
    double cpu, memory;
    usage_of(c, w, k, start_s, &cpu, &memory);
    return (double)x * c->slope_s[w] / (cpu * (0.5 + memory));
}

static void shared_usage(void *ctx, uint32_t w, uint64_t k, double start_s, double *cpu,
                         double *memory)
{
    cluster *c = (cluster *)ctx;
    if (++c->calls == c->bad_call) { *cpu = *memory = c->bad; return; }
    usage_of(c, w, k, start_s, cpu, memory);
}

/* The balancer and the predictors of LB-BSP, called as a training loop calls them. */
typedef struct by_hand {
    cluster          *c;
    sgdbal_balancer  *balancer;
    sgdfc_forecaster *predictor[MOST];             /* NULL: none                      */
    void             *work[MOST + 1];
    double            started_s[2];                /* of even and odd iterations      */
    double            guess[MOST], squares[MOST];
    uint64_t          scored[MOST], first;         /* first iteration that is scored  */
    int               known[MOST];                 /* guess is one                    */
} by_hand;

static void hand_open(by_hand *h, cluster *c, const sgdbal_scheme_config *config)
{
    sgdbal_balancer_config balance = *config->balance.config;
    sgdfc_config of = ((const foresight *)config->balance.forecast.speed_ctx)->config;
    size_t bytes = 0;
    *h = (by_hand){.c = c, .first = config->balance.forecast.score_from};
    balance.workers = c->workers;
    balance.start = config->workers.batch;
    balance.total = 0;
    CHECK_STATUS(sgdbal_balancer_bytes(&balance, &bytes), SGDBAL_OK);
    h->work[MOST] = get_dirt(bytes);
    CHECK_STATUS(sgdbal_balancer_open(&balance, h->work[MOST], bytes, &h->balancer), SGDBAL_OK);
    for (uint32_t w = 0; w < c->workers && balance.method == SGDBAL_BY_SPEED; w++, of.seed++) {
        CHECK_STATUS(sgdfc_bytes(&of, &bytes), SGDFC_OK);
        h->work[w] = get_dirt(bytes);
        CHECK_STATUS(sgdfc_open(&of, h->work[w], bytes, h->predictor + w), SGDFC_OK);
    }
}

static void hand_close(by_hand *h)
{
    for (uint32_t w = 0; w <= MOST; w++) free(h->work[w]);
}

/* At a barrier of a blocking run the next iteration starts now; otherwise the one that
 * the decision runs beside has started at the last barrier. */
static void rule_by_hand(void *ctx, const sgdbal_barrier *b, uint32_t *next)
{
    by_hand *h = (by_hand *)ctx;
    const double known_s = h->started_s[b->iteration % 2];
    sgdbal_iteration it = {NULL, NULL, NULL, NULL};
    h->started_s[b->next % 2] = b->next == b->iteration + 1 ? b->now_s : known_s;
    for (uint32_t w = 0; w < b->workers && h->predictor[0]; w++) {
        const double v = b->batch[w] / b->time_s[w];
        double cpu, memory;
        if (b->batch[w] > 0) {
            if (h->known[w] && b->iteration >= h->first) {
                h->squares[w] += (h->guess[w] - v) * (h->guess[w] - v);
                h->scored[w]++;
            }
            h->known[w] = 1;
            usage_of(h->c, w, b->iteration, known_s, &cpu, &memory);
            CHECK_STATUS(sgdfc_observe(h->predictor[w], v, cpu, memory), SGDFC_OK);
        }
        usage_of(h->c, w, b->iteration + 1, b->now_s, &cpu, &memory);
        if (h->known[w])
            CHECK_STATUS(sgdfc_predict(h->predictor[w], cpu, memory, h->guess + w), SGDFC_OK);
    }
    it.time_s = b->time_s;
    it.batch = b->batch;
    if (h->predictor[0]) it.predicted = h->guess;
    CHECK_STATUS(sgdbal_balancer_step(h->balancer, &it, next, NULL), SGDBAL_OK);
}

/* By iteration alone where a decision is not waited for: of such a run the callback does
 * not know when the iteration started that it runs beside. */
static void draw_lb(drawn *d, uint64_t seed, sgdbal_balancer_config *balance, foresight *f)
{
    sgdbal_scheme_config *config = &d->config;
    draw(d, seed, SGDBAL_LB_BSP);
    *balance = (sgdbal_balancer_config){.method = seed % 5 < 3 ? SGDBAL_BY_SPEED
                                                               : SGDBAL_BY_PAIRS,
                                        .workers = 1, .total = 3}; /* which the run sets  */
    for (uint32_t w = 0; w < d->c.workers; w++) d->batch[w] += 20;
    d->c.seed = seed;
    config->balance.non_blocking = seed % 3 == 0;
    d->c.by_time = !config->balance.non_blocking && seed % 2;
    config->length.iterations = 60;
    config->workers.time_s = shared_time;
    config->balance.forecast.usage = shared_usage;
    config->balance.forecast.usage_ctx = &d->c;
    config->balance.rebalance = NULL;
    config->balance.config = balance;
    config->balance.forecast.speed = foresee;
    config->balance.forecast.speed_ctx = f;
    config->balance.forecast.score_from = seed % 4 * 10;
    CHECK_STATUS(sgdbal_pairs_preset(seed % 2 ? SGDBAL_ADVISED : SGDBAL_PUBLISHED,
                                     &balance->pairs), SGDBAL_OK);
    *f = (foresight){.config.kind = (sgdfc_kind)(seed % SGDFC_KIND_COUNT), .config.train = 20,
                     .config.epochs = 2, .config.seed = seed};
}

TEST(a_balancer_does_what_its_callback_would)
{
    const uint64_t cases = TEST_SIZE(21, 420);
    size_t moved = 0, scored = 0;
    for (uint64_t seed = 1; seed <= cases; seed++) {
        sgdbal_balancer_config balance;
        uint32_t with = 0;
        foresight foreseen;
        drawn d;
        by_hand h;
        double sum = 0.0;
        draw_lb(&d, seed, &balance, &foreseen);
        outcome inside = ran(&d.config);
        hand_open(&h, &d.c, &d.config);
        d.config.balance.config = NULL;
        d.config.balance.rebalance = rule_by_hand;
        d.config.balance.ctx = &h;
        outcome by_callback = ran(&d.config);
        CHECK_REL(inside.out.total_s, by_callback.out.total_s, 0.0);
        CHECK(memcmp(inside.batch, by_callback.batch, d.c.workers * sizeof *d.batch) == 0);
        CHECK(memcmp(inside.waiting, by_callback.waiting, d.c.workers * sizeof(double)) == 0);
        for (uint32_t w = 0; w < d.c.workers; w++) {
            moved += inside.batch[w] != d.batch[w];
            if (h.scored[w] == 0) continue;
            sum += sqrt(h.squares[w] / (double)h.scored[w]);
            scored += (size_t)h.scored[w];
            with++;
        }
        CHECK_REL(inside.out.predictions.rmse, with > 0 ? sum / with : 0.0, 0.0);
        CHECK((inside.out.predictions.count > 0) == (balance.method == SGDBAL_BY_SPEED));
        hand_close(&h);
        foresee_close(&foreseen);
    }
    CHECK(moved > 4 * cases && scored > 90 * cases);
}

/* Constant speeds are predicted without an error; of the first iteration, nothing. */
TEST(what_nobody_predicted_is_not_scored)
{
    sgdbal_balancer_config balance = {0};
    cluster c = of_speeds(speed4, 4);
    sgdbal_scheme_config config = configure(&c, batch4, SGDBAL_LB_BSP, 50);
    config.balance.config = &balance;
    outcome o = ran(&config);
    CHECK_REL(o.out.predictions.rmse, 0.0, 0.0);
    CHECK(o.out.predictions.count == 4 * 49);
    config.balance.forecast.score_from = 30;
    o = ran(&config);
    CHECK(o.out.predictions.count == 4 * 20);
    config.balance.forecast.score_from = 50;
    o = ran(&config);
    CHECK(o.out.predictions.count == 0);
    CHECK_REL(o.out.predictions.rmse, 0.0, 0.0);
}

/* Without memory the next speed is foretold to be the last. */
TEST(the_error_of_one_worker_is_that_of_its_speeds)
{
    static const double speed[1] = {2.0};
    static const uint32_t batch[1] = {10};
    double sum = 0.0;
    sgdbal_balancer_config balance = {0};
    cluster c = of_speeds(speed, 1);
    c.seed = 1;
    sgdbal_scheme_config config = configure(&c, batch, SGDBAL_LB_BSP, 50);
    config.balance.config = &balance;
    outcome o = ran(&config);
    for (uint64_t k = 1; k < 50; k++) {
        const double off = 2.0 / factor_of(&c, 0, k, 0.0) - 2.0 / factor_of(&c, 0, k - 1, 0.0);
        sum += off * off;
    }
    CHECK(o.out.predictions.count == 49 && sum > 0.0);
    CHECK_REL(o.out.predictions.rmse, sqrt(sum / 49.0), 1e-12);
}

/* A worker without a batch has no speed until it gets one, which here never happens. */
TEST(a_worker_that_never_had_a_batch_gets_none)
{
    static const uint32_t batch[4] = {40, 0, 40, 40};
    sgdbal_balancer_config balance = {0};
    cluster c = of_speeds(speed4, 4);
    sgdbal_scheme_config config = configure(&c, batch, SGDBAL_LB_BSP, 20);
    config.balance.config = &balance;
    outcome o = ran(&config);
    CHECK(o.batch[1] == 0 && sum_of(o.batch, 4) == 120 && o.out.predictions.count == 3 * 19);
    CHECK_REL(o.out.predictions.rmse, 0.0, 0.0);
}

/* In all schemes; a batch of 0 takes no time, whatever launch and communication. */
TEST(curves_give_the_times_of_a_callback)
{
    for (int scheme = 0; scheme < SGDBAL_SCHEME_COUNT; scheme++) {
        for (uint64_t seed = 1; seed <= TEST_SIZE(12, 40); seed++) {
            drawn d;
            sgdbal_worker worker[MOST];
            draw(&d, 4 * seed + 3, (sgdbal_scheme)scheme);
            d.c.seed = 0;
            memset(worker, 0, sizeof worker);
            for (uint32_t w = 0; w < d.c.workers; w++) {
                worker[w].launch_s = d.c.launch_s[w];
                worker[w].slope_s = d.c.slope_s[w];
            }
            d.config.flexrr.sample_s = NULL;
            d.config.against_bsp = 1;
            outcome asked = ran(&d.config);
            d.config.workers.curve = worker;
            d.config.workers.time_s = NULL;
            outcome known = ran(&d.config);
            CHECK_REL(known.out.total_s, asked.out.total_s, 0.0);
            CHECK_REL(known.out.bsp.reduction, asked.out.bsp.reduction, 0.0);
            CHECK(memcmp(known.batch, asked.batch, d.c.workers * sizeof *d.batch) == 0);
            if (scheme != SGDBAL_BSP) continue;
            d.batch[0] = 0;
            known = ran(&d.config);
            CHECK_REL(known.waiting[0], 1.0, 0.0);
        }
    }
}

/* Unless the balancer is told other limits. */
TEST(batches_stay_within_the_memory_of_curves)
{
    static const uint32_t larger_ones[4] = {0, 0, 0, 80};
    const sgdbal_worker worker[4] = {{0.0, 1.0, 0.0, 0.0, 0}, {0.0, 0.5, 0.0, 0.0, 0},
                                     {0.0, 0.25, 0.0, 0.0, 0}, {0.0, 0.125, 0.0, 0.0, 60}};
    sgdbal_balancer_config balance = {0};
    cluster c = of_speeds(speed4, 4);
    sgdbal_scheme_config config = configure(&c, batch4, SGDBAL_LB_BSP, 5);
    config.workers.curve = worker;
    config.balance.config = &balance;
    outcome o = ran(&config);
    CHECK(o.batch[3] == 60 && sum_of(o.batch, 4) == 160);
    balance.max_batch = larger_ones;
    o = ran(&config);
    CHECK(o.batch[3] == 80 && sum_of(o.batch, 4) == 160);
}

/* ---- Bad input ------------------------------------------------------------------------ */

static void rule_zero(void *ctx, const sgdbal_barrier *b, uint32_t *next)
{
    (void)ctx;
    memset(next, 0, b->workers * sizeof *next);
}

/* Refused, and nothing of the result written. */
static void refused(const sgdbal_scheme_config *config, sgdbal_status want)
{
    outcome o, before;
    static double work[MOST * 40];
    memset(&o, 0x5a, sizeof o);
    o.out.workers.waiting_share = o.waiting;
    o.out.workers.last_batch = o.batch;
    o.out.workers.pushed = o.pushed;
    before = o;
    sgdbal_status status = sgdbal_scheme_run(config, work, sizeof work, &o.out);
    CHECK_STATUS(status, want);
    CHECK(memcmp(&o, &before, sizeof o) == 0);
}

/* Says why, where it is the config alone. */
static void refused_for(const sgdbal_scheme_config *config, sgdbal_fault want, size_t worker)
{
    sgdbal_refusal why = {SGDBAL_FAULT_NONE, 77};
    size_t bytes = 0;
    const sgdbal_status status = sgdbal_scheme_check(config, &why);
    CHECK_STATUS(status, sgdbal_scheme_bytes(config, &bytes));
    CHECK((status == SGDBAL_OK) == (want == SGDBAL_FAULT_NONE));
    CHECK(why.reason == want && why.worker == (status == SGDBAL_OK ? 77 : worker));
    CHECK_STATUS(sgdbal_scheme_check(config, NULL), status);
}

#define FAULTY(change, status, fault) \
    (config = good, (change), refused(&config, (status)), refused_for(&config, (fault), 0))

TEST(constants_out_of_domain_are_refused)
{
    const double bad[3] = {-1.0, HUGE_VAL, (double)NAN};
    sgdbal_scheme_config good, config;
    size_t bytes = 0;
    cluster c = of_speeds(speed4, 4);
    good = configure(&c, batch4, SGDBAL_BSP, 10);
    for (size_t i = 0; i < 3; i++) {
        FAULTY(config.barrier_s = bad[i], SGDBAL_BAD_ARGUMENT, SGDBAL_FAULT_BARRIER);
        FAULTY(config.balance.update_s = bad[i], SGDBAL_BAD_ARGUMENT, SGDBAL_FAULT_UPDATE);
        FAULTY(config.flexrr.migrate_s = bad[i], SGDBAL_BAD_ARGUMENT, SGDBAL_FAULT_MIGRATE);
        FAULTY(config.flexrr.trigger = bad[i], SGDBAL_BAD_ARGUMENT, SGDBAL_FAULT_TRIGGER);
        FAULTY(config.flexrr.shed = bad[i], SGDBAL_BAD_ARGUMENT, SGDBAL_FAULT_SHED);
    }
    CHECK_TEXT(sgdbal_fault_text(SGDBAL_FAULT_SPARE),
               "as many spare workers as workers, or more");
    CHECK_STATUS(sgdbal_scheme_check(NULL, NULL), SGDBAL_BAD_ARGUMENT);
    CHECK_STATUS(sgdbal_scheme_bytes(NULL, &bytes), SGDBAL_BAD_ARGUMENT);
    CHECK_STATUS(sgdbal_scheme_bytes(&good, NULL), SGDBAL_BAD_ARGUMENT);
    CHECK_STATUS(sgdbal_scheme_bytes(&good, &bytes), SGDBAL_OK);
    CHECK(bytes > 0 && bytes <= 4 * 200);
}

TEST(configurations_out_of_domain_are_refused)
{
    static const uint32_t zeros[4] = {0, 0, 0, 0};
    static const uint32_t many[4] = {UINT32_MAX, 1, 1, 1};
    sgdbal_scheme_config good, config;
    cluster c = of_speeds(speed4, 4);
    good = configure(&c, batch4, SGDBAL_BSP, 10);
    FAULTY(config.workers.count = 0, SGDBAL_BAD_ARGUMENT, SGDBAL_FAULT_WORKERS);
    FAULTY(config.workers.count = 0x80000000u, SGDBAL_TOO_LARGE, SGDBAL_FAULT_WORKERS);
    FAULTY(config.length.iterations = 0, SGDBAL_BAD_ARGUMENT, SGDBAL_FAULT_ITERATIONS);
    FAULTY(config.length.iterations = UINT64_MAX / 2,
            SGDBAL_TOO_LARGE, SGDBAL_FAULT_ITERATIONS);
    FAULTY(config.workers.batch = NULL, SGDBAL_BAD_ARGUMENT, SGDBAL_FAULT_BATCHES);
    FAULTY(config.workers.batch = zeros, SGDBAL_BAD_ARGUMENT, SGDBAL_FAULT_BATCHES);
    FAULTY(config.workers.time_s = NULL, SGDBAL_BAD_ARGUMENT, SGDBAL_FAULT_TIMES);
    FAULTY(config.scheme = SGDBAL_SCHEME_COUNT, SGDBAL_BAD_ARGUMENT, SGDBAL_FAULT_SCHEME);
    FAULTY(config.scheme = SGDBAL_LB_BSP, SGDBAL_BAD_ARGUMENT, SGDBAL_FAULT_BALANCE);
    FAULTY((config.scheme = SGDBAL_REDUNDANT, config.spare = 4),
            SGDBAL_BAD_ARGUMENT, SGDBAL_FAULT_SPARE);
    FAULTY((config.scheme = SGDBAL_REDUNDANT, config.workers.count = 2),
            SGDBAL_BAD_ARGUMENT, SGDBAL_FAULT_SPARE);
    FAULTY((config.scheme = SGDBAL_FLEXRR, config.workers.batch = many),
            SGDBAL_TOO_LARGE, SGDBAL_FAULT_SAMPLES);
    FAULTY((config.scheme = SGDBAL_FLEXRR, config.flexrr.shed = 1.5),
            SGDBAL_BAD_ARGUMENT, SGDBAL_FAULT_SHED);
    FAULTY((config.scheme = SGDBAL_FLEXRR, config.flexrr.sample_s = sample_time,
            config.workers.time_s = NULL, config.against_bsp = 1),
            SGDBAL_BAD_ARGUMENT, SGDBAL_FAULT_TIMES);
    FAULTY((config.scheme = SGDBAL_LB_BSP, config.balance.rebalance = rule_zero),
            SGDBAL_BAD_ARGUMENT, SGDBAL_FAULT_NONE);
    FAULTY(config.length.max_events = 39, SGDBAL_OVER_BUDGET, SGDBAL_FAULT_NONE);
    FAULTY((config.scheme = SGDBAL_ASP, config.length.max_events = 39),
            SGDBAL_OVER_BUDGET, SGDBAL_FAULT_NONE);
    FAULTY((config.scheme = SGDBAL_FLEXRR, config.length.max_events = 45),
            SGDBAL_OVER_BUDGET, SGDBAL_FAULT_NONE);
}

#define REFUSED(change, status) (config = good, (change), refused(&config, (status)))

TEST(times_that_are_none_are_refused_by_every_scheme)
{
    sgdbal_scheme_config good, config;
    cluster c = of_speeds(speed4, 4);
    good = configure(&c, batch4, SGDBAL_BSP, 10);
    for (size_t k = 0; k < SGDBAL_SCHEME_COUNT; k++) {
        const sgdbal_scheme scheme = (sgdbal_scheme)k;
        if (k == SGDBAL_LB_BSP) continue;
        REFUSED((config.scheme = scheme, c.factor = 0.0), SGDBAL_NO_TIME);
        c.factor = 1e308;                          /* a time past the largest double  */
        REFUSED(config.scheme = scheme, SGDBAL_BAD_TIME);
        c.factor = 1e306;                          /* a sum that is                   */
        REFUSED((config.scheme = scheme, config.length.iterations = 100000), SGDBAL_BAD_ARGUMENT);
        c.factor = 1.0;
    }
#undef REFUSED
}

/* Before anything is asked, also where BSP is run first. */
TEST(balancers_that_cannot_start_are_refused)
{
    static const uint32_t least[4] = {50, 50, 50, 50}, most[4] = {0, 39, 0, 0};
    const double bad[3] = {-1.0, HUGE_VAL, (double)NAN};
    sgdbal_worker worker[4];
    sgdbal_balancer_config good_balance = {0}, balance;
    sgdbal_scheme_config good, config;
    memset(worker, 0, sizeof worker);
    for (size_t i = 0; i < 4; i++) worker[i].slope_s = 1.0;
    cluster c = of_speeds(speed4, 4);
    good = configure(&c, batch4, SGDBAL_LB_BSP, 10);
    good.balance.config = &balance;
    good.against_bsp = 1;
#define REFUSED(change, status)                       \
    (config = good, balance = good_balance, (change), \
     refused(&config, (status)), CHECK(c.calls == 0))
    REFUSED(config.balance.config = NULL, SGDBAL_BAD_ARGUMENT);
    REFUSED(config.balance.rebalance = rule_best, SGDBAL_BAD_ARGUMENT);
    REFUSED(balance.method = SGDBAL_METHOD_COUNT, SGDBAL_BAD_ARGUMENT);
    REFUSED(balance.least_batch = least, SGDBAL_NO_ROOM);
    REFUSED(balance.max_batch = most, SGDBAL_BAD_WORKER);
    REFUSED((config.workers.curve = worker, worker[2].max_batch = 39), SGDBAL_BAD_WORKER);
    worker[2].max_batch = 0;
    for (size_t i = 0; i < SGDBAL_SCHEME_COUNT; i++)
        for (size_t k = 0; k < 12; k++) {
            const uint32_t w = (uint32_t)k / 3;        /* whichever it is                  */
            worker[w].slope_s = bad[k % 3];
            REFUSED((config.scheme = (sgdbal_scheme)i, config.workers.curve = worker),
                    SGDBAL_BAD_WORKER);
            refused_for(&config, SGDBAL_FAULT_CURVE, w);
            worker[w].slope_s = 1.0;
        }
#undef REFUSED
}

/* The last speed, as it stands there without a callback. */
static double last_known(void *ctx, const sgdbal_known *k)
{
    (void)ctx;
    return k->speed;
}

TEST(nothing_is_asked_after_a_bad_usage)
{
    const double bad[3] = {-1.0, HUGE_VAL, (double)NAN};
    for (size_t i = 0; i < 3; i++) {
        static const uint64_t calls[3] = {1, 4, 30};
        for (size_t k = 0; k < 6; k++) {
            uint64_t at;
            sgdbal_balancer_config balance = {0};
            cluster c = of_speeds(speed4, 4);
            c.seed = 1;
            c.bad_call = at = calls[k % 3];
            c.bad = bad[i];
            sgdbal_scheme_config config = configure(&c, batch4, SGDBAL_LB_BSP, 10);
            config.workers.time_s = shared_time;
            config.balance.config = &balance;
            config.balance.forecast.speed = last_known;
            config.balance.forecast.usage = shared_usage;
            config.balance.forecast.usage_ctx = &c;
            config.balance.non_blocking = k >= 3;
            refused(&config, SGDBAL_BAD_ROW);
            CHECK(c.calls == at);
        }
    }
}

/* Batches that take no time have no speed to balance by. */
TEST(batches_without_time_are_not_balanced)
{
    sgdbal_balancer_config balance = {0};
    cluster c = of_speeds(speed4, 4);
    c.slope_s[3] = 0.0;
    sgdbal_scheme_config config = configure(&c, batch4, SGDBAL_LB_BSP, 10);
    config.balance.config = &balance;
    refused(&config, SGDBAL_BAD_ROW);
}

TEST(work_areas_are_checked)
{
    static double work[200];
    size_t bytes = 0;
    sgdbal_scheme_result out = {0};
    cluster c = of_speeds(speed4, 4);
    sgdbal_scheme_config config = configure(&c, batch4, SGDBAL_SSP, 10);
    CHECK_STATUS(sgdbal_scheme_bytes(&config, &bytes), SGDBAL_OK);
    CHECK_STATUS(sgdbal_scheme_run(NULL, work, bytes, &out), SGDBAL_BAD_ARGUMENT);
    CHECK_STATUS(sgdbal_scheme_run(&config, NULL, bytes, &out), SGDBAL_BAD_ARGUMENT);
    CHECK_STATUS(sgdbal_scheme_run(&config, work, bytes, NULL), SGDBAL_BAD_ARGUMENT);
    CHECK_STATUS(sgdbal_scheme_run(&config, (char *)work + 1, bytes, &out), SGDBAL_BAD_ARGUMENT);
    CHECK_STATUS(sgdbal_scheme_run(&config, work, bytes - 1, &out), SGDBAL_SMALL_WORKSPACE);
    CHECK_STATUS(sgdbal_scheme_run(&config, work, bytes, &out), SGDBAL_OK);
}

TEST(a_run_may_last_the_largest_double)
{
    cluster c = of_speeds(speed4, 1);
    c.bad_call = 1;
    c.bad = DBL_MAX;
    sgdbal_scheme_config config = configure(&c, batch4, SGDBAL_BSP, 1);
    outcome o = ran(&config);
    CHECK_REL(o.out.total_s, DBL_MAX, 0.0);
}

/* One ends at 30 s and one at 20 s: half as much later, and no more. */
TEST(who_is_later_by_just_the_trigger_is_not_late)
{
    static const double speed[2] = {1.0, 1.0};
    static const uint32_t batch[2] = {30, 20};
    cluster c = of_speeds(speed, 2);
    sgdbal_scheme_config config = configure(&c, batch, SGDBAL_FLEXRR, 1);
    config.flexrr.trigger = 0.5;
    outcome o = ran(&config);
    CHECK(o.out.handed_over == 0);
    config.flexrr.trigger = 0.49;
    o = ran(&config);
    CHECK(o.out.handed_over > 0);
}

/* LB-BSP needs that of its balancer once: of two memories, the difference. */
TEST(a_scheme_needs_the_work_of_its_balancer)
{
    sgdbal_balancer_config full;
    size_t scheme[2], balancer[2], i;
    sgdbal_balancer_config balance = {.method = SGDBAL_BY_PAIRS};
    cluster c = of_speeds(speed4, 4);
    sgdbal_scheme_config config = configure(&c, batch4, SGDBAL_LB_BSP, 10);
    config.balance.config = &balance;
    for (i = 0; i < 2; i++) {
        CHECK_STATUS(sgdbal_pairs_preset(SGDBAL_ADVISED, &balance.pairs), SGDBAL_OK);
        balance.pairs.history = i ? 5000 : 1000;
        full = balance;
        full.workers = 4;
        full.start = batch4;
        CHECK_STATUS(sgdbal_balancer_bytes(&full, balancer + i), SGDBAL_OK);
        CHECK_STATUS(sgdbal_scheme_bytes(&config, scheme + i), SGDBAL_OK);
    }
    CHECK(balancer[1] >= balancer[0] + 4000 * 4 * sizeof(double));
    CHECK_REL((double)(scheme[1] - scheme[0]), (double)(balancer[1] - balancer[0]), 1e-3);
}

/* 4 workers and 3 checks, at each of which all are asked for their speed. */
TEST(nothing_is_asked_beyond_the_budget)
{
    cluster c = of_speeds(speed4, 4);
    sgdbal_scheme_config config = configure(&c, batch4, SGDBAL_FLEXRR, 10);
    config.flexrr.sample_s = sample_time;
    config.flexrr.ctx = &c;
    config.length.max_events = 4 + 3;
    refused(&config, SGDBAL_OVER_BUDGET);
    CHECK(c.calls == 4 + 3 * 4);
}

static void count_pulls(void *ctx, const sgdbal_model_event *e)
{
    *(uint64_t *)ctx += e->op == SGDBAL_PULL;
}

/* Nor told: of 4 workers two iterations are within 8 to 11 events. */
TEST(nothing_is_told_beyond_the_budget)
{
    for (uint64_t most = 8; most < 12; most++) {
        uint64_t pulls = 0;
        cluster c = of_speeds(speed4, 4);
        sgdbal_scheme_config config = configure(&c, batch4, SGDBAL_BSP, 10);
        config.length.max_events = most;
        config.watch.on_event = count_pulls;
        config.watch.ctx = &pulls;
        refused(&config, SGDBAL_OVER_BUDGET);
        CHECK(pulls == 8 && c.calls == 8);
    }
}

static void count_events(void *ctx, const sgdbal_model_event *e)
{
    (void)e;
    ++*(uint64_t *)ctx;
}

/* Neither the warm-up, which runs twice, nor the BSP to compare with is told beside the run. */
TEST(each_event_is_told_once)
{
    static double work[400];
    uint64_t events = 0, expected = 0;
    size_t bytes = 0;
    cluster c = of_speeds(speed4, 4);
    sgdbal_scheme_config config = configure(&c, batch4, SGDBAL_BSP, 8);
    sgdbal_scheme_result out = {0};
    config.watch.on_event = count_events;
    config.watch.ctx = &expected;
    (void)ran(&config);
    CHECK(expected > 0);
    config.watch.ctx = &events;
    config.against_bsp = 1;
    (void)ran(&config);
    CHECK(events == expected);
    events = 0;
    config.against_bsp = 0;
    config.length.iterations = 3;
    CHECK_STATUS(sgdbal_scheme_run_steady_bytes(&config, 5, &bytes), SGDBAL_OK);
    CHECK(bytes <= sizeof work);
    CHECK_STATUS(sgdbal_scheme_run_steady(&config, 5, work, bytes, &out), SGDBAL_OK);
    CHECK(events == expected);
}

/* 100 s for each of the first five iterations, then worker 0 takes 1 s and others 0.5 s. */
static double slow_at_first(void *ctx, uint32_t worker, uint64_t iteration, double start_s,
                            uint32_t samples)
{
    (void)ctx;
    (void)start_s;
    (void)samples;
    return iteration < 5 ? 100.0 : worker == 0 ? 1.0 : 0.5;
}

TEST(what_counts_comes_behind_the_warm_up)
{
    static const uint32_t batch[3] = {10, 20, 30};
    static double work[400];
    double waiting[3] = {9.0, 9.0, 9.0};
    uint64_t pushed[3] = {9, 9, 9};
    uint32_t last[3] = {9, 9, 9};
    size_t bytes = 0;
    sgdbal_scheme_config config = {.workers.count = 3, .length.iterations = 8,
                                   .workers.batch = batch, .workers.time_s = slow_at_first};
    sgdbal_scheme_result out = {.workers.waiting_share = waiting, .workers.pushed = pushed,
                                .workers.last_batch = last};
    CHECK_STATUS(sgdbal_scheme_run_steady_bytes(&config, 5, &bytes), SGDBAL_OK);
    CHECK(bytes <= sizeof work);
    CHECK_STATUS(sgdbal_scheme_run_steady(&config, 5, work, bytes, &out), SGDBAL_OK);
    CHECK_REL(out.total_s, 8.0, 1e-12);
    CHECK_REL(out.per_update_s, 1.0 / 3.0, 1e-12);
    CHECK_REL(out.samples_per_s, 60.0, 1e-12);
    CHECK(out.updates == 24 && pushed[0] == 8 && pushed[2] == 8);
    CHECK(waiting[0] <= 0.0 && last[1] == 20);
    CHECK_REL(waiting[2], 0.5, 1e-12);
    out.workers.waiting_share = NULL;
    out.workers.pushed = NULL;
    out.workers.last_batch = NULL;
    CHECK_STATUS(sgdbal_scheme_run_steady(&config, 5, work, bytes, &out), SGDBAL_OK);
    CHECK(out.updates == 24 && !out.workers.waiting_share && !out.workers.pushed);
    CHECK(!out.workers.last_batch);
    config.length.iterations = 0;
    CHECK_STATUS(sgdbal_scheme_run_steady(&config, 5, work, bytes, &out), SGDBAL_BAD_ARGUMENT);
    config.length.iterations = 8;
    CHECK_STATUS(sgdbal_scheme_run_steady(&config, 0, work, bytes, &out), SGDBAL_OK);
    CHECK_REL(out.total_s, 503.0, 1e-12);
    CHECK_STATUS(sgdbal_scheme_run_steady(&config, 5, work, bytes - 1, &out),
                 SGDBAL_SMALL_WORKSPACE);
    CHECK_STATUS(sgdbal_scheme_run_steady(&config, 5, work, bytes, NULL), SGDBAL_BAD_ARGUMENT);
    CHECK_STATUS(sgdbal_scheme_run_steady(NULL, 5, work, bytes, &out), SGDBAL_BAD_ARGUMENT);
    CHECK_STATUS(sgdbal_scheme_run_steady_bytes(&config, UINT64_MAX - 7, &bytes), SGDBAL_TOO_LARGE);
    config.against_bsp = 1;
    CHECK_STATUS(sgdbal_scheme_run_steady_bytes(&config, 5, &bytes), SGDBAL_BAD_ARGUMENT);
}

/* Worker 0 waits in the first iterations only, which is exactly no part of what comes behind
 * them, whatever rounding makes of sums. */
static double last_at_first(void *ctx, uint32_t worker, uint64_t iteration, double start_s,
                            uint32_t samples)
{
    const uint64_t warmup = *(const uint64_t *)ctx;
    (void)start_s;
    (void)samples;
    return (worker == 0) == (iteration < warmup) ? 0.1 : 0.3 + 0.01 * (double)(iteration % 7);
}

TEST(who_waits_in_the_warm_up_alone_has_not_waited)
{
    for (uint64_t warmup = 1; warmup <= 20; warmup++) {
        static const uint32_t batch[2] = {10, 10};
        double work[200], waiting[2];
        sgdbal_scheme_config config = {.workers.count = 2, .length.iterations = 30,
                                       .workers.batch = batch, .workers.time_s = last_at_first,
                                       .workers.ctx = &warmup};
        sgdbal_scheme_result out = {.workers.waiting_share = waiting};
        CHECK_STATUS(sgdbal_scheme_run_steady(&config, warmup, work, sizeof work, &out), SGDBAL_OK);
        CHECK_REL(waiting[0], 0.0, 0.0);
        CHECK(waiting[1] > 0.6);
    }
}

/* Whatever the work held. */
TEST(without_a_warm_up_all_counts)
{
    size_t bytes = 0;
    cluster c = of_speeds(speed4, 4);
    sgdbal_scheme_config config = configure(&c, batch4, SGDBAL_SSP, 7);
    CHECK_STATUS(sgdbal_scheme_run_steady_bytes(&config, 0, &bytes), SGDBAL_OK);
    for (int dirt = 0; dirt <= 0xff; dirt += 0x55) {
        void *work = memset(get_dirt(bytes), dirt, bytes);
        outcome plain, steady;
        steady.out.workers.waiting_share = steady.waiting;
        steady.out.workers.last_batch = steady.batch;
        steady.out.workers.pushed = steady.pushed;
        plain = ran(&config);
        CHECK_STATUS(sgdbal_scheme_run_steady(&config, 0, work, bytes, &steady.out), SGDBAL_OK);
        CHECK_REL(steady.out.total_s, plain.out.total_s, 0.0);
        CHECK(steady.out.updates == plain.out.updates);
        for (uint32_t w = 0; w < 4; w++) {
            CHECK(steady.pushed[w] == plain.pushed[w] && steady.batch[w] == plain.batch[w]);
            CHECK_REL(steady.waiting[w], plain.waiting[w], 1e-12);
        }
        free(work);
    }
}

/* From the second round on all of n equal workers push what n - 1 updates have overtaken. */
TEST(staleness_behind_the_warm_up_is_that_of_later_rounds)
{
    static const double speed[4] = {2.0, 2.0, 2.0, 2.0};
    static double work[400];
    sgdbal_scheme_result out = {0};
    cluster c = of_speeds(speed, 4);
    sgdbal_scheme_config config = configure(&c, batch4, SGDBAL_ASP, 2);
    CHECK_STATUS(sgdbal_scheme_run_steady(&config, 1, work, sizeof work, &out), SGDBAL_OK);
    CHECK_REL(out.staleness.mean, 3.0, 1e-15);
}

/* Nothing to compute and nothing to do: worker 0 waits from the start, 0 s, to the end. */
TEST(who_is_done_at_once_waits_all_the_time)
{
    static const double speed[2] = {HUGE_VAL, 1.0};
    static const uint32_t batch[2] = {10, 10};
    cluster c = of_speeds(speed, 2);
    sgdbal_scheme_config config = configure(&c, batch, SGDBAL_SSP, 1);
    outcome o = ran(&config);
    CHECK_REL(o.waiting[0], 1.0, 0.0);
    CHECK_REL(o.waiting[1], 0.0, 0.0);
}

/* The last but b = 2, 4 of ends at 5, 10, 20, 40 s, 6 of them, whatever the work held. */
TEST(what_work_held_before_does_not_matter)
{
    static const double speed[6] = {1.0, 2.0, 4.0, 8.0, 4.0, 2.0};
    static const uint32_t batch[6] = {40, 40, 40, 40, 40, 40};
    cluster c = of_speeds(speed, 6);
    sgdbal_scheme_config config = configure(&c, batch, SGDBAL_REDUNDANT, 3);
    for (left_over = 0; left_over <= 0xa5; left_over += 0xa5)
        for (config.spare = 1; config.spare <= 4; config.spare++) {
            static const double after_s[5] = {40.0, 20.0, 20.0, 10.0, 10.0};
            outcome o = ran(&config);
            CHECK_REL(o.out.total_s, 3.0 * after_s[config.spare], 1e-15);
            CHECK(o.out.updates == 3 * (6 - config.spare));
        }
    left_over = 0xa5;
}

/* Every scheme, whichever call answers badly. */
TEST(nothing_is_asked_after_a_bad_time)
{
    const double bad[4] = {-1e-300, HUGE_VAL, -HUGE_VAL, (double)NAN};
    for (int scheme = 0; scheme < SGDBAL_SCHEME_COUNT; scheme++)
        for (int by_sample = 0; by_sample < 2; by_sample++)
            for (size_t i = 0; i < 4; i++) {
                static const uint64_t calls[4] = {1, 3, 4, 30};
                for (size_t k = 0; k < 4; k++) {
                    cluster c = of_speeds(speed4, 4);
                    c.bad_call = calls[k];
                    c.bad = bad[i];
                    sgdbal_scheme_config config = configure(&c, batch4, (sgdbal_scheme)scheme, 10);
                    config.balance.rebalance = rule_best;
                    config.balance.ctx = &c;
                    if (by_sample) config.flexrr.sample_s = sample_time;
                    config.flexrr.ctx = &c;
                    refused(&config, SGDBAL_BAD_TIME);
                    CHECK(c.calls == c.bad_call);  /* nothing is asked after it       */
                }
            }
}

/* A worker that takes no time, and one without samples. */
TEST(free_and_idle_workers_are_allowed)
{
    static const double speed[3] = {HUGE_VAL, 1.0, 2.0};
    static const uint32_t batch[3] = {10, 10, 0}, odd[3] = {10, 0, 30};
    for (int scheme = 0; scheme < SGDBAL_SCHEME_COUNT; scheme++) {
        cluster c = of_speeds(speed, 3);                 /* slope 0                         */
        sgdbal_scheme_config config = configure(&c, scheme == SGDBAL_ASP ? odd : batch,
                           (sgdbal_scheme)scheme, 20);
        config.balance.rebalance = rule_witness;
        config.spare = 1;
        if (scheme == SGDBAL_LB_BSP) continue;
        if (scheme == SGDBAL_ASP || scheme == SGDBAL_REDUNDANT) {
            refused(&config, SGDBAL_NO_TIME);    /* those without time do it all    */
            continue;
        }
        outcome o = ran(&config);
        CHECK(o.out.total_s > 0.0 && o.out.total_s <= 200.0);
        CHECK(scheme != SGDBAL_FLEXRR || sum_of(o.batch, 3) == 20);
        CHECK(scheme != SGDBAL_FLEXRR || (o.batch[0] > 10 && o.batch[1] < 10));
        CHECK(scheme == SGDBAL_FLEXRR || o.waiting[1] < 0.1);
    }
}

TEST(one_worker_never_waits)
{
    static const double speed[1] = {2.0};
    static const uint32_t batch[1] = {10};
    for (int scheme = 0; scheme < SGDBAL_SCHEME_COUNT; scheme++) {
        cluster c = of_speeds(speed, 1);
        sgdbal_scheme_config config = configure(&c, batch, (sgdbal_scheme)scheme, 20);
        config.balance.rebalance = rule_best;
        config.balance.ctx = &c;
        if (scheme == SGDBAL_REDUNDANT) continue;
        outcome o = ran(&config);
        CHECK_REL(o.out.per_update_s, 5.0, 1e-12);
        CHECK_REL(o.waiting[0], 0.0, 0.0);
    }
}

/* ---- Rare ways ---------------------------------------------------------------------- */

/* Pauses that are long beside what is left of a d.batch: all of it is handed over, or none. */
TEST(flexrr_with_long_pauses_is_its_textbook_form)
{
    static const uint32_t checks[4] = {100, 1000, 20000, 7};
    uint64_t moved = 0, failed = 0;
    for (uint64_t seed = 1; seed <= TEST_SIZE(6, 60); seed++) {
        drawn d;
        oracle want;
        draw(&d, seed, SGDBAL_FLEXRR);
        d.config.length.iterations = 2;
        d.config.flexrr.sample_s = NULL;
        d.config.flexrr.checks = checks[seed % 4];
        d.config.flexrr.shed = seed % 3 == 0 ? 1.0 : uniform(seed, 20, 0, 0);
        d.config.flexrr.trigger = 0.01;
        d.config.flexrr.migrate_s = uniform(seed, 21, 0, 0) * 0.3;
        oracle_new(&want, &d.config);
        oracle_run(&want);
        outcome got = ran(&d.config);
        if (!(distance(&d.config, &want, &got) <= 1e-9) && failed++ == 0)
            fprintf(stderr, "    seed %u is the first to differ\n", (unsigned)seed);
        moved += got.out.handed_over;
        oracle_free(&want);
    }
    CHECK(failed == 0 && moved > 0);
}

/* By checks so dense that worker 0 has done less than a billionth of a sample, it gives one of
 * its four at each, and pauses; in the end it has none, and is at the end of its pauses. */
TEST(flexrr_hands_all_samples_over)
{
    static const uint32_t batch[5] = {4, 1, 1, 1, 1};
    const double speed[5] = {1.0, 1e12, 1e12, 1e12, 1e12};
    cluster c = of_speeds(speed, 5);
    sgdbal_scheme_config config = configure(&c, batch, SGDBAL_FLEXRR, 1);
    config.flexrr.checks = UINT32_MAX;
    config.flexrr.migrate_s = 0.6;
    outcome got = ran(&config);
    CHECK_REL(got.out.total_s, 4.0 * 0.6, 1e-8);
    CHECK(got.out.handed_over == 4);
    for (uint32_t w = 0; w < 5; w++) CHECK(got.batch[w] == (w == 0 ? 0u : 2u));
}

/* Before its time of 1e10 s steps are too coarse for a check within an iteration. */
TEST(flexrr_does_without_checks_that_time_cannot_tell)
{
    static const uint32_t batch[2] = {10, 10};
    const double speed[2] = {1e6, 1e7};
    uint64_t k, moved[2];
    for (k = 1; k <= 2; k++) {
        cluster c = of_speeds(speed, 2);
        sgdbal_scheme_config config = configure(&c, batch, SGDBAL_FLEXRR, k);
        config.barrier_s = 1e10;
        outcome got = ran(&config);
        CHECK_REL(got.out.total_s, 1e10 * (double)k, 1e-12);
        moved[k - 1] = got.out.handed_over;
    }
    CHECK(moved[0] > 0 && moved[1] == moved[0]);
}

/* Samples alone are asked for, and batches alone: of the same speeds the same. */
TEST(flexrr_needs_times_of_samples_alone)
{
    static const uint32_t batch[4] = {64, 64, 32, 32};
    cluster c = of_speeds(speed4, 4);
    sgdbal_scheme_config config = configure(&c, batch, SGDBAL_FLEXRR, 5);
    outcome a = ran(&config);
    config.workers.time_s = NULL;
    config.flexrr.sample_s = sample_time;
    config.flexrr.ctx = &c;
    outcome b = ran(&config);
    CHECK_REL(b.out.total_s, a.out.total_s, 1e-12);
    CHECK(a.out.handed_over > 0 && a.out.handed_over == b.out.handed_over);
}

/* The memory alone is none, and time that ends at a barrier. */
static void bad_memory(void *ctx, uint32_t w, uint64_t k, double start_s, double *cpu,
                       double *memory)
{
    shared_usage(ctx, w, k, start_s, cpu, memory);
    *memory = -1.0;
}

TEST(lb_bsp_refuses_what_comes_in_the_run)
{
    sgdbal_balancer_config balance = {0};
    cluster c = of_speeds(speed4, 4);
    sgdbal_scheme_config good = configure(&c, batch4, SGDBAL_LB_BSP, 10);
    good.balance.config = &balance;
    sgdbal_scheme_config config = good;
    config.balance.forecast.speed = last_known;
    config.balance.forecast.usage_ctx = &c;
    config.balance.forecast.usage = bad_memory;
    refused(&config, SGDBAL_BAD_ROW);
    CHECK(c.calls == 1);
    config = good;
    config.barrier_s = config.balance.update_s = 1.7e308;
    refused(&config, SGDBAL_BAD_ARGUMENT);
    balance.pairs.tolerance = -HUGE_VAL;
    refused(&good, SGDBAL_BAD_ARGUMENT);
}

/* What it is told, of constant speeds: speed4 of batch4, and no use of anything. */
static double no_use(void *ctx, const sgdbal_known *k)
{
    const cluster *c = (const cluster *)ctx;
    CHECK(k->worker < 4 && k->next == k->iteration + 1);
    CHECK_REL(k->speed, 1.0 / c->slope_s[k->worker], 1e-12);
    CHECK(fabs(k->cpu[0]) + fabs(k->cpu[1]) + fabs(k->memory[0]) + fabs(k->memory[1]) <= 0.0);
    return k->speed;
}

/* Of a speed that is no number, or is infinite, nothing is made. */
static double no_speed(void *ctx, const sgdbal_known *k)
{
    return k->iteration < 3 ? k->speed : *(const double *)ctx;
}

TEST(forecasts_without_uses_know_of_none_and_must_be_numbers)
{
    static const double bad[2] = {(double)NAN, (double)INFINITY};
    sgdbal_balancer_config balance = {0};
    cluster c = of_speeds(speed4, 4);
    sgdbal_scheme_config config = configure(&c, batch4, SGDBAL_LB_BSP, 10);
    config.balance.config = &balance;
    outcome a = ran(&config);
    config.balance.forecast.speed = no_use;
    config.balance.forecast.speed_ctx = &c;
    outcome b = ran(&config);
    CHECK_REL(b.out.total_s, a.out.total_s, 0.0);
    CHECK(b.out.predictions.count == a.out.predictions.count);
    for (size_t i = 0; i < 2; i++) {
        double told = bad[i];
        config.balance.forecast.speed = no_speed;
        config.balance.forecast.speed_ctx = &told;
        refused(&config, SGDBAL_BAD_WORKER);
    }
}

/* The speeds of the last iteration, by a callback in place of predictors. */
static void last_speeds(void *ctx, const double *speed, double *predicted)
{
    ++*(size_t *)ctx;
    memcpy(predicted, speed, 4 * sizeof *speed);
}

TEST(a_callback_that_predicts_takes_the_place_of_predictors)
{
    size_t calls = 0;
    sgdbal_balancer_config balance = {0};
    cluster c = of_speeds(speed4, 4);
    sgdbal_scheme_config config = configure(&c, batch4, SGDBAL_LB_BSP, 10);
    config.balance.config = &balance;
    outcome a = ran(&config);     /* memoryless: the same             */
    balance.predict = last_speeds;
    balance.predict_ctx = &calls;
    outcome b = ran(&config);
    CHECK(calls == 10 && a.out.predictions.count > 0 && b.out.predictions.count == 0);
    CHECK_REL(b.out.total_s, a.out.total_s, 0.0);
    CHECK(memcmp(a.batch, b.batch, sizeof batch4) == 0);
}

/* 1 s before iteration 3, no time after it, or none from the first on. */
static double until_3(void *ctx, uint32_t w, uint64_t k, double start_s, uint32_t x)
{
    (void)w;
    (void)start_s;
    (void)x;
    return k < 3 ? *(double *)ctx : 0.0;
}

TEST(runs_behind_a_warm_up_that_are_none_are_refused)
{
    double work[400], first_s = 1.0;
    sgdbal_scheme_result out, before;
    size_t bytes = 7;
    cluster c = of_speeds(speed4, 4);
    sgdbal_scheme_config config = configure(&c, batch4, SGDBAL_BSP, 10);
    config.workers.time_s = until_3;
    config.workers.ctx = &first_s;
    memset(&out, 0, sizeof out);
    before = out;
    CHECK_STATUS(sgdbal_scheme_run_steady(&config, 3, work, sizeof work, &out), SGDBAL_NO_TIME);
    first_s = -1.0;
    CHECK_STATUS(sgdbal_scheme_run_steady(&config, 3, work, sizeof work, &out), SGDBAL_BAD_TIME);
    config.workers.count = 0;
    CHECK_STATUS(sgdbal_scheme_run_steady_bytes(&config, 3, &bytes), SGDBAL_BAD_ARGUMENT);
    CHECK(bytes == 7 && memcmp(&out, &before, sizeof out) == 0);
}

/* ---- Limits ------------------------------------------------------------------- */

/* What one more is refused for is allowed: of INT32_MAX workers the next fault is told,
 * that there are no times, as nobody has as many batches. */
TEST(limits_of_workers_and_iterations_are_the_last_allowed)
{
    static const uint32_t batch[3] = {10, 20, 30};
    static const uint32_t most[3] = {UINT32_MAX - 2, 1, 1};
    size_t bytes;
    sgdbal_scheme_config config = {.workers.batch = batch, .length.iterations = 1,
                                   .workers.count = INT32_MAX};
    CHECK_STATUS(sgdbal_scheme_bytes(&config, &bytes), SGDBAL_BAD_ARGUMENT);
    config.workers.count = (uint32_t)INT32_MAX + 1;
    CHECK_STATUS(sgdbal_scheme_bytes(&config, &bytes), SGDBAL_TOO_LARGE);
    config.workers.time_s = slow_at_first;
    config.workers.count = 3;
    config.length.iterations = UINT64_MAX / 3;
    CHECK_STATUS(sgdbal_scheme_bytes(&config, &bytes), SGDBAL_OK);
    config.length.iterations++;
    CHECK_STATUS(sgdbal_scheme_bytes(&config, &bytes), SGDBAL_TOO_LARGE);
    config.workers.count = 1;
    CHECK_STATUS(sgdbal_scheme_run_steady_bytes(
                     &config, UINT64_MAX - config.length.iterations, &bytes),
                 SGDBAL_OK);
    CHECK_STATUS(sgdbal_scheme_run_steady_bytes(&config, UINT64_MAX - config.length.iterations + 1,
                                                &bytes), SGDBAL_TOO_LARGE);
    config.workers.count = 2;
    CHECK_STATUS(sgdbal_scheme_run_steady_bytes(&config, UINT64_MAX / 2 - config.length.iterations,
                                                &bytes), SGDBAL_OK);
    CHECK_STATUS(sgdbal_scheme_run_steady_bytes(
                     &config, UINT64_MAX / 2 - config.length.iterations + 1,
                                                &bytes), SGDBAL_TOO_LARGE);
    config.workers.count = 3;
    config.length.iterations = 1;
    config.scheme = SGDBAL_FLEXRR;
    config.workers.batch = most;
    CHECK_STATUS(sgdbal_scheme_bytes(&config, &bytes), SGDBAL_OK);
}

TEST_MAIN("test_coordinate");
