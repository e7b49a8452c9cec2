/* A small real SGD on simulated schedules: logistic regression by four workers of unequal
 * speed, how many updates each coordination scheme needs, and what the weights of gradients
 * from unequal batches are for. Prints a table:
 *
 *     make build/test/test_sgd && build/test/test_sgd */
#include "../sgdperf_sim.h"
#include "../sgdperf_balance.h"

#include <math.h>
#include <stdlib.h>

#include "test.h"

enum { WORKERS = 4, TOTAL = 128, SAMPLES = 2048, SIZE = 8, ITERATIONS = 1200 };

static const double RATE = 0.25;
static const double TARGET = 1.01;                 /* loss to reach, of the least       */

/* The batches that make four accelerators equally fast, and their curves. */
static const uint32_t balanced[WORKERS] = { 89, 21, 12, 6 };
static const uint32_t equal[WORKERS] = { 32, 32, 32, 32 };
static const sgdbal_worker accelerator[WORKERS] = {
    { 0.279298, 0.00877193, 0.0, 0.1, 0 },
    { 0.43, 0.03, 0.0, 0.1, 0 },
    { 0.46, 0.05, 0.0, 0.1, 0 },
    { 0.598462, 0.0769231, 0.0, 0.1, 0 }
};

/* ---- Data ---------------------------------------------------------------------- */

typedef struct sample { double x[SIZE], y, key; } sample; /* y: -1 or 1 */

static sample data[SAMPLES];
static double best[SIZE], best_loss;               /* of all data                      */

static double uniform(uint64_t a, uint64_t b, uint64_t c)
{
    return ((double)(sgdsim_random(17, a, b, c) >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(uint64_t a, uint64_t b)
{
    return sqrt(-2.0 * log(uniform(a, b, 0))) * cos(6.283185307179586 * uniform(a, b, 1));
}

static double dot(const double *a, const double *b)
{
    double sum = 0.0;
    for (size_t j = 0; j < SIZE; j++) sum += a[j] * b[j];
    return sum;
}

static int compare(const void *a, const void *b)
{
    const double x = ((const sample *)a)->key, y = ((const sample *)b)->key;
    return (x > y) - (x < y);
}

/* A first feature of deviation 4, others of 0.8 and less, a constant; labels of a logistic
 * model. Sorted so that the first samples are mostly of label -1. */
static void make_data(void)
{
    double truth[SIZE];
    for (size_t j = 0; j < SIZE; j++) truth[j] = (j == 0 ? 0.375 : 1.5) * normal(j, SAMPLES);
    for (size_t i = 0; i < SAMPLES; i++) {
        sample *s = data + i;
        for (size_t j = 0; j < SIZE; j++)
            s->x[j] = normal(j, i) * (j == 0 ? 4.0 : pow(0.8, (double)j));
        s->x[SIZE - 1] = 1.0;
        s->y = uniform(i, SIZE, 2) < 1.0 / (1.0 + exp(-dot(truth, s->x))) ? 1.0 : -1.0;
        s->key = s->y + 1.5 * normal(SIZE, i);
    }
    qsort(data, SAMPLES, sizeof *data, compare);
}

static double loss_of(const double *w)
{
    double sum = 0.0;
    for (size_t i = 0; i < SAMPLES; i++) sum += log1p(exp(-data[i].y * dot(w, data[i].x)));
    return sum / SAMPLES;
}

/* Adds scale times the gradient of a sample's loss. */
static void add_gradient(const double *w, const sample *s, double scale, double *g)
{
    const double factor = -s->y / (1.0 + exp(s->y * dot(w, s->x)));
    for (size_t j = 0; j < SIZE; j++) g[j] += scale * factor * s->x[j];
}

/* The solution of h d = g, h symmetric and positive definite, in place of g. */
static void solve(double h[SIZE][SIZE], double *g)
{
    for (size_t k = 0; k < SIZE; k++)
        for (size_t i = k + 1; i < SIZE; i++) {
            const double factor = h[i][k] / h[k][k];
            for (size_t j = k; j < SIZE; j++) h[i][j] -= factor * h[k][j];
            g[i] -= factor * g[k];
        }
    for (size_t k = SIZE; k-- > 0;) {
        for (size_t j = k + 1; j < SIZE; j++) g[k] -= h[k][j] * g[j];
        g[k] /= h[k][k];
    }
}

/* The model of least mean loss over the data, sample i counting weight[i]: Newton's method. */
static void minimise(const double *weight, double *w)
{
    memset(w, 0, SIZE * sizeof *w);
    for (int step = 0; step < 20; step++) {
        double h[SIZE][SIZE] = { { 0.0 } }, g[SIZE] = { 0.0 };
        for (size_t i = 0; i < SAMPLES; i++) {
            const double p = 1.0 / (1.0 + exp(-dot(w, data[i].x)));
            add_gradient(w, data + i, weight[i], g);
            for (size_t j = 0; j < SIZE; j++)
                for (size_t k = 0; k < SIZE; k++)
                    h[j][k] += weight[i] * p * (1.0 - p) * data[i].x[j] * data[i].x[k];
        }
        solve(h, g);
        for (size_t j = 0; j < SIZE; j++) w[j] -= g[j];
    }
}

/* ---- Training ------------------------------------------------------------------ */

typedef struct trainer {
    sgdbal_scheme scheme;
    int      plain;                                /* 1: the mean over workers         */
    uint64_t iterations, seed;
    int      to_target;                            /* 1: no longer than to the loss    */
    uint32_t from[WORKERS], to[WORKERS];           /* samples to draw from, less the last */

    double   model[SIZE], pulled[WORKERS][SIZE], gradient[WORKERS][SIZE];
    uint32_t batch[WORKERS];                       /* of these gradients               */
    uint64_t drawn[WORKERS], pushed[WORKERS];
    uint64_t updates, reached;                     /* gradients; 0: not reached        */
    double   reached_s;
    double   tail[SIZE];                           /* sum of models of the second half */
    uint64_t tails;
    sgdbal_scheme_result out;
} trainer;

/* The mean gradient of fresh samples. */
static void draw_gradient(trainer *t, uint32_t w, uint32_t samples)
{
    memset(t->gradient[w], 0, sizeof t->gradient[w]);
    for (uint32_t i = 0; i < samples; i++) {
        const uint64_t bits = sgdsim_random(t->seed, 99, w, t->drawn[w]++);
        const uint64_t chosen = t->from[w] + bits % (t->to[w] - t->from[w]);
        add_gradient(t->pulled[w], data + chosen, 1.0 / samples, t->gradient[w]);
    }
    t->batch[w] = samples;
}

/* At the barrier; without one: a gradient counts as much as it would there. */
static void step(trainer *t, uint32_t worker)
{
    const double *all[WORKERS];
    double g[SIZE];
    size_t i;
    for (i = 0; i < WORKERS; i++) all[i] = t->gradient[i];
    if (worker != UINT32_MAX) {
        const double weight = (double)t->batch[worker] / TOTAL;
        for (size_t j = 0; j < SIZE; j++) g[j] = weight * t->gradient[worker][j];
    } else if (t->plain) {
        for (size_t j = 0; j < SIZE; j++)
            for (g[j] = 0.0, i = 0; i < WORKERS; i++) g[j] += t->gradient[i][j] / WORKERS;
    } else {
        CHECK_STATUS(sgdbal_gradient_aggregate(all, t->batch, WORKERS, SIZE, g), SGDBAL_OK);
    }
    for (size_t j = 0; j < SIZE; j++) t->model[j] -= RATE * g[j];
    t->updates += worker == UINT32_MAX ? WORKERS : 1;
}

static void on_event(void *ctx, const sgdbal_model_event *event)
{
    trainer *t = (trainer *)ctx;
    if (t->to_target && t->reached > 0) return;
    if (event->op == SGDBAL_PULL) memcpy(t->pulled[event->worker], t->model, sizeof t->model);
    if (event->op == SGDBAL_PUSH) draw_gradient(t, event->worker, event->samples);
    if (event->op != SGDBAL_UPDATE) return;
    step(t, event->worker);
    if (t->updates > WORKERS * t->iterations / 2) {
        for (size_t j = 0; j < SIZE; j++) t->tail[j] += t->model[j];
        t->tails++;
    }
    if (t->to_target && t->updates % WORKERS == 0 && loss_of(t->model) <= TARGET * best_loss) {
        t->reached = t->updates;
        t->reached_s = event->now_s;
    }
}

static void *get_memory(size_t bytes)
{
    void *memory = malloc(bytes);
    if (!memory) abort();
    return memory;
}

static void train(trainer *t, const uint32_t *start)
{
    size_t bytes = 0;
    sgdbal_balancer_config balance = {0};
    sgdbal_scheme_config config = {.scheme = t->scheme, .workers.count = WORKERS,
                                   .workers.curve = accelerator, .length.iterations = t->iterations,
                                   .workers.batch = start, .staleness = 4,
                                   .balance.config = &balance, .watch.ctx = t,
                                   .watch.on_event = on_event};
    balance.method = SGDBAL_BY_PAIRS;
    CHECK_STATUS(sgdbal_scheme_bytes(&config, &bytes), SGDBAL_OK);
    void *work = get_memory(bytes);
    t->out.workers.pushed = t->pushed;
    CHECK_STATUS(sgdbal_scheme_run(&config, work, bytes, &t->out), SGDBAL_OK);
    free(work);
}

/* ---- Updates to a loss ----------------------------------------------------------- */

typedef struct plan { const char *name; sgdbal_scheme scheme; int plain; } plan;

enum { BSP, ASP, SSP, LB_BSP, LB_PLAIN, PLANS };

static const plan plans[PLANS] = {
    { "BSP", SGDBAL_BSP, 0 },
    { "ASP", SGDBAL_ASP, 0 },
    { "SSP, s = 4", SGDBAL_SSP, 0 },
    { "LB-BSP", SGDBAL_LB_BSP, 0 },
    { "LB-BSP, plain mean", SGDBAL_LB_BSP, 1 }
};

/* All data for everybody; or a part for each, as large as its batch is of the total. */
static void set_trainer(trainer *t, const plan *p, const uint32_t *part)
{
    uint32_t first = 0;
    *t = (trainer){.scheme = p->scheme, .plain = p->plain};
    for (size_t i = 0; i < WORKERS; i++) {
        t->from[i] = part ? first : 0;
        if (part) first += part[i] * (SAMPLES / TOTAL);
        t->to[i] = part ? first : SAMPLES;
    }
}

typedef struct tally { double updates, seconds, least, most; int reached; } tally;

/* Means over seeds; of no meaning unless all reach the target. */
static tally updates_to_target(const plan *p, const uint32_t *start, int parts, uint64_t seeds)
{
    tally sum = { 0.0, 0.0, HUGE_VAL, 0.0, 0 };
    trainer t;
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        set_trainer(&t, p, parts ? start : NULL);
        t.iterations = ITERATIONS;
        t.seed = seed;
        t.to_target = 1;
        train(&t, start);
        if (t.reached == 0) continue;
        sum.reached++;
        sum.updates += (double)t.reached / (double)seeds;
        sum.seconds += t.reached_s / (double)seeds;
        sum.least = fmin(sum.least, (double)t.reached);
        sum.most = fmax(sum.most, (double)t.reached);
    }
    printf("%-20s", p->name);
    if (sum.reached == (int)seeds)
        printf("%11.1f %7.0f to %4.0f %9.1f", sum.updates, sum.least, sum.most, sum.seconds);
    else
        printf("%11s %7d of %4d %9s", "reached by", sum.reached, (int)seeds, "");
    printf(" %13.4f %10.2f\n", t.out.per_update_s, t.out.staleness.mean);
    return sum;
}

static void print_head(const char *what)
{
    printf("%s\n%-20s%11s %15s %9s %13s %10s\n", what, "", "updates", "least to most", "time, s",
           "per update, s", "staleness");
}

TEST(balanced_batches_need_no_more_updates)
{
    const int seeds = TEST_SIZE(1, 10);
    tally got[PLANS];
    size_t i;
    print_head("All draw from all data");
    for (i = 0; i < PLANS; i++) got[i] = updates_to_target(plans + i, equal, 0, (uint64_t)seeds);
    printf("\n");
    for (i = 0; i < PLANS; i++) CHECK(got[i].reached == seeds);
    CHECK_REL(got[LB_BSP].updates, got[BSP].updates, 0.02);
    CHECK(got[LB_BSP].seconds < 0.5 * got[BSP].seconds);
}

/* Parts differ in the share of labels: who counts too much draws the model to its own. */
TEST_FULL(own_data_needs_weights)
{
    const int seeds = TEST_SIZE(1, 10);
    tally got[PLANS];
    print_head("Each from its own part of the data");
    for (size_t i = 0; i < PLANS; i++)
        got[i] = updates_to_target(plans + i, i < LB_BSP ? equal : balanced, 1, (uint64_t)seeds);
    printf("\n");
    CHECK(got[BSP].reached == seeds && got[SSP].reached == seeds);
    CHECK(got[LB_BSP].reached == seeds);
    CHECK_REL(got[LB_BSP].updates, got[BSP].updates, 0.02);
    CHECK(got[ASP].reached == 0 && got[LB_PLAIN].reached == 0);
}

/* ---- Where it ends -------------------------------------------------------------- */

/* Loss above the least one, of the mean model of the second half of a long run and of the
 * model that is best if samples count as the scheme makes them count. */
static void excess_loss(const plan *p, const uint32_t *part, double *got, double *want)
{
    static double weight[SAMPLES];
    double w[SIZE];
    trainer t;
    set_trainer(&t, p, part);
    t.iterations = 6000;
    t.seed = 1;
    train(&t, part);
    for (uint32_t i = 0; i < WORKERS; i++) {
        const double share = p->plain ? 1.0 / WORKERS
                           : p->scheme == SGDBAL_LB_BSP ? (double)part[i] / TOTAL
                           : (double)t.pushed[i] / (double)t.out.updates;
        for (uint32_t k = t.from[i]; k < t.to[i]; k++) weight[k] = share / (t.to[i] - t.from[i]);
    }
    minimise(weight, w);
    *want = loss_of(w) - best_loss;
    for (size_t j = 0; j < SIZE; j++) w[j] = t.tail[j] / (double)t.tails;
    *got = loss_of(w) - best_loss;
}

TEST_FULL(bias_is_that_of_the_weights)
{
    double got[PLANS], want[PLANS];
    printf("Each from its own part, long runs\n%-20s%20s %20s\n", "", "loss above the least",
           "as samples count");
    for (size_t i = 0; i < PLANS; i++) {
        excess_loss(plans + i, i < LB_BSP ? equal : balanced, got + i, want + i);
        printf("%-20s%20.5f %20.5f\n", plans[i].name, got[i], fmax(0.0, want[i]));
    }
    printf("\n");
    for (size_t i = 0; i < PLANS; i++) {
        if (i == ASP || i == LB_PLAIN) CHECK_REL(got[i], want[i], 0.1);
        else CHECK(got[i] < 5e-4 && fabs(want[i]) < 1e-6);
    }
    CHECK(want[ASP] > 0.01 * best_loss && want[LB_PLAIN] > 0.01 * best_loss);
}

/* ---- Gradients of one iteration --------------------------------------------------- */

/* Weighted, it is the gradient of the union; the plain mean is off by
 * sum_i (1 / (n x_i) - 1 / X) sum_j grad l_ij. */
TEST(weighted_gradient_is_of_the_union)
{
    uint32_t batch[WORKERS + 1], i, k;
    double g[WORKERS + 1][SIZE] = { { 0.0 } }, both[SIZE] = { 0.0 }, bias[SIZE] = { 0.0 };
    double w[SIZE], out[SIZE], weight[WORKERS + 1], largest = 0.0;
    const double *all[WORKERS + 1];
    const sample *s = data;
    for (size_t j = 0; j < SIZE; j++) w[j] = 0.3 * normal(j, SAMPLES + 1);
    for (i = 0; i <= WORKERS; i++) {
        batch[i] = i < WORKERS ? balanced[i] : 0;
        all[i] = i < WORKERS ? g[i] : NULL;
        for (k = 0; k < batch[i]; k++, s += 16) {
            add_gradient(w, s, 1.0 / batch[i], g[i]);
            add_gradient(w, s, 1.0 / TOTAL, both);
            add_gradient(w, s, 1.0 / ((double)WORKERS * batch[i]) - 1.0 / TOTAL, bias);
        }
    }
    CHECK_STATUS(sgdbal_gradient_aggregate(all, batch, WORKERS, SIZE, out), SGDBAL_OK);
    for (size_t j = 0; j < SIZE; j++) {
        double plain = 0.0;
        for (i = 0; i < WORKERS; i++) plain += g[i][j] / WORKERS;
        CHECK_REL(out[j], both[j], 1e-12);
        CHECK(fabs(plain - both[j] - bias[j]) <= 1e-12);
        largest = fmax(largest, fabs(bias[j] / both[j]));
    }
    CHECK(largest > 0.1);
    CHECK_STATUS(sgdbal_gradient_aggregate(all, batch, WORKERS + 1, SIZE, w), SGDBAL_OK);
    CHECK(memcmp(w, out, sizeof w) == 0);
    CHECK_STATUS(sgdbal_gradient_weights(batch, WORKERS + 1, 1, weight), SGDBAL_OK);
    CHECK(!(fabs(weight[WORKERS]) > 0.0));
    for (size_t j = 0; j < SIZE; j++) {
        double pushed = 0.0;
        for (i = 0; i < WORKERS; i++) pushed += weight[i] * g[i][j] / (WORKERS + 1);
        CHECK_REL(pushed, both[j], 1e-12);
    }
}

/* From the same data for all the plain mean is right on average, but of variance
 * sum 1 / (n^2 x_i) in place of 1 / X. */
TEST(plain_mean_is_noisier)
{
    enum { DRAWS = 4000 };
    double full[SIZE] = { 0.0 }, square[2] = { 0.0, 0.0 }, want = 0.0;
    const double *all[WORKERS];
    trainer t;
    uint32_t i;
    set_trainer(&t, plans + LB_BSP, NULL);
    t.seed = 5;
    for (size_t k = 0; k < SAMPLES; k++) add_gradient(t.model, data + k, 1.0 / SAMPLES, full);
    for (size_t k = 0; k < DRAWS; k++) {
        double out[SIZE];
        for (i = 0; i < WORKERS; i++) {
            draw_gradient(&t, i, balanced[i]);
            all[i] = t.gradient[i];
        }
        CHECK_STATUS(sgdbal_gradient_aggregate(all, balanced, WORKERS, SIZE, out), SGDBAL_OK);
        for (size_t j = 0; j < SIZE; j++) {
            double plain = 0.0;
            for (i = 0; i < WORKERS; i++) plain += all[i][j] / WORKERS;
            square[0] += (out[j] - full[j]) * (out[j] - full[j]);
            square[1] += (plain - full[j]) * (plain - full[j]);
        }
    }
    for (i = 0; i < WORKERS; i++) want += (double)TOTAL / (WORKERS * WORKERS * balanced[i]);
    CHECK_REL(square[1] / square[0], want, 0.1);
}

int main(void)
{
    static double weight[SAMPLES];
    make_data();
    for (size_t i = 0; i < SAMPLES; i++) weight[i] = 1.0 / SAMPLES;
    minimise(weight, best);
    best_loss = loss_of(best);
    printf("Logistic regression, 4 workers, 128 samples an iteration, rate %g, to a loss of %.4f,\n"
           "%g of the least; means over seeds\n\n", RATE, TARGET * best_loss, TARGET);
    return test_all("test_sgd");
}
