/* The speed predictors of sgdperf_forecast.h: golden numbers, networks against their plain
 * form and difference quotients, fits against processes that are known, a series that
 * resources explain, degenerate ones, and every status. */
#define SGDPERF_FORECAST_STATIC
#define SGDPERF_FORECAST_IMPLEMENTATION
#include "../sgdperf_forecast.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "files/busy.h"
#include "golden.h"
#include "memory.h"
#include "test.h"

static const char golden_path[] = "tests/golden/balance.json";

enum { ROWS = 2000, TRAIN = 500, MOST_WEIGHTS = 1172 };

static const char *const name_of[SGDFC_KIND_COUNT] = {
    "memoryless", "ema", "arima", "rnn", "lstm", "narx", "arx"
};

static const sgdfc_kind networks[3] = { SGDFC_RNN, SGDFC_LSTM,
                                                      SGDFC_NARX };

static int is_learner(int method) { return method >= SGDFC_ARIMA; }
static int is_network(int method) { return method >= SGDFC_RNN && method <= SGDFC_NARX; }

static sgdfc_config forecast_of(int method)
{
    return (sgdfc_config){.kind = (sgdfc_kind)method};
}

/* In a work area of exactly the size asked for, filled with dirt. */
static sgdfc_status predict(const sgdfc_config *f, const sgdfc_series *series, size_t *bad_row,
                            sgdfc_result *out)
{
    size_t bytes = 0;
    sgdfc_status status = sgdfc_bytes(f, &bytes);
    if (status != SGDFC_OK) return status;
    void *work = get_dirt(bytes);
    status = sgdfc_run(f, series, work, bytes, bad_row, out);
    free(work);
    return status;
}

static sgdfc_result predicted(const sgdfc_config *f, const sgdfc_series *series, double *rows,
                              double *weights)
{
    sgdfc_result out = {.predicted = rows, .weights = weights};
    CHECK_STATUS(predict(f, series, NULL, &out), SGDFC_OK);
    return out;
}

static sgdfc_forecaster *open_predictor(const sgdfc_config *f, void **work)
{
    sgdfc_forecaster *p = NULL;
    size_t bytes = 0;
    CHECK_STATUS(sgdfc_bytes(f, &bytes), SGDFC_OK);
    *work = get_dirt(bytes);
    CHECK_STATUS(sgdfc_open(f, *work, bytes, &p), SGDFC_OK);
    return p;
}

static double rmse_from(const double *a, const double *b, size_t from, size_t rows)
{
    double sum = 0.0;
    for (size_t i = from; i < rows; i++) sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(sum / (double)(rows - from));
}

/* ---- Random series --------------------------------------------------------- */

typedef struct dice { uint64_t seed, rolled; } dice;

static double uniform(dice *d, double low, double high)
{
    const uint64_t bits = sgdfc_priv_random(d->seed, 0x5eed, d->rolled++) >> 11;
    return low + (high - low) * (double)bits / 9007199254740992.0;
}

static double normal(dice *d)
{
    const double u = 1.0 - uniform(d, 0, 1), angle = 6.283185307179586 * uniform(d, 0, 1);
    return sqrt(-2.0 * log(u)) * cos(angle);
}

typedef struct columns { double speed[ROWS], cpu[ROWS], memory[ROWS]; } columns;

/* A predictor that has learned from all of the series that it trains on. */
static sgdfc_forecaster *trained(const sgdfc_config *f, const columns *c, void **work)
{
    sgdfc_forecaster *p = open_predictor(f, work);
    for (size_t i = 0; i < TRAIN; i++)
        CHECK_STATUS(sgdfc_observe(p, c->speed[i], c->cpu[i], c->memory[i]), SGDFC_OK);
    return p;
}

static sgdfc_series series_of(const columns *c)
{
    return (sgdfc_series){.speed = c->speed, .cpu = c->cpu, .memory = c->memory, .rows = ROWS};
}

/* A worker beside other tasks, 300 iterations after the first: in an iteration one
 * arrives with probability .02, stays 5 more and an exponential time of mean 60, and takes
 * U(.05, .35) of the CPU and U(.05, .3) of the memory. What is left, with noise of
 * deviation .06 and .01 and at least .08, makes v = 110 c^.9 min(1, m/.45)^.5 + N(0, 4);
 * 3 % of the v are spikes, U(.75, .95) of that. */
static void shared_machine(uint64_t seed, columns *out)
{
    enum { BEFORE = 300 };
    static double end[BEFORE + ROWS], cpu[BEFORE + ROWS], memory[BEFORE + ROWS];
    dice d = { seed, 0 };
    size_t tasks = 0, i, k;
    for (k = 0; k < BEFORE + ROWS; k++) {
        double c = 1.0, m = 1.0, v;
        if (uniform(&d, 0, 1) < 0.02) {
            end[tasks] = (double)k + 5.0 - 60.0 * log(1.0 - uniform(&d, 0, 1));
            cpu[tasks] = uniform(&d, 0.05, 0.35);
            memory[tasks++] = uniform(&d, 0.05, 0.3);
        }
        for (i = 0; i < tasks; i++) {
            if (end[i] <= (double)k) continue;
            c -= cpu[i];
            m -= memory[i];
        }
        c = fmax(0.08, c + 0.06 * normal(&d));
        m = fmax(0.08, m + 0.01 * normal(&d));
        v = 110.0 * pow(c, 0.9) * sqrt(fmin(1.0, m / 0.45)) + 4.0 * normal(&d);
        if (uniform(&d, 0, 1) < 0.03) v *= uniform(&d, 0.75, 0.95);
        if (k < BEFORE) continue;
        out->speed[k - BEFORE] = fmax(0.0, v);
        out->cpu[k - BEFORE] = c;
        out->memory[k - BEFORE] = m;
    }
}

/* ---- Golden ---------------------------------------------------------------- */

TEST(simple_predictors_are_golden)
{
    static const struct { const char *name; int predictor; } table[] = {
        {"memoryless", SGDFC_MEMORYLESS}, {"ema02", SGDFC_EMA}
    };
    golden_value *file = golden_open(golden_path);
    const golden_value *of = golden_get(file, "predictors");
    double speed[64], want[64], got[64];
    const size_t rows = golden_numbers(golden_get(of, "series"), speed, 64);
    CHECK(golden_count(of) == 3 && rows > 0 && rows <= 64);
    for (size_t k = 0; k < 2 && rows > 0 && rows <= 64; k++) {
        sgdfc_series series = { NULL, NULL, NULL, 0 };
        sgdfc_config f = forecast_of(table[k].predictor);
        series.speed = speed;
        series.rows = rows;
        CHECK(golden_numbers(golden_get(of, table[k].name), want, 64) == rows);
        sgdfc_result out = predicted(&f, &series, got, NULL);
        for (size_t i = 0; i < rows; i++) CHECK_REL(got[i], want[i], 1e-12);
        CHECK(out.first_scored == 1 && out.rows_scored == rows - 1);
        CHECK_REL(out.rmse, rmse_from(speed, want, 1, rows), 1e-12);
    }
    golden_close(file);
}

/* By its definition: the newest speed counts s, the one before it s (1 - s) and so on, the first
 * all the rest; s = 0 is 0.2, and with s = 1 no other counts than the last. */
TEST(an_ema_is_the_mean_of_its_definition)
{
    dice d = { 17, 0 };
    for (size_t round = 0; round < 20; round++) {
        double v[12], got[12];
        sgdfc_config f = forecast_of(SGDFC_EMA);
        sgdfc_series series = { v, NULL, NULL, 12 };
        f.smoothing = round == 0 ? 0.0 : round == 1 ? 1.0 : uniform(&d, 1e-3, 1.0);
        const double s = round == 0 ? 0.2 : f.smoothing;
        for (size_t i = 0; i < 12; i++) v[i] = uniform(&d, 1.0, 100.0);
        (void)predicted(&f, &series, got, NULL);
        for (size_t k = 1; k < 12; k++) {
            double mean = pow(1.0 - s, (double)k) * v[0];
            for (size_t i = 0; i < k; i++) mean += s * pow(1.0 - s, (double)(k - 1 - i)) * v[i];
            CHECK_REL(got[k], mean, 1e-12);
        }
    }
}

/* ---- Networks -------------------------------------------------------------- */

static double logistic(double x) { return 1.0 / (1.0 + exp(-x)); }

/* Input to unit i of a recurrent layer, from the definition. */
static double layer(const double *w, size_t i, double x, const double *h)
{
    double a = w[i] * x + w[16 + i];
    for (size_t j = 0; j < 16; j++) a += w[32 + 16 * j + i] * h[j];
    return a;
}

static double plain_network(sgdfc_kind method, const double *w, const double *x)
{
    double h[16] = { 0 }, c[16] = { 0 }, next[16], y;
    size_t i, j, t;
    if (method == SGDFC_NARX) {
        y = w[100];
        for (i = 0; i < 10; i++) {
            double a = w[80 + i];
            for (j = 0; j < 8; j++) a += w[10 * j + i] * x[j];
            y += w[90 + i] * tanh(a);
        }
        return y;
    }
    for (t = 0; t < 2; t++) {
        for (i = 0; i < 16; i++) {
            if (method == SGDFC_RNN) {
                next[i] = tanh(layer(w, i, x[t], h));
                continue;
            }
            c[i] = logistic(layer(w + 288, i, x[t], h)) * c[i]
                   + logistic(layer(w, i, x[t], h)) * tanh(layer(w + 576, i, x[t], h));
            next[i] = logistic(layer(w + 864, i, x[t], h)) * tanh(c[i]);
        }
        memcpy(h, next, sizeof h);
    }
    w += method == SGDFC_RNN ? 288 : 1152;
    for (y = w[16], i = 0; i < 16; i++) y += w[i] * h[i];
    return y;
}

static void random_case(dice *d, size_t count, double *w, double *x)
{
    for (size_t i = 0; i < count; i++) w[i] = uniform(d, -0.7, 0.7);
    for (size_t i = 0; i < 8; i++) x[i] = 1.5 * normal(d);
}

TEST(networks_are_their_plain_form)
{
    double w[MOST_WEIGHTS], x[8];
    dice d = { 11, 0 };
    for (size_t n = 0; n < 3; n++)
        for (size_t round = 0; round < 50; round++) {
            random_case(&d, sgdfc_priv_network_weights(networks[n]), w, x);
            CHECK_REL(sgdfc_priv_network(networks[n], w, x, 0.0, NULL),
                      plain_network(networks[n], w, x), 1e-12);
        }
}

/* Against central differences, 1e-6 of the derivative; where this is below a thousandth
 * of the largest, of that. */
TEST(gradients_are_difference_quotients)
{
    double w[MOST_WEIGHTS], g[MOST_WEIGHTS], x[8];
    dice d = { 12, 0 };
    for (size_t n = 0; n < 3; n++) {
        const size_t count = sgdfc_priv_network_weights(networks[n]);
        double worst = 0.0;
        for (size_t round = 0; round < 10; round++) {
            const double target = normal(&d), step = 1e-5;
            double most = 0.0;
            random_case(&d, count, w, x);
            for (size_t i = 0; i < count; i++) g[i] = 0.0;
            (void)sgdfc_priv_network(networks[n], w, x, target, g);
            for (size_t i = 0; i < count; i++) most = fmax(most, fabs(g[i]));
            for (size_t i = 0; i < count; i++) {
                const double at = w[i];
                w[i] = at + step;
                double up = sgdfc_priv_network(networks[n], w, x, 0.0, NULL) - target;
                w[i] = at - step;
                double down = sgdfc_priv_network(networks[n], w, x, 0.0, NULL) - target;
                w[i] = at;
                double quotient = (up - down) * (up + down) / (2.0 * step);
                worst = fmax(worst, fabs(quotient - g[i]) / fmax(fabs(g[i]), 1e-3 * most));
            }
        }
        CHECK(worst <= 1e-6);
        printf("    gradient of %s: within %.1e of the difference quotient\n",
               name_of[networks[n]], worst);
    }
}

TEST(gradients_add_up)
{
    double w[MOST_WEIGHTS], once[MOST_WEIGHTS], twice[MOST_WEIGHTS], x[8];
    dice d = { 13, 0 };
    for (size_t n = 0; n < 3; n++) {
        const size_t count = sgdfc_priv_network_weights(networks[n]);
        random_case(&d, count, w, x);
        for (size_t i = 0; i < count; i++) once[i] = twice[i] = 0.0;
        (void)sgdfc_priv_network(networks[n], w, x, 0.5, once);
        (void)sgdfc_priv_network(networks[n], w, x, 0.5, twice);
        (void)sgdfc_priv_network(networks[n], w, x, 0.5, twice);
        for (size_t i = 0; i < count; i++) CHECK_REL(twice[i], 2.0 * once[i], 1e-14);
    }
}

/* ---- Training, spelled out -------------------------------------------------------- */

static void standardise(const double *from, double *to)
{
    double mean = 0.0, squares = 0.0;
    for (size_t k = 0; k < TRAIN; k++) mean += from[k] / TRAIN;
    for (size_t k = 0; k < TRAIN; k++) squares += (from[k] - mean) * (from[k] - mean) / TRAIN;
    for (size_t k = 0; k < TRAIN; k++) to[k] = (from[k] - mean) / sqrt(squares);
}

/* Adds the gradient of the squared error of one row to g; returns the error. */
static double plain_step(const double *w, const double *x, double target, double *g)
{
    const double error = plain_network(SGDFC_NARX, w, x) - target;
    for (size_t i = 0; i < 10; i++) {
        double a = w[80 + i], slope;
        for (size_t j = 0; j < 8; j++) a += w[10 * j + i] * x[j];
        slope = 2.0 * error * w[90 + i] / (cosh(a) * cosh(a));
        g[90 + i] += 2.0 * error * tanh(a);
        g[80 + i] += slope;
        for (size_t j = 0; j < 8; j++) g[10 * j + i] += slope * x[j];
    }
    g[100] += 2.0 * error;
    return error;
}

enum { FIRST = 2, HELD = TRAIN * 15 / 100, USED = TRAIN - HELD - FIRST };

/* Trains NARX on x[TRAIN][8] and targets; leaves the best weights and returns epochs. */
static unsigned plain_training(double (*x)[8], const double *target, int zero_output,
                               double *best)
{
    double w[101], g[101], m1[101] = { 0 }, m2[101] = { 0 }, least = 0.0, reference = 0.0;
    size_t order[USED], i, k, steps = 0;
    unsigned epoch, idle = 0;
    for (i = 0; i < 101; i++)
        w[i] = (2.0 * (double)(sgdfc_priv_random(0, 0, i) >> 11) / 9007199254740992.0 - 1.0)
               / sqrt(i < 90 ? 8.0 : 10.0) * (zero_output && i >= 90 ? 0.0 : 1.0);
    for (k = 0; k < USED; k++) order[k] = k + FIRST;
    for (epoch = 0; epoch <= 200; epoch++) {
        double error = 0.0;
        for (k = TRAIN - HELD; k < TRAIN; k++)
            error += pow(plain_network(SGDFC_NARX, w, x[k]) - target[k], 2.0) / HELD;
        if (epoch == 0 || error < least) {
            least = error;
            memcpy(best, w, sizeof w);
        }
        idle++;
        if (epoch == 0 || error < reference - 1e-5) { reference = error; idle = 0; }
        if (idle == 10 || epoch == 200) break;
        for (i = USED; i > 1; i--) {
            const size_t j = (size_t)(sgdfc_priv_random(0, 1 + epoch, i) % i), row = order[j];
            order[j] = order[i - 1];
            order[i - 1] = row;
        }
        for (k = 0; k < USED; k++) {
            const size_t batch = k % 32 == 31 || k + 1 == USED ? k % 32 + 1 : 0;
            if (k % 32 == 0) memset(g, 0, sizeof g);
            (void)plain_step(w, x[order[k]], target[order[k]], g);
            if (batch == 0) continue;
            steps++;
            for (i = 0; i < 101; i++) {
                const double slope = g[i] / (double)batch;
                m1[i] = 0.9 * m1[i] + 0.1 * slope;
                m2[i] = 0.999 * m2[i] + 0.001 * slope * slope;
                w[i] -= 0.01 * (m1[i] / (1.0 - pow(0.9, (double)steps)))
                        / (sqrt(m2[i] / (1.0 - pow(0.999, (double)steps))) + 1e-8);
            }
        }
    }
    return epoch;
}

/* What NARX reads and is to say in the training rows. */
static void training_rows(const columns *c, double (*x)[8], double *target)
{
    static columns z;
    standardise(c->speed, z.speed);
    standardise(c->cpu, z.cpu);
    standardise(c->memory, z.memory);
    for (size_t k = FIRST; k < TRAIN; k++) {
        x[k][0] = z.speed[k - 1];
        x[k][1] = z.speed[k - 2];
        for (size_t i = 0; i < 3; i++) {
            x[k][2 + i] = z.cpu[k - i];
            x[k][5 + i] = z.memory[k - i];
        }
        target[k] = z.speed[k];
    }
}

static double line_at(const double *line, const double *x)
{
    double sum = line[8];
    for (size_t i = 0; i < 8; i++) sum += line[i] * x[i];
    return sum;
}

/* Takes the line of least squares of the rows that are not held back off the targets. */
static void take_line_off(double (*x)[8], double *target)
{
    static double a[USED * 10];
    double line[9] = { 0 };
    for (size_t k = 0; k < USED; k++) {
        memcpy(a + 10 * k, x[FIRST + k], 8 * sizeof(double));
        a[10 * k + 8] = 1.0;
        a[10 * k + 9] = target[FIRST + k];
    }
    CHECK(sgdfc_priv_least_squares(a, USED, 9, line));
    for (size_t k = FIRST; k < TRAIN; k++) target[k] -= line_at(line, x[k]);
}

/* A network alone; and beside a line, which in the end is that of least squares of what
 * the network leaves of all rows. */
TEST(training_is_as_described)
{
    static columns c;
    static double x[TRAIN][8], target[TRAIN], speed[TRAIN];
    double want[101], got[MOST_WEIGHTS], worst = 0.0;
    sgdfc_series series = series_of(&c);
    sgdfc_config f = forecast_of(SGDFC_NARX);
    for (int round = 0; round < 6; round++) {
        shared_machine(1 + (uint64_t)round / 2, &c);
        training_rows(&c, x, target);
        memcpy(speed, target, sizeof speed);
        f.no_line = round % 2;
        if (!f.no_line) take_line_off(x, target);
        unsigned epochs = plain_training(x, target, !f.no_line, want);
        CHECK(predicted(&f, &series, NULL, got).epochs == epochs && epochs >= 10);
        for (size_t i = 0; i < 101; i++) worst = fmax(worst, fabs(got[i] - want[i]));
        for (size_t i = 0; i < 9; i++) {
            double dot = 0.0, size = 0.0;
            if (f.no_line) CHECK(fabs(got[101 + i]) <= 0.0);
            if (f.no_line) continue;
            for (size_t k = FIRST; k < TRAIN; k++) {
                const double left = speed[k] - line_at(got + 101, x[k])
                                    - plain_network(SGDFC_NARX, got, x[k]);
                dot += left * (i < 8 ? x[k][i] : 1.0);
                size += fabs(left);
            }
            CHECK(fabs(dot) <= 1e-12 * size);
        }
    }
    CHECK(worst <= 1e-8);
    printf("    training: weights within %.1e of training spelled out\n", worst);
}

/* ---- What a forecaster is made of ------------------------------------------------ */

/* A work area has the rows of each series, the weights, four times those of a network, the order
 * of its rows, and the equations of the line or all second differences. */
TEST(a_work_area_has_room_for_what_is_learned_from)
{
    for (int method = 0; method < SGDFC_KIND_COUNT; method++)
        for (uint32_t n = 10; n < 700; n = 2 * n + 1) {
            sgdfc_config f = forecast_of(method);
            const size_t network = sgdfc_priv_network_weights(f.kind);
            const int reads = method == SGDFC_NARX || method == SGDFC_ARX;
            size_t bytes = 0, want = sgdfc_weights(f.kind) + 4 * network;
            f.train = n;
            if (is_learner(method)) want += reads ? 3 * n : n;
            if (network > 0) want += (n + 1) / 2;
            if (network > 0 || method == SGDFC_ARX) want += reads ? (n + 8) * 10 : (n + 2) * 4;
            if (method == SGDFC_ARIMA) want += n;
            CHECK_STATUS(sgdfc_bytes(&f, &bytes), SGDFC_OK);
            CHECK(bytes == 8 * want + (sizeof(sgdfc_forecaster) + 7) / 8 * 8);
        }
}

/* Numbers of splitmix64 between the ends that the header tells. */
TEST(first_weights_are_drawn_within_their_bounds)
{
    for (size_t n = 0; n < 6; n++) {
        const size_t units = networks[n / 2] == SGDFC_NARX ? 10 : 16;
        const size_t inputs = networks[n / 2] == SGDFC_NARX ? 8 : 17;
        sgdfc_config f = forecast_of((int)networks[n / 2]);
        void *work;
        f.no_line = n % 2;
        f.seed = 5 + n;
        sgdfc_forecaster *p = open_predictor(&f, &work);
        const size_t count = sgdfc_priv_network_weights(f.kind);
        sgdfc_priv_first_weights(p);
        for (size_t i = 0; i < count; i++) {
            const int output = i >= count - units - 1;
            const double x = 2.0 * test_uniform(f.seed, 0, i) - 1.0;
            const double want = x / sqrt((double)(output ? units : inputs));
            CHECK(fabs(p->weight[i] - (output && !f.no_line ? 0.0 : want)) <= 1e-15);
        }
        free(work);
    }
}

/* All but the last 15 % are learned from, in another order each time; a start is not lost. */
TEST(networks_learn_from_all_rows_but_those_that_validate)
{
    static columns c;
    static double start[MOST_WEIGHTS];
    shared_machine(9, &c);
    for (uint32_t n = 10; n < 150; n += 7) {
        const size_t from = n - n * 15 / 100;
        size_t times[150] = { 0 };
        sgdfc_config f = forecast_of(n % 2 ? SGDFC_NARX : SGDFC_RNN);
        uint32_t epochs = 0;
        void *work;
        f.train = n;
        f.epochs = 1 + n % 3;
        f.start = start;
        sgdfc_forecaster *p = open_predictor(&f, &work);
        p->order[from - 2] = 7777;
        for (size_t i = 0; i < n; i++)
            CHECK_STATUS(sgdfc_observe(p, c.speed[i], c.cpu[i], c.memory[i]), SGDFC_OK);
        for (size_t i = 0; i < from - 2; i++) times[p->order[i] < n ? p->order[i] : 0]++;
        for (size_t i = 0; i < n; i++) CHECK(times[i] == (i >= 2 && i < from));
        CHECK(p->order[from - 2] == 7777);
        CHECK_STATUS(sgdfc_learned(p, NULL, &epochs, NULL), SGDFC_OK);
        CHECK(epochs == f.epochs);
        free(work);
    }
}

/* Up to 10^70, of any sign, whichever it is. */
TEST(each_first_weight_is_checked)
{
    static double start[MOST_WEIGHTS];
    for (int method = SGDFC_ARIMA; method <= SGDFC_NARX; method++) {
        sgdfc_config f = forecast_of(method);
        const size_t count = sgdfc_weights(f.kind);
        f.start = start;
        for (size_t i = 0; i < count; i += i == 0 ? 1 : count - 2) {
            size_t bytes = 0;
            for (int sign = -1; sign <= 1; sign += 2) {
                start[i] = sign * 1e70;
                CHECK_STATUS(sgdfc_bytes(&f, &bytes), SGDFC_OK);
                start[i] *= 1.0 + 1e-15;
                CHECK_STATUS(sgdfc_bytes(&f, &bytes), SGDFC_BAD_ARGUMENT);
            }
            start[i] = 0.0;
        }
        f.smoothing = 1.0;
        CHECK_STATUS(sgdfc_bytes(&f, &(size_t){0}), SGDFC_OK);
    }
}

/* ---- A series that resources explain ------------------------------------------- */

/* Whether row k of a column is beyond its range in training. */
static int beyond(const double *column, size_t k)
{
    double low = column[0], high = column[0];
    for (size_t i = 1; i < TRAIN; i++) {
        low = fmin(low, column[i]);
        high = fmax(high, column[i]);
    }
    return column[k] < low || column[k] > high;
}

static double rmse_of(int method, uint64_t seed, int no_line, const columns *c)
{
    const sgdfc_series series = series_of(c);
    sgdfc_config f = forecast_of(method);
    f.seed = seed;
    f.no_line = no_line;
    sgdfc_result out = predicted(&f, &series, NULL, NULL);
    CHECK(out.first_scored == TRAIN + 10 && out.rows_scored == ROWS - TRAIN - 10);
    CHECK(out.epochs <= 200);
    CHECK((out.epochs > 0) == (is_network(method) || method == SGDFC_ARIMA));
    return out.rmse;
}

TEST_FULL(every_predictor_on_a_shared_machine)
{
    enum { ALONE = SGDFC_KIND_COUNT };
    const uint64_t seeds = TEST_SIZE(2, 8);
    static columns c;
    double mean[ALONE + 1] = { 0 };
    printf("    RMSE; narx*: the network alone\n    seed");
    for (int method = 0; method < ALONE; method++) printf(" %10s", name_of[method]);
    printf("      narx*\n");
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        double rmse[ALONE + 1];
        shared_machine(seed, &c);
        printf("    %4d", (int)seed);
        for (int method = 0; method <= ALONE; method++) {
            rmse[method] = rmse_of(method < ALONE ? method : SGDFC_NARX, seed, method == ALONE, &c);
            mean[method] += rmse[method] / (double)seeds;
            printf(" %10.2f", rmse[method]);
        }
        printf("\n");
    }
    printf("    mean");
    for (int method = 0; method <= ALONE; method++) printf(" %10.2f", mean[method]);
    printf("\n");
    CHECK(mean[SGDFC_EMA] < mean[SGDFC_MEMORYLESS]);
    CHECK(mean[SGDFC_ARIMA] < mean[SGDFC_MEMORYLESS]);
    CHECK(mean[SGDFC_NARX] < 0.5 * mean[SGDFC_EMA]);
    CHECK(mean[SGDFC_NARX] < mean[ALONE]);
}

/* ARX and NARX below 0.6 of EMA's error, in every seed in which memory or CPU are beyond
 * what training saw in less than a tenth of the rows. In the others, where nothing tells
 * how memory matters once it is short, better than EMA, and 0.6 in most. */
TEST(resources_explain_the_speed)
{
    const size_t seeds = TEST_SIZE(12, 40);
    static columns c;
    double worst[2] = { 0.0, 0.0 };
    size_t within = 0, above = 0, k;
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        size_t out = 0;
        shared_machine(seed, &c);
        for (k = TRAIN; k < ROWS; k++) out += (size_t)(beyond(c.cpu, k) || beyond(c.memory, k));
        double ema = rmse_of(SGDFC_EMA, seed, 0, &c);
        double arx = rmse_of(SGDFC_ARX, seed, 0, &c) / ema;
        double narx = rmse_of(SGDFC_NARX, seed, 0, &c) / ema;
        double most = fmax(arx, narx);
        above += most >= 0.6;
        if (10 * out < ROWS - TRAIN) {
            CHECK(arx < 0.6 && narx < 0.6);
            worst[0] = fmax(worst[0], most);
            within++;
        } else {
            CHECK(arx < 1.0 && narx < 1.0);
            worst[1] = fmax(worst[1], most);
        }
        CHECK(narx < 1.1 * arx);
    }
    printf("    narx and arx: below %.3f of ema in %lu seeds of %lu within the range of training,\n"
           "    below %.3f in others; 0.6 or above in %lu\n",
           worst[0], (unsigned long)within, (unsigned long)seeds,
           worst[1], (unsigned long)above);
    CHECK(within >= seeds / 2 && 10 * above <= seeds);
}

/* Row by row, as a training loop does: the same bits as over the series, and the error
 * is that of the rows it says. */
TEST(row_by_row_is_the_series)
{
    static columns c;
    static double rows[ROWS], ema[ROWS];
    sgdfc_config f = forecast_of(SGDFC_EMA);
    shared_machine(3, &c);
    sgdfc_series series = series_of(&c);
    (void)predicted(&f, &series, ema, NULL);
    for (int method = 0; method < SGDFC_KIND_COUNT; method++) {
        double weights[MOST_WEIGHTS], learned[MOST_WEIGHTS];
        uint32_t epochs = 0;
        size_t clamped = 0, same = 0, i;
        void *work;
        f = forecast_of(method);
        sgdfc_result out = predicted(&f, &series, rows, weights);
        CHECK_REL(out.rmse, rmse_from(rows, c.speed, TRAIN + 10, ROWS), 1e-12);
        CHECK(memcmp(&rows[0], &c.speed[0], sizeof(double)) == 0);
        if (is_learner(method)) CHECK(memcmp(rows, ema, TRAIN * sizeof(double)) == 0);
        sgdfc_forecaster *p = open_predictor(&f, &work);
        for (i = 0; i < ROWS; i++) {
            double v = c.speed[0];
            if (i > 0)
                CHECK_STATUS(sgdfc_predict(p, c.cpu[i], c.memory[i], &v), SGDFC_OK);
            same += memcmp(&v, &rows[i], sizeof v) == 0;
            CHECK_STATUS(sgdfc_observe(p, c.speed[i], c.cpu[i], c.memory[i]), SGDFC_OK);
        }
        CHECK(same == ROWS);
        if (is_learner(method)) {
            CHECK_STATUS(sgdfc_learned(p, learned, &epochs, &clamped), SGDFC_OK);
            CHECK(memcmp(weights, learned, sgdfc_weights(f.kind) * 8) == 0);
            CHECK(epochs == out.epochs && clamped == out.clamped);
            CHECK_STATUS(sgdfc_learned(p, NULL, NULL, NULL), SGDFC_OK);
        }
        free(work);
    }
}

TEST(same_seed_same_bits)
{
    static columns c;
    static double a[ROWS], b[ROWS];
    shared_machine(4, &c);
    sgdfc_series series = series_of(&c);
    for (size_t n = 0; n < 3; n++) {
        sgdfc_config f = forecast_of((int)networks[n]);
        f.epochs = TEST_SIZE(5, 20);
        (void)predicted(&f, &series, a, NULL);
        (void)predicted(&f, &series, b, NULL);
        CHECK(memcmp(a, b, sizeof a) == 0);
        f.no_line = 1;             /* for the line might be all that is used          */
        (void)predicted(&f, &series, a, NULL);
        f.seed = 1;
        (void)predicted(&f, &series, b, NULL);
        CHECK(memcmp(a, b, sizeof a) != 0);
    }
    /* In other units, whose ratio is a power of two, other speeds alike. */
    for (size_t i = 0; i < ROWS; i++) c.speed[i] *= 1024.0;
    sgdfc_config narx = forecast_of(SGDFC_NARX);
    (void)predicted(&narx, &series, b, NULL);
    for (size_t i = 0; i < ROWS; i++) c.speed[i] /= 1024.0;
    (void)predicted(&narx, &series, a, NULL);
    for (size_t i = 0; i < ROWS; i++) CHECK_REL(b[i], 1024.0 * a[i], 0.0);
}

/* ---- Limits of the range seen in training ------------------------------------------ */

TEST(numbers_out_of_range_are_counted)
{
    static columns c;
    static double limited[ROWS], free_rows[ROWS];
    shared_machine(5, &c);
    sgdfc_series series = series_of(&c);
    for (size_t n = 0; n < 3; n++) {
        sgdfc_config f = forecast_of((int)networks[n]);
        size_t want = 0, same = 0;
        f.epochs = 5;
        f.no_line = 1;
        sgdfc_result out = predicted(&f, &series, limited, NULL);
        f.unclamped = 1;
        sgdfc_result other = predicted(&f, &series, free_rows, NULL);
        CHECK(other.clamped == 0);
        for (size_t k = TRAIN; k < ROWS; k++) {
            int any = beyond(c.speed, k - 1) || beyond(c.speed, k - 2);
            for (size_t i = 0; i < 3 && networks[n] == SGDFC_NARX; i++)
                any = any || beyond(c.cpu, k - i) || beyond(c.memory, k - i);
            want += (size_t)any;
            same += any || memcmp(&limited[k], &free_rows[k], sizeof(double)) == 0;
        }
        CHECK(out.clamped == want && want > 0);
        CHECK(same == ROWS - TRAIN);
    }
}

/* Where memory, full of use for the first time, goes beyond its range, the network reads
 * the end of the range: without a line a prediction does not depend on how far. */
TEST(a_network_alone_stays_at_the_end_of_the_range)
{
    static columns c;
    double at[3] = { 0 };
    sgdfc_config f = forecast_of(SGDFC_NARX);
    void *work;
    shared_machine(1, &c);
    f.no_line = 1;
    sgdfc_forecaster *p = trained(&f, &c, &work);
    (void)sgdfc_predict(p, c.cpu[TRAIN], 1.5, &at[0]);
    (void)sgdfc_predict(p, c.cpu[TRAIN], 1e70, &at[1]);
    (void)sgdfc_predict(p, c.cpu[TRAIN], c.memory[0], &at[2]);
    CHECK_REL(at[1], at[0], 0.0);
    CHECK(fabs(at[2] - at[0]) > 0.0);
    free(work);
}

static void mean_and_deviation(const double *x, double *mean, double *deviation)
{
    double sum = 0.0, squares = 0.0;
    for (size_t k = 0; k < TRAIN; k++) sum += x[k] / TRAIN;
    for (size_t k = 0; k < TRAIN; k++) squares += (x[k] - sum) * (x[k] - sum) / TRAIN;
    *mean = sum;
    *deviation = sqrt(squares);
}

/* The deviation of a memory that was always .5 counts as 1: what a network without limits then
 * reads of others is how far they are from it. */
TEST(a_network_reads_how_far_a_use_is_from_what_it_always_was)
{
    static columns c;
    double w[MOST_WEIGHTS], x[8], mean[2], unit[2], got = 0.0;
    sgdfc_config f = forecast_of(SGDFC_NARX);
    void *work;
    shared_machine(3, &c);
    for (size_t i = 0; i < TRAIN; i++) c.memory[i] = 0.5;
    f.no_line = f.unclamped = 1;
    f.epochs = 5;
    sgdfc_forecaster *p = trained(&f, &c, &work);
    CHECK_STATUS(sgdfc_learned(p, w, NULL, NULL), SGDFC_OK);
    CHECK_STATUS(sgdfc_predict(p, c.cpu[TRAIN], 0.75, &got), SGDFC_OK);
    mean_and_deviation(c.speed, mean, unit);
    mean_and_deviation(c.cpu, mean + 1, unit + 1);
    for (size_t i = 0; i < 2; i++) x[i] = (c.speed[TRAIN - 1 - i] - mean[0]) / unit[0];
    for (size_t i = 0; i < 3; i++) x[2 + i] = (c.cpu[TRAIN - i] - mean[1]) / unit[1];
    for (size_t i = 0; i < 3; i++) x[5 + i] = i > 0 ? 0.0 : 0.25;
    CHECK_REL(got, mean[0] + unit[0] * plain_network(SGDFC_NARX, w, x), 1e-9);
    free(work);
}

/* ---- Lines ----------------------------------------------------------------- */

static void random_resources(uint64_t seed, columns *out)
{
    dice d = { seed, 0 };
    for (size_t k = 0; k < ROWS; k++) {
        out->cpu[k] = uniform(&d, 0, 1);
        out->memory[k] = uniform(&d, 0, 1);
    }
}

/* v[k] of a known line, without noise. */
static void linear_speed(columns *out)
{
    const double *c = out->cpu, *m = out->memory;
    double *v = out->speed;
    v[0] = v[1] = 60.0;
    for (size_t k = 2; k < ROWS; k++)
        v[k] = 20.0 + 0.5 * v[k - 1] - 0.2 * v[k - 2] + 30.0 * c[k] - 10.0 * c[k - 1]
               + 5.0 * c[k - 2] + 8.0 * m[k] + 3.0 * m[k - 1] - 2.0 * m[k - 2];
}

/* Random columns: the answer must solve the normal equations. A last column whose size is at most
 * 1e-8 of the root of the number of rows counts as dependent. */
TEST(least_squares_solve_their_equations)
{
    dice d = { 18, 0 };
    for (size_t round = 0; round < 200; round++) {
        const size_t terms = 1 + round % 9, rows = terms + round % 7;
        double a[16 * 10], kept[16 * 10], x[9];
        for (size_t i = 0; i < rows * (terms + 1); i++) kept[i] = a[i] = uniform(&d, -1.0, 1.0);
        if (!sgdfc_priv_least_squares(a, rows, terms, x)) continue;
        for (size_t j = 0; j < terms; j++) {
            double dot = 0.0, size = 0.0;
            for (size_t i = 0; i < rows; i++) {
                const double *row = kept + i * (terms + 1);
                double left = row[terms];
                for (size_t k = 0; k < terms; k++) left -= x[k] * row[k];
                for (size_t k = 0; k < terms; k++) size += fabs(x[k] * row[k]);
                dot += left * row[j];
            }
            CHECK(fabs(dot) <= 1e-10 * size);
        }
    }
    for (size_t terms = 1; terms <= 9; terms++)
        for (size_t rows = 1; rows <= 16; rows *= 4)
            for (int more = 0; more < 2; more++) {
                double a[16 * 10] = { 0 }, x[9];
                const double tiny = 1e-8 * sqrt((double)rows);
                for (size_t j = 0; j < terms && j < rows; j++) a[j * (terms + 1) + j] = 1.0;
                if (terms <= rows) a[terms * terms + terms - 2] = more ? 1.0001 * tiny : tiny;
                CHECK(sgdfc_priv_least_squares(a, rows, terms, x) == (terms <= rows && more));
            }
}

TEST(arx_finds_a_line)
{
    static const double slope[8] = { 0.5, -0.2, 30.0, -10.0, 5.0, 8.0, 3.0, -2.0 };
    static columns c;
    static double rows[ROWS];
    sgdfc_config f = forecast_of(SGDFC_ARX);
    double weights[9], scale;
    void *work;
    sgdfc_series series = series_of(&c);
    random_resources(21, &c);
    linear_speed(&c);
    CHECK(predicted(&f, &series, rows, weights).rmse < 1e-9);
    for (size_t k = TRAIN; k < ROWS; k++) CHECK_REL(rows[k], c.speed[k], 1e-9);
    sgdfc_forecaster *p = trained(&f, &c, &work);
    for (size_t i = 0; i < 8; i++) {
        scale = p->column[0].deviation / p->column[i < 2 ? 0 : i < 5 ? 1 : 2].deviation;
        CHECK_REL(weights[i] * scale, slope[i], 1e-9);
    }
    free(work);
    for (size_t i = 0; i < 3; i++) {      /* the line beside a network                       */
        f = forecast_of((int)networks[i]);
        if (networks[i] == SGDFC_NARX) CHECK(predicted(&f, &series, NULL, NULL).rmse < 1e-2);
    }
}

/* No other weights have a smaller sum of squares. */
TEST(arx_has_the_least_squares)
{
    static columns c;
    sgdfc_config f = forecast_of(SGDFC_ARX);
    void *work;
    shared_machine(6, &c);
    sgdfc_forecaster *p = trained(&f, &c, &work);
    for (size_t j = 0; j < 9; j++) {      /* what is left is orthogonal to every column      */
        double dot = 0.0, size = 0.0;
        for (size_t k = 2; k < TRAIN; k++) {
            double x[9] = { 0 }, rest = sgdfc_priv_row(p, k, x);
            x[8] = 1.0;
            for (size_t i = 0; i < 9; i++) rest -= p->weight[i] * x[i];
            dot += rest * x[j];
            size += fabs(rest * x[j]);
        }
        CHECK(fabs(dot) <= 1e-12 * size);
    }
    free(work);
}

/* What is left leans on each column by 1e-9 times the rows and the weight, not on the 1. */
TEST(a_ridge_is_as_heavy_as_the_header_says)
{
    static columns c;
    sgdfc_config f = forecast_of(SGDFC_ARX);
    void *work;
    random_resources(22, &c);
    memcpy(c.memory, c.cpu, sizeof c.cpu);
    linear_speed(&c);
    sgdfc_forecaster *p = trained(&f, &c, &work);
    for (size_t j = 0; j < 9; j++) {
        double dot = 0.0, want = j < 8 ? 1e-9 * (TRAIN - 2) * p->weight[j] : 0.0;
        for (size_t k = 2; k < TRAIN; k++) {
            double x[9] = { 0 }, rest = sgdfc_priv_row(p, k, x);
            x[8] = 1.0;
            for (size_t i = 0; i < 9; i++) rest -= p->weight[i] * x[i];
            dot += rest * x[j];
        }
        CHECK(fabs(dot - want) <= 1e-12);
    }
    free(work);
}

/* Memory that is the CPU once more, and CPU that never changes: a ridge, and the answer
 * is there all the same. Equal columns share a weight. */
TEST(dependent_columns_get_a_ridge)
{
    static columns c;
    static double rows[ROWS];
    sgdfc_config f = forecast_of(SGDFC_ARX);
    double weights[9];
    sgdfc_series series = series_of(&c);
    random_resources(22, &c);
    memcpy(c.memory, c.cpu, sizeof c.cpu);
    linear_speed(&c);
    (void)predicted(&f, &series, rows, weights);
    for (size_t k = TRAIN; k < ROWS; k++) CHECK_REL(rows[k], c.speed[k], 1e-6);
    for (size_t i = 2; i < 5; i++) CHECK_REL(weights[i], weights[i + 3], 1e-6);
    random_resources(22, &c);
    for (size_t k = 0; k < ROWS; k++) c.cpu[k] = 0.3;
    linear_speed(&c);
    (void)predicted(&f, &series, rows, weights);
    for (size_t k = TRAIN; k < ROWS; k++) CHECK_REL(rows[k], c.speed[k], 1e-6);
    for (size_t i = 2; i < 5; i++) CHECK(fabs(weights[i]) <= 0.0);
}

/* ---- ARIMA ----------------------------------------------------------------- */

enum { LONG = 4000 };

/* Speeds whose second difference is w[k] = c0 + a1 w[k-1] + a2 w[k-2] + b e[k-1] + e[k]. */
static void arima_process(uint64_t seed, const double truth[4], double *v)
{
    dice d = { seed, 0 };
    double w1 = 0.0, w2 = 0.0, e1 = 0.0;
    v[0] = v[1] = 1e6;
    for (size_t k = 2; k < LONG; k++) {
        const double e = normal(&d);
        const double w = truth[0] + truth[1] * w1 + truth[2] * w2 + truth[3] * e1 + e;
        v[k] = 2.0 * v[k - 1] - v[k - 2] + w;
        w2 = w1;
        w1 = w;
        e1 = e;
    }
}

/* A predictor that has learned from v[rows]. */
static sgdfc_forecaster *arima_of(const double *v, uint32_t rows, const double *start,
                                  void **work)
{
    sgdfc_config f = forecast_of(SGDFC_ARIMA);
    f.train = rows;
    f.start = start;
    sgdfc_forecaster *p = open_predictor(&f, work);
    for (size_t k = 0; k < rows; k++)
        CHECK_STATUS(sgdfc_observe(p, v[k], 0.0, 0.0), SGDFC_OK);
    return p;
}

/* Within 4 standard errors, the roots of the diagonal of s^2 (J'J)^-1: of a1, a2 and b,
 * from 4000 rows, about 0.04, 0.02 and 0.04. */
TEST(arima_recovers_a_process)
{
    static const double truth[3][4] = { { 0.001, 0.5, -0.3, 0.4 },
                                        { 0.0, -0.3, -0.1, -0.5 },
                                        { 0.001, 1.1, -0.6, -0.2 } };
    static double v[LONG];
    for (size_t t = 0; t < 3; t++)
        for (size_t seed = 1; seed <= 4; seed++) {
            double h[4][4], g[4], sum, last;
            void *work;
            arima_process(seed, truth[t], v);
            sgdfc_forecaster *p = arima_of(v, LONG, NULL, &work);
            sum = sgdfc_priv_residuals(p->scratch, LONG - 2, p->weight, h, g, &last);
            for (size_t i = 0; i < 4; i++) {
                const double unit = i == 0 ? p->column[0].deviation : 1.0;
                double pick[4] = { 0, 0, 0, 0 }, column[4], error;
                pick[i] = 1.0;
                sgdfc_priv_damped(h, pick, 0.0, column);
                error = unit * sqrt(column[i] * sum / (LONG - 8));
                CHECK(error > 0.0 && (i == 0 || error < 0.08));
                CHECK(fabs(unit * p->weight[i] - truth[t][i]) <= 4.0 * error);
                if (seed == 1)
                    printf("    arima %lu.%lu: %9.5f of %9.5f, standard error %.5f\n",
                           (unsigned long)t, (unsigned long)i, unit * p->weight[i], truth[t][i],
                           error);
            }
            CHECK_REL(sqrt(sum / (LONG - 8)) * p->column[0].deviation, 1.0, 0.05);
            free(work);
        }
}

/* At the least sum of squares no small change of a weight makes it less. */
TEST(arima_has_the_least_squares)
{
    static const double truth[4] = { 0.001, 0.5, -0.3, 0.4 };
    static double v[LONG];
    double weight[4], sum, last;
    void *work;
    arima_process(9, truth, v);
    sgdfc_forecaster *p = arima_of(v, 1000, NULL, &work);
    sum = sgdfc_priv_residuals(p->scratch, 998, p->weight, NULL, NULL, &last);
    for (size_t i = 0; i < 4; i++)
        for (int sign = -1; sign <= 1; sign += 2) {
            memcpy(weight, p->weight, sizeof weight);
            weight[i] += sign * 1e-3 * (i == 0 ? 1.0 / p->column[0].deviation : 1.0);
            CHECK(sgdfc_priv_residuals(p->scratch, 998, weight, NULL, NULL, &last) > sum);
        }
    free(work);
}

/* Of noise, whose second difference has a double root at the bound, and few rows: weights
 * stay within their bounds, reach that of b, and none that may move makes the sum less. */
TEST(arima_keeps_its_bounds)
{
    enum { FEW = 40 };
    const double bound[4] = { DBL_MAX, 2.0, 2.0, 0.999 };
    double v[FEW], weight[4], sum, last;
    size_t at_bound = 0, i, k, seed;
    for (seed = 1; seed <= 100; seed++) {
        dice d = { seed, 0 };
        void *work;
        for (k = 0; k < FEW; k++) v[k] = 100.0 + normal(&d);
        sgdfc_forecaster *p = arima_of(v, FEW, NULL, &work);
        sum = sgdfc_priv_residuals(p->scratch, FEW - 2, p->weight, NULL, NULL, &last);
        for (i = 0; i < 4; i++) {
            CHECK(fabs(p->weight[i]) <= bound[i]);
            at_bound += fabs(p->weight[i]) >= bound[i];
            for (int sign = -1; sign <= 1; sign += 2) {
                memcpy(weight, p->weight, sizeof weight);
                weight[i] += sign * 1e-3;
                if (fabs(weight[i]) > bound[i]) continue;
                CHECK(sgdfc_priv_residuals(p->scratch, FEW - 2, weight, NULL, NULL, &last)
                      >= sum * (1.0 - 1e-9));
            }
        }
        free(work);
    }
    CHECK(at_bound > 0);
}

/* The forecast from the definition, over the series anew for every row. */
TEST(arima_forecasts_by_its_definition)
{
    static columns c;
    static double rows[ROWS];
    double weight[4], w[3] = { 0, 0, 0 }, e = 0.0, unit;
    sgdfc_config f = forecast_of(SGDFC_ARIMA);
    sgdfc_series series = series_of(&c);
    void *work;
    shared_machine(2, &c);
    (void)predicted(&f, &series, rows, weight);
    unit = arima_of(c.speed, TRAIN, NULL, &work)->column[0].deviation;
    free(work);
    for (size_t k = 2; k < ROWS; k++) {
        const double next = weight[0] * unit + weight[1] * w[0] + weight[2] * w[1] + weight[3] * e;
        const double want = 2.0 * c.speed[k - 1] - c.speed[k - 2] + next;
        const double now = c.speed[k] - 2.0 * c.speed[k - 1] + c.speed[k - 2];
        if (k >= TRAIN) CHECK_REL(rows[k], want, 1e-9);
        e = k >= 4 ? now - next : 0.0;
        w[1] = w[0];
        w[0] = now;
    }
}

/* ---- Weights to start from ----------------------------------------------------- */

/* One epoch from another worker's weights is worth more than one from random ones (of
 * RNN it is as good) and leads not far: Adam's steps, 14 an epoch, are 0.0316 at most. To
 * the end, and with a line, it does not matter. */
TEST_FULL(training_starts_from_given_weights)
{
    static columns c;
    double learned[MOST_WEIGHTS], weights[MOST_WEIGHTS];
    sgdfc_series series = series_of(&c);
    for (size_t n = 0; n < 3; n++) {
        sgdfc_config f = forecast_of((int)networks[n]);
        shared_machine(7, &c);
        f.no_line = 1;
        CHECK(predicted(&f, &series, NULL, learned).epochs > 1);
        f.epochs = 1;
        shared_machine(8, &c);
        sgdfc_result cold = predicted(&f, &series, NULL, NULL);
        f.start = learned;
        sgdfc_result warm = predicted(&f, &series, NULL, weights);
        CHECK(warm.epochs == 1 && cold.epochs == 1);
        CHECK(warm.rmse < (networks[n] == SGDFC_RNN ? 1.05 : 0.8) * cold.rmse);
        for (size_t i = 0; i < sgdfc_priv_network_weights(networks[n]); i++)
            CHECK(fabs(weights[i] - learned[i]) <= 14 * 0.0317);
        f.epochs = 0;
        f.no_line = 0;
        warm = predicted(&f, &series, NULL, NULL);
        f.start = NULL;
        cold = predicted(&f, &series, NULL, NULL);
        CHECK_REL(warm.rmse, cold.rmse, 0.1);
        printf("    %s from another worker's: rmse %.2f after %d epochs; from random: %.2f, %d\n",
               name_of[networks[n]], warm.rmse, (int)warm.epochs, cold.rmse, (int)cold.epochs);
    }
}

TEST(arima_starts_from_given_weights)
{
    static columns c;
    double far[4] = { 0.1, 5.0, -3.0, 7.0 }, learned[4], again[4];
    sgdfc_config f = forecast_of(SGDFC_ARIMA);
    sgdfc_series series = series_of(&c);
    shared_machine(7, &c);
    CHECK(predicted(&f, &series, NULL, learned).epochs > 2);
    f.start = learned;
    CHECK(predicted(&f, &series, NULL, again).epochs <= 2);
    for (size_t i = 1; i < 4; i++) CHECK_REL(again[i], learned[i], 1e-5);
    f.start = far;                 /* drawn within the bounds first                   */
    (void)predicted(&f, &series, NULL, again);
    CHECK(fabs(again[1]) <= 2.0 && fabs(again[2]) <= 2.0 && fabs(again[3]) <= 0.999);
}

/* ---- Degenerate series ---------------------------------------------------------- */

/* A speed that never changes is predicted as it is, and nothing is learned; when it then
 * changes, predictions follow as EMA does. */
TEST(constant_speeds_leave_nothing_to_learn)
{
    static columns c;
    static double rows[ROWS], ema[ROWS];
    sgdfc_series series = series_of(&c);
    sgdfc_config simple = forecast_of(SGDFC_EMA);
    random_resources(41, &c);
    for (size_t k = 0; k < ROWS; k++) c.speed[k] = k < 1000 ? 0.1 : 0.3;
    (void)predicted(&simple, &series, ema, NULL);
    for (int method = 0; method < SGDFC_KIND_COUNT; method++) {
        sgdfc_config f = forecast_of(method);
        double weights[MOST_WEIGHTS];
        weights[0] = 1.0;
        sgdfc_result out = predicted(&f, &series, rows, weights);
        for (size_t k = 0; k < 1000; k++) CHECK_REL(rows[k], 0.1, 1e-15);
        CHECK_REL(rows[ROWS - 1], 0.3, 1e-9);
        if (!is_learner(method)) continue;
        CHECK(memcmp(rows, ema, sizeof ema) == 0);
        CHECK(out.epochs == 0 && fabs(weights[0]) <= 0.0);
    }
}

/* Uses that never changed in training are standardised by 1, and at the ends of their
 * range from then on; speeds of 0 are speeds. */
TEST(constant_resources_have_no_weight)
{
    static columns c;
    static double rows[ROWS];
    sgdfc_series series = series_of(&c);
    dice d = { 42, 0 };
    for (size_t k = 0; k < ROWS; k++) {
        c.cpu[k] = 0.5;
        c.memory[k] = k < 1000 ? 0.0 : 1e70;
        c.speed[k] = uniform(&d, 0, 1) < 0.5 ? 0.0 : 1.0;
    }
    for (int method = 0; method < SGDFC_KIND_COUNT; method++) {
        sgdfc_config f = forecast_of(method);
        sgdfc_result out = predicted(&f, &series, rows, NULL);
        for (size_t k = 0; k < ROWS; k++) CHECK(fabs(rows[k]) <= 5.0);
        CHECK(out.clamped == (method == SGDFC_NARX ? 1000u : 0u));
    }
}

/* Two speeds in turn, and ramps, are what all learners but EMA know for certain. */
TEST(two_values_and_ramps_are_predicted)
{
    static columns c;
    static double rows[ROWS];
    sgdfc_series series = series_of(&c);
    for (size_t k = 0; k < ROWS; k++) {
        c.cpu[k] = c.memory[k] = 1.0;
        c.speed[k] = k % 2 ? 30.0 : 50.0;
    }
    for (int method = SGDFC_ARIMA; method < SGDFC_KIND_COUNT; method++) {
        sgdfc_config f = forecast_of(method);
        CHECK(predicted(&f, &series, rows, NULL).rmse <= 0.02);
    }
    for (size_t k = 0; k < ROWS; k++) c.speed[k] = 10.0 + 0.25 * (double)k;
    for (int method = SGDFC_ARIMA; method < SGDFC_KIND_COUNT; method++) {
        sgdfc_config f = forecast_of(method);
        const double rmse = predicted(&f, &series, rows, NULL).rmse;
        CHECK(rmse <= (is_network(method) ? 0.5 : 1e-3));
    }
}

/* The ends of what is allowed, and the least training there is. */
TEST(predictions_of_extreme_speeds_stay_finite)
{
    static const double scale[4] = { 1e70, 1e-60, 1e-200, 1.0 };
    static columns c;
    static double rows[ROWS];
    sgdfc_series series = series_of(&c);
    for (size_t i = 0; i < 4; i++)
        for (int method = 0; method < SGDFC_KIND_COUNT; method++) {
            sgdfc_config f = forecast_of(method);
            dice d = { 43, 0 };
            size_t bad = 0;
            for (size_t k = 0; k < ROWS; k++) {
                c.speed[k] = k < 10 ? scale[i] * uniform(&d, 0, 1) : uniform(&d, 0, 1e70);
                c.cpu[k] = k < 10 ? scale[i] * uniform(&d, 0, 1) : 1e70;
                c.memory[k] = scale[i];
            }
            f.train = 10;
            f.unclamped = i == 3;
            (void)predicted(&f, &series, rows, NULL);
            for (size_t k = 0; k < ROWS; k++) bad += !(fabs(rows[k]) <= DBL_MAX);
            CHECK(bad == 0);
        }
}

TEST(simple_predictors_take_short_series)
{
    static columns c;
    double rows[2];
    sgdfc_series series = series_of(&c);
    c.speed[0] = 3.0;
    c.speed[1] = 5.0;
    series.cpu = series.memory = NULL;
    for (int method = 0; method <= SGDFC_EMA; method++) {
        sgdfc_config f = forecast_of(method);
        CHECK(sgdfc_rows(&f) == 1);
        series.rows = 1;
        sgdfc_result out = predicted(&f, &series, rows, NULL);
        CHECK(out.rows_scored == 0 && fabs(out.rmse) <= 0.0);
        CHECK_REL(rows[0], 3.0, 0.0);
        series.rows = 2;
        out = predicted(&f, &series, rows, NULL);
        CHECK(out.rows_scored == 1);
        CHECK_REL(out.rmse, 2.0, 0.0);
        series.rows = 30;          /* of n + 20 rows on, the error is that of learners */
        f.train = 10;
        out = predicted(&f, &series, NULL, NULL);
        CHECK(out.first_scored == 20 && out.rows_scored == 10);
        series.rows = 29;
        CHECK(predicted(&f, &series, NULL, NULL).first_scored == 1);
    }
}

/* ---- Status ---------------------------------------------------------------- */

/* The status, and that nothing was written but bad_row with SGDFC_BAD_ROW. */
static void refuses(const sgdfc_config *f, const sgdfc_series *series, sgdfc_status want,
                    size_t where)
{
    static double rows[ROWS], weights[MOST_WEIGHTS];
    sgdfc_result out, before;
    size_t bad_row = 77, i, touched = 0;
    for (i = 0; i < ROWS; i++) rows[i] = -7.0;
    memset(&out, 0x5a, sizeof out);
    out.predicted = rows;
    out.weights = weights;
    memcpy(&before, &out, sizeof out);
    memset(weights, 0x5a, sizeof weights);
    CHECK_STATUS(predict(f, series, &bad_row, &out), want);
    CHECK(memcmp(&before, &out, sizeof out) == 0);
    CHECK(bad_row == (want == SGDFC_BAD_ROW ? where : 77));
    for (i = 0; i < ROWS; i++) touched += !(rows[i] <= -7.0 && rows[i] >= -7.0);
    for (i = 0; i < sizeof weights; i++) touched += ((unsigned char *)weights)[i] != 0x5a;
    CHECK(touched == 0);
}

TEST(bad_rows_are_refused_with_their_place)
{
    static columns c;
    const double bad[5] = { (double)NAN, -1e-9, (double)INFINITY, -(double)INFINITY, 1.1e70 };
    sgdfc_series series = series_of(&c);
    shared_machine(1, &c);
    for (int method = 0; method < SGDFC_KIND_COUNT; method++) {
        const sgdfc_config f = forecast_of(method);
        double *const column[3] = { c.speed, c.cpu, c.memory };
        for (size_t i = 0; i < 15; i++) {
            const size_t k = i == 0 ? 0 : i == 1 ? ROWS - 1 : 97 * i;
            const double good = column[i % 3][k];
            column[i % 3][k] = bad[i / 3];
            refuses(&f, &series, SGDFC_BAD_ROW, k);
            CHECK_STATUS(predict(&f, &series, NULL, &(sgdfc_result){ 0 }), SGDFC_BAD_ROW);
            column[i % 3][k] = good;
        }
    }
}

TEST(bad_series_are_refused)
{
    static columns c;
    const sgdfc_series good = series_of(&c);
    sgdfc_series series;
    shared_machine(1, &c);
    for (int method = 0; method < SGDFC_KIND_COUNT; method++) {
        sgdfc_config f = forecast_of(method);
        CHECK(sgdfc_rows(&f) == (is_learner(method) ? TRAIN + 20u : 1u));
        series = good;
        series.rows = (size_t)sgdfc_rows(&f) - 1;
        refuses(&f, &series, SGDFC_SHORT_SERIES, 0);
        series.rows++;
        (void)predicted(&f, &series, NULL, NULL);
        series = good;
        series.speed = NULL;
        refuses(&f, &series, SGDFC_BAD_ARGUMENT, 0);
        refuses(&f, NULL, SGDFC_BAD_ARGUMENT, 0);
        if (method != SGDFC_NARX && method != SGDFC_ARX) continue;
        series = good;
        series.cpu = NULL;
        refuses(&f, &series, SGDFC_BAD_ARGUMENT, 0);
        series = good;
        series.memory = NULL;
        refuses(&f, &series, SGDFC_BAD_ARGUMENT, 0);
    }
}

/* As refused by every call that takes a forecast. */
static void refuses_forecast(const sgdfc_config *f)
{
    static columns c;
    const sgdfc_series series = series_of(&c);
    static double work[64];
    sgdfc_forecaster *p = NULL;
    size_t bytes = 77;
    CHECK_STATUS(sgdfc_bytes(f, &bytes), SGDFC_BAD_ARGUMENT);
    CHECK_STATUS(sgdfc_bytes(f, &bytes), SGDFC_BAD_ARGUMENT);
    CHECK_STATUS(sgdfc_open(f, work, sizeof work, &p), SGDFC_BAD_ARGUMENT);
    CHECK(bytes == 77 && p == NULL);
    refuses(f, &series, SGDFC_BAD_ARGUMENT, 0);
}

TEST(bad_forecasts_are_refused)
{
    double start[MOST_WEIGHTS] = { 0 };
    sgdfc_config f;
    refuses_forecast(NULL);
    CHECK(sgdfc_rows(NULL) == 0);
    for (int method = -1; method <= SGDFC_KIND_COUNT; method++) {
        if (method < 0 || method == SGDFC_KIND_COUNT) {
            f = forecast_of(method);
            refuses_forecast(&f);
            CHECK(sgdfc_rows(&f) == 0);
            CHECK(sgdfc_weights(f.kind) == 0);
            continue;
        }
        f = forecast_of(method);
        f.train = 9;
        refuses_forecast(&f);
        CHECK(sgdfc_rows(&f) == 0);
        f = forecast_of(method);
        f.smoothing = -0.1;
        refuses_forecast(&f);
        f.smoothing = 1.1;
        refuses_forecast(&f);
        f.smoothing = (double)NAN;
        refuses_forecast(&f);
        f = forecast_of(method);
        f.start = start;
        start[1] = (double)NAN;
        refuses_forecast(&f);
        start[1] = -(double)INFINITY;
        refuses_forecast(&f);
    }
}

TEST(work_areas_are_checked)
{
    static columns c;
    const sgdfc_series series = series_of(&c);
    shared_machine(1, &c);
    for (int method = 0; method < SGDFC_KIND_COUNT; method++) {
        sgdfc_config f = forecast_of(method);
        sgdfc_forecaster *p = NULL;
        sgdfc_result out = { 0 };
        size_t bytes = 0, other = 0;
        CHECK_STATUS(sgdfc_bytes(&f, NULL), SGDFC_BAD_ARGUMENT);
        CHECK_STATUS(sgdfc_bytes(&f, &bytes), SGDFC_OK);
        CHECK_STATUS(sgdfc_bytes(&f, &other), SGDFC_OK);
        CHECK(bytes == other && bytes <= 64 * 1024 + 40 * sgdfc_weights(f.kind));
        char *work = (char *)get_dirt(bytes + 8);
        CHECK_STATUS(sgdfc_open(&f, work, bytes - 1, &p), SGDFC_SMALL_WORKSPACE);
        CHECK_STATUS(sgdfc_open(&f, NULL, bytes, &p), SGDFC_BAD_ARGUMENT);
        CHECK_STATUS(sgdfc_open(&f, work + 1, bytes, &p), SGDFC_BAD_ARGUMENT);
        CHECK_STATUS(sgdfc_open(&f, work, bytes, NULL), SGDFC_BAD_ARGUMENT);
        CHECK_STATUS(sgdfc_run(&f, &series, work, bytes - 1, NULL, &out), SGDFC_SMALL_WORKSPACE);
        CHECK_STATUS(sgdfc_run(&f, &series, NULL, bytes, NULL, &out), SGDFC_BAD_ARGUMENT);
        CHECK_STATUS(sgdfc_run(&f, &series, work, bytes, NULL, NULL), SGDFC_BAD_ARGUMENT);
        CHECK(p == NULL && out.rows_scored == 0);
        f.train = 0xffffffffu;
        CHECK(sgdfc_rows(&f) == (is_learner(method) ? 0xffffffffu + 20ull : 1u));
        CHECK_STATUS(sgdfc_bytes(&f, &bytes),
                     is_learner(method) && sizeof(size_t) == 4 ? SGDFC_TOO_LARGE : SGDFC_OK);
        free(work);
    }
}

TEST(incremental_calls_are_checked)
{
    for (int method = 0; method < SGDFC_KIND_COUNT; method++) {
        const int reads = method == SGDFC_NARX || method == SGDFC_ARX;
        const sgdfc_status unread = reads ? SGDFC_BAD_ROW : SGDFC_OK;
        const sgdfc_config f = forecast_of(method);
        uint32_t epochs = 77;
        size_t clamped = 77;
        double v = -7.0, weights[1] = { -7.0 };
        void *work;
        sgdfc_forecaster *p = open_predictor(&f, &work);
        CHECK_STATUS(sgdfc_predict(p, 0.5, 0.5, &v), SGDFC_SHORT_SERIES);
        CHECK_STATUS(sgdfc_observe(p, (double)NAN, 0.5, 0.5), SGDFC_BAD_ROW);
        CHECK_STATUS(sgdfc_observe(p, -1.0, 0.5, 0.5), SGDFC_BAD_ROW);
        CHECK_STATUS(sgdfc_observe(NULL, 1.0, 0.5, 0.5), SGDFC_BAD_ARGUMENT);
        CHECK_STATUS(sgdfc_predict(p, 0.5, 0.5, &v), SGDFC_SHORT_SERIES);
        CHECK_STATUS(sgdfc_observe(p, 2.0, 0.5, 0.5), SGDFC_OK);
        CHECK_STATUS(sgdfc_observe(p, 2.0, (double)NAN, 0.5), unread);
        CHECK_STATUS(sgdfc_observe(p, 2.0, 0.5, -1.0), unread);
        CHECK_STATUS(sgdfc_predict(NULL, 0.5, 0.5, &v), SGDFC_BAD_ARGUMENT);
        CHECK_STATUS(sgdfc_predict(p, 0.5, 0.5, NULL), SGDFC_BAD_ARGUMENT);
        if (reads) {
            CHECK_STATUS(sgdfc_predict(p, (double)NAN, 0.5, &v), SGDFC_BAD_ROW);
            CHECK_STATUS(sgdfc_predict(p, 0.5, (double)INFINITY, &v), SGDFC_BAD_ROW);
        }
        CHECK_STATUS(sgdfc_learned(p, weights, &epochs, &clamped), SGDFC_SHORT_SERIES);
        CHECK_STATUS(sgdfc_learned(NULL, weights, &epochs, &clamped), SGDFC_BAD_ARGUMENT);
        CHECK(epochs == 77 && clamped == 77);
        CHECK_REL(weights[0], -7.0, 0.0);
        CHECK_REL(v, -7.0, 0.0);
        CHECK_STATUS(sgdfc_predict(p, 0.5, 0.5, &v), SGDFC_OK);
        CHECK_REL(v, 2.0, 0.0);
        CHECK_STATUS(sgdfc_learned(p, NULL, NULL, NULL), SGDFC_SHORT_SERIES);
        free(work);
    }
    CHECK_TEXT(sgdfc_status_text(SGDFC_SHORT_SERIES),
               "fewer iterations than a prediction needs");
    CHECK_TEXT(sgdfc_status_text(SGDFC_BAD_ROW),
               "a speed, or use of CPU or memory, is out of range");
}

/* ---- Shared machines ------------------------------------------------------- */

/* The first rows of seed 1 as they were printed before the generator stood in the header,
 * and means over many: tasks of 65 iterations that come in 2 % of them. */
TEST(shared_machines_leave_what_their_tasks_do_not_take)
{
    const int rows = TEST_SIZE(20000, 400000);
    double mean_cpu = 0.0, mean_memory = 0.0, least = 1e9;
    busy_machine machine, slower;
    CHECK(busy_start(&machine, 1, 110.0, BUSY_TASK_LENGTH));
    CHECK(busy_start(&slower, 1, 11.0, BUSY_TASK_LENGTH));
    for (int i = 0; i < rows; i++) {
        const busy_row row = busy_next(&machine), same = busy_next(&slower);
        CHECK_REL(10.0 * same.speed, row.speed, 1e-12);
        CHECK(fabs(row.cpu - same.cpu) <= 0.0 && fabs(row.memory - same.memory) <= 0.0);
        if (i == 0) {
            CHECK(fabs(row.speed - 42.045) < 5e-4 && fabs(row.cpu - 0.42125) < 5e-6);
            CHECK(fabs(row.memory - 0.29984) < 5e-6);
        }
        if (row.speed < least) least = row.speed;
        mean_cpu += row.cpu / rows;
        mean_memory += row.memory / rows;
    }
    CHECK(least >= 0.05 * 110.0);
    CHECK(fabs(mean_cpu - (1.0 - 0.02 * 65.0 * 0.2)) < 0.02);
    CHECK(fabs(mean_memory - (1.0 - 0.02 * 65.0 * 0.175)) < 0.02);
    CHECK_REL(busy_speed(110.0, 1.0, 0.45), 110.0, 1e-15);
    CHECK_REL(busy_speed(110.0, 1.0, 0.1125), 55.0, 1e-15);
}

/* Tasks that stay ten times as long come a tenth as often: as much is left in the mean, and
 * it changes more slowly. Tasks that stay for good take what they took when they began. */
TEST(longer_tasks_leave_as_much_and_change_less_often)
{
    const int machines = TEST_SIZE(200, 2000), rows = 400;
    const double length[] = {BUSY_TASK_LENGTH, 10 * BUSY_TASK_LENGTH, BUSY_LONGEST};
    double mean[3] = {0}, change[3] = {0};
    for (int i = 0; i < 3 * machines; i++) {
        busy_machine machine;
        double tasks = 0.0;
        CHECK(busy_start(&machine, (uint64_t)(i / 3), 110.0, length[i % 3]));
        for (int k = 0; k < rows; k++) {
            const double before = tasks;
            (void)busy_next(&machine);
            tasks = 0.0;
            for (size_t t = 0; t < machine.tasks; t++) tasks += machine.cpu[t];
            mean[i % 3] += tasks / (machines * rows);
            if (k > 0 && fabs(tasks - before) > 1e-9) change[i % 3] += 1.0 / machines;
        }
    }
    for (int i = 0; i < 3; i++) CHECK(fabs(mean[i] - 0.02 * 65.0 * 0.2) < 0.06);
    CHECK_REL(change[0], 2 * 0.02 * rows, 0.1);
    CHECK_REL(change[1], 2 * 0.002 * rows, 0.4);
    CHECK(change[2] < 0.01);
}

/* Number by number, of the same draws. */
TEST(shared_machines_are_their_plain_form)
{
    static columns c;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        busy_machine machine;
        shared_machine(seed, &c);
        CHECK(busy_start(&machine, seed, 110.0, BUSY_TASK_LENGTH));
        for (size_t k = 0; k < ROWS; k++) {
            const busy_row row = busy_next(&machine);
            CHECK_REL(row.speed, fmax(0.05 * 110.0, c.speed[k]), 1e-12);
            CHECK_REL(row.cpu, c.cpu[k], 1e-12);
            CHECK_REL(row.memory, c.memory[k], 1e-12);
        }
    }
}

/* As the header says: 500 rows, 200 epochs, and the last speed by a fifth. */
TEST(zeros_are_the_defaults)
{
    const sgdfc_config zeros = forecast_of(SGDFC_RNN);
    void *work;
    const sgdfc_forecaster *p = open_predictor(&zeros, &work);
    CHECK(p->of.train == 500 && p->of.epochs == 200);
    CHECK_REL(p->of.smoothing, 0.2, 0.0);
    free(work);
}

TEST(shared_machines_without_a_speed_are_refused)
{
    const double bad[] = { 0.0, -1.0, 1e-71, 1e71, (double)NAN, (double)INFINITY };
    busy_machine machine, before;
    memset(&machine, 0x5a, sizeof machine);
    before = machine;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        CHECK(!busy_start(&machine, 1, bad[i], BUSY_TASK_LENGTH));
        CHECK(bad[i] > 1e70 || !busy_start(&machine, 1, 110.0, bad[i]));
    }
    CHECK(!busy_start(&machine, 1, 110.0, 1.1e9) && !busy_start(&machine, 1, 110.0, 1.99));
    CHECK(memcmp(&machine, &before, sizeof machine) == 0);
    CHECK(busy_start(&machine, 1, 1e70, 2.0) && busy_start(&machine, 1, 1e-70, BUSY_LONGEST));
}

/* A machine full of tasks takes no other: the number that decides it is drawn, and that is
 * all. */
TEST(a_full_machine_takes_no_task)
{
    busy_machine machine, before;
    size_t i, full = 0;
    CHECK(busy_start(&machine, 1, 110.0, BUSY_TASK_LENGTH));
    machine.tasks = BUSY_TASKS;
    for (i = 0; i < BUSY_TASKS; i++) {
        machine.end[i] = 1e9;
        machine.cpu[i] = machine.memory[i] = 0.01;
    }
    for (i = 0; i < 1000; i++) {
        before = machine;
        (void)busy_next(&machine);
        CHECK(memcmp(machine.end, before.end, sizeof machine.end) == 0);
        full += machine.tasks == BUSY_TASKS;
    }
    CHECK(full == 1000);
}

TEST(a_forecast_that_is_none_is_refused_first)
{
    const sgdfc_config none = {.kind = SGDFC_KIND_COUNT};
    sgdfc_result out = { 0 };
    CHECK_STATUS(sgdfc_run(&none, NULL, NULL, 0, NULL, &out), SGDFC_BAD_ARGUMENT);
    CHECK(out.rows_scored == 0);
}

/* ---- Inputs and steps ------------------------------------------------------------- */

/* Of a series whose values say when they were: RNN and LSTM have first the earlier of two
 * speeds, the others the later, and three uses of CPU and memory. */
TEST(networks_see_the_rows_that_the_header_says)
{
    double z[SGDFC_PRIV_SERIES][3] = { { 0.5, 1.0, 2.0 }, { 10, 11, 12 }, { 20, 21, 22 } }, x[8];
    const double others[8] = { 1, 2, 10, 11, 12, 20, 21, 22 };
    sgdfc_priv_inputs(SGDFC_RNN, z, x);
    CHECK(x[0] >= 2.0 && x[0] <= 2.0 && x[1] >= 1.0 && x[1] <= 1.0);
    x[0] = x[1] = 0.0;
    sgdfc_priv_inputs(SGDFC_LSTM, z, x);
    CHECK(x[0] >= 2.0 && x[0] <= 2.0 && x[1] >= 1.0 && x[1] <= 1.0);
    sgdfc_priv_inputs(SGDFC_NARX, z, x);
    for (size_t i = 0; i < 8; i++) CHECK_REL(x[i], others[i], 0.0);
    sgdfc_priv_inputs(SGDFC_ARX, z, x);
    for (size_t i = 0; i < 8; i++) CHECK_REL(x[i], others[i], 0.0);
}

/* h = a' a and g of so many random rows; an unknown whose column is 0 has no diagonal. */
static void random_equations(dice *d, size_t zero, double (*h)[4], double *g)
{
    memset(h, 0, 16 * sizeof(double));
    memset(g, 0, 4 * sizeof *g);
    for (size_t k = 0; k < 9; k++) {
        double a[4];
        for (size_t i = 0; i < 4; i++) a[i] = i == zero ? 0.0 : normal(d);
        for (size_t i = 0; i < 4; i++) {
            for (size_t j = 0; j < 4; j++) h[i][j] += a[i] * a[j];
            g[i] += a[i] * normal(d);
        }
    }
}

TEST(damped_steps_solve_their_equations)
{
    static const double damping[5] = { 0.0, 1e-3, 0.5, 10.0, 1e6 };
    dice d = { 14, 0 };
    for (size_t n = 0; n < 5; n++)
        for (size_t zero = 0; zero < 5; zero++) {
            double h[4][4], g[4], step[4];
            random_equations(&d, zero, h, g);
            sgdfc_priv_damped(h, g, damping[n], step);
            for (size_t i = 0; i < 4; i++) {
                double sum = damping[n] * h[i][i] * step[i], size = fabs(sum);
                for (size_t j = 0; j < 4; j++) sum += h[i][j] * step[j];
                for (size_t j = 0; j < 4; j++) size += fabs(h[i][j] * step[j]);
                CHECK(fabs(sum - g[i]) <= 1e-12 * size);
                if (i == zero) CHECK_REL(step[i], 0.0, 0.0);
            }
        }
}

/* The first of d, 10 d, 100 d ... whose step makes the sum less is taken, and a tenth of
 * it kept, but for 1e-12; at the least sum none is. */
TEST(damping_grows_until_a_step_is_better_and_shrinks_after_it)
{
    static const double truth[4] = { 0.001, 0.5, -0.3, 0.4 };
    static double v[LONG];
    enum { USE = 200 };
    size_t round, i, refused = 0, least = 0;
    void *work;
    dice d = { 15, 0 };
    double found[4];
    arima_process(9, truth, v);
    sgdfc_forecaster *p = arima_of(v, USE, NULL, &work);
    memcpy(found, p->weight, sizeof found);
    for (round = 0; round < 60; round++) {
        const double first = round % 3 == 0 ? 1e-12 : 1e-3;
        double h[4][4], g[4], step[4], trial[4], damping = first, told = first, e;
        double sum, now = HUGE_VAL;
        for (i = 0; i < 4; i++)
            p->weight[i] = found[i] + (i > 0 ? uniform(&d, -0.4, 0.4) : 0.0);
        p->weight[3] = fmin(0.998, fmax(-0.998, p->weight[3]));
        sum = sgdfc_priv_residuals(p->scratch, USE - 2, p->weight, h, g, &e);
        for (;; damping *= 10.0, refused++) {
            sgdfc_priv_damped(h, g, damping, step);
            for (i = 0; i < 4; i++) {
                const double bound = i == 0 ? DBL_MAX : i < 3 ? 2.0 : 0.999;
                trial[i] = fmin(bound, fmax(-bound, p->weight[i] + step[i]));
            }
            now = sgdfc_priv_residuals(p->scratch, USE - 2, trial, NULL, NULL, &e);
            if (now < sum || damping > 1e12) break;
        }
        least += damping < 1e-11;
        CHECK(sgdfc_priv_arima_step(p, USE - 2, &sum, &told));
        CHECK_REL(sum, now, 0.0);
        CHECK_REL(told, damping > 1e-11 ? damping / 10.0 : 1e-12, 1e-12);
        for (i = 0; i < 4; i++) CHECK_REL(p->weight[i], trial[i], 0.0);
    }
    CHECK(refused > 0 && least > 0);
    free(work);
}

/* A step as described, from weights at a bound or not; 0 if there is none. */
static int bounded_step(const double *w, size_t rows, double *weight)
{
    double h[4][4], g[4], step[4], trial[4], e, damping;
    const double sum = sgdfc_priv_residuals(w, rows, weight, h, g, &e);
    for (size_t i = 1; i < 4; i++) {
        const double bound = i < 3 ? 2.0 : 0.999;
        const int beyond_it = weight[i] >= bound ? g[i] > 0.0 : weight[i] <= -bound && g[i] < 0.0;
        for (size_t j = 0; beyond_it && j < 4; j++) h[i][j] = h[j][i] = 0.0;
    }
    for (damping = 1e-3; damping < 1e12; damping *= 10.0) {
        sgdfc_priv_damped(h, g, damping, step);
        for (size_t i = 0; i < 4; i++) {
            const double bound = i == 0 ? DBL_MAX : i < 3 ? 2.0 : 0.999;
            trial[i] = fmin(bound, fmax(-bound, weight[i] + step[i]));
        }
        if (!(sgdfc_priv_residuals(w, rows, trial, NULL, NULL, &e) < sum)) continue;
        memcpy(weight, trial, sizeof trial);
        return 1;
    }
    return 0;
}

/* Of whole numbers, whose slope at the bound is just 0 now and then. */
TEST(a_weight_at_its_bound_moves_unless_drawn_beyond)
{
    enum { USE = 8 };
    double v[USE + 2];
    size_t round, i, drawn[3] = { 0, 0, 0 };
    void *work;
    dice d = { 16, 0 };
    for (i = 0; i < USE + 2; i++) v[i] = uniform(&d, 0, 1);
    sgdfc_forecaster *p = arima_of(v, USE + 2, NULL, &work);
    for (round = 0; round < 1000; round++) {
        double want[4] = { 0, 0, 0, 0 }, h[4][4], g[4], e, sum, damping = 1e-3;
        want[1] = round % 2 ? 2.0 : -2.0;
        for (i = 0; i < USE; i++)
            p->scratch[i] = floor(uniform(&d, -1, 2)) + (i > 0 ? want[1] * p->scratch[i - 1] : 0);
        memcpy(p->weight, want, sizeof want);
        sum = sgdfc_priv_residuals(p->scratch, USE, want, h, g, &e);
        drawn[g[1] < 0.0 ? 0 : g[1] > 0.0 ? 2 : 1]++;
        int moved = bounded_step(p->scratch, USE, want);
        CHECK(sgdfc_priv_arima_step(p, USE, &sum, &damping) == moved);
        for (i = 0; i < 4; i++) CHECK_REL(p->weight[i], want[i], 0.0);
    }
    CHECK(drawn[0] > 100 && drawn[1] > 10 && drawn[2] > 100);
    free(work);
}

/* From -.3, -.1, -.5 and no constant on, until the sum is not better by 1e-13. */
TEST(a_fit_ends_with_the_first_step_that_betters_next_to_nothing)
{
    enum { USE = 100 };
    static const double truth[4] = { 0.001, 0.5, -0.3, 0.4 };
    static const double first[4] = { 0.0, -0.3, -0.1, -0.5 };
    static double v[LONG];
    for (size_t seed = 1; seed <= 10; seed++) {
        double found[4], e, sum, before, damping = 1e-3;
        uint32_t steps = 0, told = 0;
        void *work;
        arima_process(seed, truth, v);
        sgdfc_forecaster *p = arima_of(v, USE, NULL, &work);
        CHECK_STATUS(sgdfc_learned(p, found, &told, NULL), SGDFC_OK);
        memcpy(p->weight, first, sizeof first);
        sum = sgdfc_priv_residuals(p->scratch, USE - 2, first, NULL, NULL, &e);
        do {
            before = sum;
            if (!sgdfc_priv_arima_step(p, USE - 2, &sum, &damping)) break;
            steps++;
        } while (before - sum > 1e-13 * before);
        CHECK(steps == told);
        for (size_t i = 0; i < 4; i++) CHECK_REL(p->weight[i], found[i], 0.0);
        free(work);
    }
}

TEST(no_damping_betters_the_least_sum)
{
    static double v[LONG];
    static const double truth[4] = { 0.0, 0.5, -0.3, 0.4 };
    double sum = 0.0, damping = 1e-3;
    void *work;
    arima_process(9, truth, v);
    sgdfc_forecaster *p = arima_of(v, 100, NULL, &work);
    CHECK(!sgdfc_priv_arima_step(p, 98, &sum, &damping));
    CHECK_REL(damping, 1e12, 1e-9);
    CHECK_REL(sum, 0.0, 0.0);
    free(work);
}

TEST_MAIN("test_forecast");
