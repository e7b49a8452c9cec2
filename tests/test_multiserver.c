/* Closed networks with stations of several servers, delays and load-dependent rates:
 * against the sum over all states, published examples, and the machine repairman. */
#include "../sgdperf.h"

#include "networks.h"
#include "oracle_productform.h"
#include "tally.h"
#include "test.h"

/* ---- A network with rates, and all that is said of it ---------------------- */

enum { CLASSES = 3, STATIONS = 6, RATES = 12 };

typedef struct full {
    sgdp_network net;
    uint32_t     population[CLASSES];
    double       think_s[CLASSES];
    double       demand_s[CLASSES * STATIONS];
    double       capacity[STATIONS];
    double       rates[STATIONS * RATES];
} full;

/* Everything a solver says, by class and station. */
typedef struct said {
    double X[CLASSES], T[CLASSES * STATIONS], N[CLASSES * STATIONS],
        U[CLASSES * STATIONS], queue[STATIONS], busy[STATIONS];
    sgdp_method method;
} said;

/* With so many classes and stations, of one server where nothing else is said. */
static full one_server(full f)
{
    for (size_t l = 0; l < f.net.stations; l++)
        if (!(f.capacity[l] > 0.0)) f.capacity[l] = 1.0;
    return f;
}
#define FULL(C, L, ...) \
    one_server((full){.net.classes = (C), .net.stations = (L), __VA_ARGS__})

/* The arrays may have moved with a copy of the struct. */
static const sgdp_network *full_net(full *f)
{
    f->net.population = f->population;
    f->net.think_s = f->think_s;
    f->net.demand_s = f->demand_s;
    f->net.capacity = f->capacity;
    if (f->net.rate_tasks > 0) f->net.rates = f->rates;
    return &f->net;
}

static double speed_at(const sgdp_network *net, size_t l, size_t tasks)
{
    const double *row = net->rates ? net->rates + l * net->rate_tasks : NULL;
    if (!row || row[0] <= 0.0) return fmin((double)tasks, net->capacity[l]);
    return tasks < net->rate_tasks ? row[tasks - 1] : row[net->rate_tasks - 1];
}

static double full_speed(const sgdp_network *net, size_t l)
{
    const double *row = net->rates ? net->rates + l * net->rate_tasks : NULL;
    double most = 0.0;
    if (!row || row[0] <= 0.0) return net->capacity[l] <= DBL_MAX ? net->capacity[l] : 1.0;
    for (size_t j = 0; j < net->rate_tasks; j++) most = fmax(most, row[j]);
    return most;
}

static sgdp_status ask(const sgdp_network *net, solver s, sgdp_method method, said *a)
{
    memset(a, 0, sizeof *a);
    sgdp_mva_options options = {.method = method};
    sgdp_mva_result out = {.throughput_per_s = a->X, .response_s = a->T, .queue = a->queue,
                           .utilization = a->busy, .class_queue = a->N, .class_utilization = a->U};
    sgdp_status status = solve_dirty(s, net, &options, 0xA5, &out);
    a->method = out.method;
    return status;
}

static said solved(full *f, solver s, sgdp_method method)
{
    said a;
    CHECK_STATUS(ask(full_net(f), s, method, &a), SGDP_OK);
    return a;
}

static double said_error(const sgdp_network *net, const said *got, const said *want)
{
    const size_t C = net->classes, L = net->stations;
    double worst = 0.0;
    for (size_t i = 0; i < C; i++) worst = larger(worst, relative(got->X[i], want->X[i]));
    for (size_t i = 0; i < C * L; i++) {
        worst = larger(worst, relative(got->T[i], want->T[i]));
        worst = larger(worst, relative(got->N[i], want->N[i]));
        worst = larger(worst, relative(got->U[i], want->U[i]));
    }
    for (size_t i = 0; i < L; i++) {
        worst = larger(worst, relative(got->queue[i], want->queue[i]));
        worst = larger(worst, relative(got->busy[i], want->busy[i]));
    }
    return worst;
}

/* ---- The sum over all states ----------------------------------------------- */

/* at[c][place] tasks, place 0 being outside all stations. Weight of a state: of station l
 * n! prod_c D[c]^n[c] / n[c]! / (r(1) ... r(n)), outside Z^n / n!. What leaves a
 * station: a task's share of its speed, n[c]/n r(n). */
typedef struct states {
    const sgdp_network *net;
    size_t      at[CLASSES][STATIONS + 1];
    long double total, mean[CLASSES][STATIONS + 1], flow[CLASSES][STATIONS + 1];
} states;

static long double station_weight(const states *s, size_t l, size_t *tasks)
{
    long double w = 1.0L;
    size_t n = 0;
    for (size_t c = 0; c < s->net->classes; c++)
        for (size_t i = 1; i <= s->at[c][l + 1]; i++) {
            n++;
            w *= (long double)s->net->demand_s[c * s->net->stations + l] / (long double)i
               * (long double)n / (long double)speed_at(s->net, l, n);
        }
    *tasks = n;
    return w;
}

static void state_counts(states *s)
{
    const size_t C = s->net->classes, L = s->net->stations;
    size_t tasks[STATIONS], c, l, i;
    long double w = 1.0L;
    for (l = 0; l < L; l++) w *= station_weight(s, l, &tasks[l]);
    for (c = 0; c < C; c++)
        for (i = 1; i <= s->at[c][0]; i++)
            w *= (long double)s->net->think_s[c] / (long double)i;
    s->total += w;
    for (c = 0; c < C; c++) {
        s->mean[c][0] += w * (long double)s->at[c][0];
        s->flow[c][0] += w * (long double)s->at[c][0];
        for (l = 0; l < L; l++) {
            const long double here = (long double)s->at[c][l + 1];
            s->mean[c][l + 1] += w * here;
            if (tasks[l] > 0)
                s->flow[c][l + 1] += w * here / (long double)tasks[l]
                                   * (long double)speed_at(s->net, l, tasks[l]);
        }
    }
}

/* Spreads `left` tasks of class c over the places from `place` on. */
static void spread(states *s, size_t c, size_t place, size_t left)
{
    if (c == s->net->classes) { state_counts(s); return; }
    if (place == s->net->stations) {
        s->at[c][place] = left;
        spread(s, c + 1, 0, c + 1 < s->net->classes ? s->net->population[c + 1] : 0);
        return;
    }
    for (size_t n = 0; n <= left; n++) {
        s->at[c][place] = n;
        spread(s, c, place + 1, left - n);
    }
}

static void sum_over_states(const sgdp_network *net, said *want)
{
    const size_t C = net->classes, L = net->stations;
    memset(want, 0, sizeof *want);
    states s = {.net = net};
    spread(&s, 0, 0, net->population[0]);
    for (size_t c = 0; c < C; c++) {
        long double X = 0.0L;
        if (net->population[c] == 0) continue;
        if (net->think_s[c] > 0.0) X = s.flow[c][0] / (long double)net->think_s[c];
        for (size_t l = 0; l < L && !(X > 0.0L); l++)
            if (net->demand_s[c * L + l] > 0.0)
                X = s.flow[c][l + 1] / (long double)net->demand_s[c * L + l];
        X /= s.total;
        want->X[c] = (double)X;
        for (size_t l = 0; l < L; l++) {
            const long double N = s.mean[c][l + 1] / s.total;
            const long double U = s.flow[c][l + 1] / s.total / (long double)full_speed(net, l);
            want->T[c * L + l] = (double)(N / X);
            want->N[c * L + l] = (double)N;
            want->U[c * L + l] = (double)U;
            want->queue[l] += (double)N;
            want->busy[l] += (double)U;
        }
    }
}

/* ---- Random networks ------------------------------------------------------- */

/* Capacities, delays, rates that rise, fall or have a peak, empty classes, stations that
 * a class does not visit. */
static void random_full(uint64_t *state, full *f)
{
    static const double m[] = {1.0, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 8.0, HUGE_VAL, 1e300};
    const size_t stations = random_size(state, 1, 4), classes = random_size(state, 1, 3);
    *f = FULL(classes, stations, .population = {0});
    for (size_t c = 0; c < f->net.classes; c++) {
        f->population[c] = (uint32_t)random_size(state, 0, f->net.classes == 3 ? 2 : 4);
        if (random_size(state, 0, 3)) f->think_s[c] = random_time(state, -1.5, 1.0);
        for (size_t l = 0; l < f->net.stations; l++)
            if (random_size(state, 0, 4) || (l == 0 && !(f->think_s[c] > 0.0)))
                f->demand_s[c * f->net.stations + l] = random_time(state, -1.5, 1.0);
    }
    if (random_size(state, 0, 1)) f->net.rate_tasks = random_size(state, 1, RATES);
    for (size_t l = 0; l < f->net.stations; l++) {
        f->capacity[l] = m[random_size(state, 0, sizeof m / sizeof m[0] - 1)];
        if (f->net.rate_tasks == 0 || random_size(state, 0, 2) == 0) continue;
        for (size_t j = 0; j < f->net.rate_tasks; j++)
            f->rates[l * f->net.rate_tasks + j] = random_time(state, -1.0, 1.0);
    }
}

TEST(random_networks_are_the_sum_over_the_states)
{
    static const sgdp_method methods[3] = {SGDP_METHOD_AUTO, SGDP_METHOD_LATTICE,
                                           SGDP_METHOD_POLYNOMIAL};
    tally t[3];
    uint64_t state = 14;
    size_t i, m, solved[3] = {0};
    const size_t count = (size_t)TEST_SIZE(300, 3000);
    t[0] = tally_of("cheapest method, sum over states", 1e-12);
    t[1] = tally_of("lattice, sum over states", 1e-12);
    t[2] = tally_of("polynomial, sum over states", 1e-12);
    for (i = 0; i < count; i++) {
        full f;
        said want, got;
        random_full(&state, &f);
        const sgdp_network *net = full_net(&f);
        sum_over_states(net, &want);
        for (m = 0; m < 3; m++) {
            const sgdp_status status = ask(net, EXACT, methods[m], &got);
            if (m == 2 && status == SGDP_OVER_BUDGET) continue; /* rates in 2 groups */
            CHECK_STATUS(status, SGDP_OK);
            tally_add(&t[m], said_error(net, &got, &want));
            solved[m]++;
        }
    }
    for (m = 0; m < 3; m++) tally_check(&t[m]);
    CHECK(solved[0] == count && solved[1] == count && solved[2] > count / 3);
}

/* ---- Published examples ---------------------------------------------------- */

/* The closed %!test blocks of octave-queueing (as facts: parameters and asserted digits),
 * service times and visits as there. 0 in an expected array: nothing is asserted. The
 * blocks assert three to six digits or agree with one another; here all of ours are
 * those of the sum over all states, to 1e-12. All files of closed networks, as of October
 * 2024, with the numbers of their blocks:
 *
 *   qncsmva      1 refusals; 2 one task; 3, 4 nobody; 5, 6 Jain; 7 Bolch 8.4; 8 Bolch 8.3;
 *                9 bounds
 *   qncsmvald    1 nobody; 2 Jain; 3 Bolch 8.7; 4 Bolch 8.4
 *   qncsconv     1 Bolch 8.1, G; 2 Bolch 8.3, G; 3 the same with a delay, two servers
 *   qncsconvld   1 refusals; 2, 5 Bolch 8.1, G; 3 Bolch 8.3; 4 the same: names servers
 *                1 5 2 1 but does without, here both
 *   qncscmva     1, 2, 3 stations of rates
 *   qncmmva      1 refusals; 2, 3 nobody; 4 two of one; 5 Bolch 8.3; 6, 7, 13, 14
 *                Schwetman, 14 from routes; 8 two servers; 9 an empty class; 10 think
 *                times; 11 JMVA; 12, 16 visits and routes; 15 classes that change; 17
 *                three alike
 *   qncsmvaap    1 refusals; 2 Lazowska     qncmmvabs    1 refusals; 2 two of one
 *   qncsaba      1 refusals; 2 digits; 3 enclosed
 *   qncsbsb      1 refusals; 2 enclosed     qncmaba, qncmbsb    1 refusals; 2 nobody; 3
 *   qncmcb       1 enclosed                   enclosed
 *   qnsolve      1, 2 Bolch 8.7; 3, 4 Bolch 8.4; 7, 8 two servers; 9 Schwetman, closed part
 *   qnmarkov     1, 2, 4, 5 where room is for all, 4 being Bolch 8.1
 *   qnmix        2, 3, 4 the closed classes, to which open ones leave 1 - rho of a station
 *   qncspb       2, 3; qncsgb 2, 3 and tables IV, V: the throughput lies between the bounds
 *                that they print
 *   qncsmvablo   5 which never blocks
 *
 * Not expressible: refusals (the words of that program; ours are tested with each
 * function); what qncspb, qncsgb and qncmcb print of their own bounds, and qncsaba's where
 * ours are tighter, as there is one kind of bounds here, balanced job bounds; qncsmvablo
 * 2-4 and qnmarkov 3, whose stations have no room for all and block; open classes of qnmix
 * and qnsolve 5, 6; qncmnpop, qncmpopmix, which count and list populations; qnmknode, which
 * has refusals alone; qncsvisits and qncmvisits, as visits are given here. qnclosed and
 * qncmmvaap have no block. */
typedef struct example {
    const char *name;
    size_t      classes, stations;
    uint32_t    population[2];
    double      think_s[2], S[12], V[12], m[6];
    double      X[2], Q[12], R[12], U[12]; /* X a cycle; R a visit; U as there         */
    double      digits;
} example;

#define DELAY HUGE_VAL

static const example examples[] = {
    {"qncsmva, qncsmvald: Jain 34.2", 1, 3, {20, 0}, {4, 0}, {.125, .3, .2}, {16, 10, 5},
     {1, 1, 1}, {0}, {1.991, 16.177, 0.500}, {.373, 4.854, .300}, {0}, 1e-3},
    {"qncsmva, qncsmvald, qnsolve: Bolch 8.4", 1, 4, {3, 0}, {0}, {.5, .6, .8, 1},
     {1, .5, .5, 1}, {2, 1, 1, DELAY}, {1.218, 0}, {0.624, 0.473, 0.686, 1.217}, {0},
     {.304, .365, .487, 0}, 1e-3},
    {"qncsmvald, qnsolve: Bolch 8.7", 1, 4, {3, 0}, {0}, {.5, 1 / 1.667, .8, 1},
     {1, .5, .5, 1}, {2, 1, 1, DELAY}, {0}, {0.624, 0.473, 0.686, 1.217},
     {0.512, 0.776, 1.127, 1}, {0}, 1e-3},
    {"qncsmva, qncsconv, qncsconvld, qncmmva: Bolch 8.3", 1, 4, {6, 0}, {0},
     {.02, .2, .4, .6}, {1, .4, .2, .1}, {1, 1, 1, 1}, {9.920, 0},
     {0.244, 2.261, 2.261, 1.234}, {0.025, 0.570, 1.140, 1.244},
     {0.198, 0.794, 0.794, 0.595}, 1e-3},
    {"qncsconv, qncsconvld: Bolch 8.1", 1, 3, {3, 0}, {0}, {1 / .8, 1 / .6, 1 / .4},
     {1, .667, .2}, {2, 3, 1}, {0.945, 0}, {1.290, 1.050, 0.660}, {1.366, 1.667, 3.496},
     {0.590, 0.350, 0.473}, 1e-3},
    {"qncsconv: 8.3 with a delay and two servers", 1, 4, {6, 0}, {0}, {.02, .2, .4, .6},
     {1, .4, .2, .1}, {1, DELAY, 2, 1}, {0}, {0}, {0}, {0}, 1e-5},
    {"qncscmva: four stations of one server", 1, 4, {5, 0}, {0}, {1, .3, .8, .9},
     {1, 1, 1, 1}, {1, 1, 1, 1}, {0}, {0}, {0}, {0}, 1e-5},
    {"qncscmva: a station of rates 1 to 5", 1, 4, {5, 0}, {0}, {1, 1, 1, 1}, {1, 1, 1, 1},
     {1, 1, 1, 5}, {0}, {0}, {0}, {0}, 1e-5},
    {"qncscmva: the same, visits and think time", 1, 4, {5, 0}, {3, 0}, {1, 1, 1, 1},
     {1, 2, 1, 1}, {1, 1, 1, 5}, {0}, {0}, {0}, {0}, 1e-5},
    {"qncmmva: two classes of one", 2, 2, {1, 1}, {0}, {.1, 1 / 3., .4, 1}, {10, 9, 5, 4},
     {1, 1}, {3 / 19., 2 / 19.}, {4 / 19., 15 / 19., 5 / 19., 14 / 19.},
     {4 / 30., 5 / 9., .5, 7 / 4.}, {0}, 1e-3},
    {"qncmmva: Schwetman, 2 and 1", 2, 3, {2, 1}, {0}, {1, 0, .025, 0, 15, .5},
     {1, 0, 1, 0, 1, 1}, {DELAY, DELAY, 1}, {1.949, 0.064}, {0},
     {1, 0, .027, 0, 15, .525}, {0}, 1e-3},
    {"qncmmva: Schwetman, 15 and 5", 2, 3, {15, 5}, {0}, {1, 0, .025, 0, 15, .5},
     {1, 0, 1, 0, 1, 1}, {DELAY, DELAY, 1}, {14.323, .314},
     {14.323, 0, .677, 0, 4.707, .293}, {1, 0, .047, 0, 15, .934},
     {14.323, 0, .358, 0, 4.707, .157}, 1e-3},
    {"qncmmva: the same with think times", 2, 1, {15, 5}, {1, 15}, {.025, .5}, {1, 1}, {1},
     {14.323, .314}, {.677, .293}, {.047, .934}, {.358, .157}, 1e-3},
    {"qncmmva, qnsolve: two classes, two servers", 2, 3, {2, 1}, {0},
     {.2, .4, 1, .2, .6, 2}, {1, .6, .4, 1, .3, .7}, {2, 1, DELAY}, {2.113, 0.524},
     {0.428, 0.726, 0.845, 0.108, 0.158, 0.734}, {0}, {0}, 1e-3},
    {"qncmmva: a class without tasks", 2, 4, {10, 0}, {0},
     {1, 4 / 3., 5 / 3., 2, 2, 7 / 3., 8 / 3., 3}, {4, 3, 2, 1, 6, 5, 4, 3}, {1, 1, 1, 1},
     {0}, {0}, {0}, {0}, 1e-5},
    {"qncmmva: JMVA, 40 and 4", 2, 6, {40, 4}, {0},
     {5, .010, .035, .035, .035, .035, 10, .100, .035, .035, .035, .035},
     {1, 10 / 9., 2.5 / 9, 2.5 / 9, 2.5 / 9, 2.5 / 9, 1, 20, 5, 5, 5, 5},
     {DELAY, 1, 1, 1, 1, 1}, {7.891588, 0.277270},
     {39.457941, 0.192262, 0.087449, 0, 0, 0, 2.772704, 1.008198, 0.054775, 0, 0, 0},
     {0},
     {39.457941, 0.087684, 0.076724, 0.076724, 0.076724, 0.076724, 2.772704, 0.554541,
      0.048522, 0.048522, 0.048522, 0.048522}, 1e-5},
    {"qncmmva: visits given and from routes, 3 and 2", 2, 4, {3, 2}, {0},
     {.01, .09, .10, .08, .05, .09, .10, .08}, {1, .45, .5, 0, 1, 0, .5, .49},
     {1, 1, 1, 1}, {12.1517, 6.8669},
     {0.2131, 0.7539, 2.0328, 0, 0.5011, 0, 1.1839, 0.3149}, {0},
     {0.1215, 0.4921, 0.6075, 0, 0.3433, 0, 0.3433, 0.2691}, 1e-4},
    {"qncsconvld: 8.3 with five and two servers", 1, 4, {6, 0}, {0}, {.02, .2, .4, .6},
     {1, .4, .2, .1}, {1, 5, 2, 1}, {0}, {0}, {0}, {0}, 1e-5},
    {"qncmmva: Schwetman from routes, 15 and 5", 2, 3, {15, 5}, {0},
     {.025, 1, 15, .5, 1, 15}, {1, 1, 0, 1, 0, 1}, {1, DELAY, DELAY}, {14.323, .314},
     {.677, 14.323, 0, .293, 0, 4.707}, {.047, 1, 0, .934, 0, 15},
     {.358, 14.323, 0, .156, 0, 4.707}, 1e-3},
    {"qncsmvablo: which never blocks", 1, 3, {40, 0}, {0}, {1, 1.25, 2.5}, {1, .7, .3},
     {1, 1, 1}, {0}, {0}, {0}, {0}, 1e-5},
    {"qnmarkov: two stations in turn", 1, 2, {3, 0}, {0}, {5, 2.5}, {1, 1}, {1, 1},
     {.1867, 0}, {0}, {12.1429, 3.9286}, {.9333, .4667}, 1e-4},
    {"qnmarkov: routes with loops", 1, 3, {3, 0}, {0}, {1.25, 1 / .6, 2.5},
     {1, 8 / 15., 11 / 15.}, {1, 1, 1}, {0}, {.873, .541, 1.585}, {0}, {.543, .386, .797},
     1e-3},
    {"qnmarkov: three stations, 6 tasks", 1, 3, {6, 0}, {0}, {1, .8, 1.8}, {1, .5, .5},
     {1, 1, 1}, {0}, {0}, {0}, {0}, 1e-6},
    {"qnmix: Zahorjan, beside open classes", 2, 2, {1, 1}, {0},
     {.5 / .5, 1 / (1 / 3.), 1 / .5, (4 / 3.) / (1 / 3.)}, {1, 1, 1, 1}, {1, 1}, {0},
     {4 / 19., 15 / 19., 5 / 19., 14 / 19.}, {0}, {0}, 1e-4},
    {"qnmix: Bolch 8.6, beside open classes", 2, 2, {1, 1}, {0},
     {.3 / .1, .5 / .1, .5 / .1, .8 / .1}, {1, .5, 1, .4}, {1, 1}, {.120, .081},
     {.582, .418, .624, .376}, {4.829, 6.951, 7.727, 11.636}, {0}, 1e-3},
    {"qnmix, qnsolve: Schwetman, beside an open class", 1, 2, {3, 0}, {0}, {.25 / .75, .10},
     {1, 1}, {1, 1}, {0}, {0}, {.885, .135}, {0}, 1e-3}
};

static void example_full(const example *e, full *f)
{
    *f = (full){.net.classes = e->classes, .net.stations = e->stations};
    memcpy(f->population, e->population, e->classes * sizeof *e->population);
    memcpy(f->think_s, e->think_s, e->classes * sizeof *e->think_s);
    for (size_t i = 0; i < e->classes * e->stations; i++) f->demand_s[i] = e->S[i] * e->V[i];
    memcpy(f->capacity, e->m, sizeof e->m);
}

/* The asserted digits: absolute, as there. */
static void example_digits(const example *e, const said *got)
{
    const double slack = e->digits * 1.0001;
    for (size_t c = 0; c < e->classes; c++) {
        if (e->X[c] > 0.0) CHECK(fabs(got->X[c] - e->X[c]) <= slack);
        for (size_t l = 0; l < e->stations; l++) {
            const size_t i = c * e->stations + l;
            if (e->Q[i] > 0.0) CHECK(fabs(got->N[i] - e->Q[i]) <= slack);
            if (e->R[i] > 0.0) CHECK(fabs(got->T[i] / e->V[i] - e->R[i]) <= slack);
            if (e->U[i] > 0.0) CHECK(fabs(got->U[i] - e->U[i]) <= slack);
        }
    }
}

/* The full digits: by the sum over all states, or of the weights where they are many. */
TEST(published_examples_are_reached_in_all_digits)
{
    tally t = tally_of("octave-queueing's examples, all digits", 1e-12);
    for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++) {
        const example *e = &examples[i];
        const int many = e->classes == 2 && e->population[0] > 20;
        full f;
        said want, got;
        example_full(e, &f);
        const sgdp_network *net = full_net(&f);
        if (many) {
            answer a = answer_new(net);
            oracle_productform(net, &a);
            CHECK_STATUS(ask(net, EXACT, SGDP_METHOD_AUTO, &got), SGDP_OK);
            tally_add(&t, relative(got.X[0], a.out.throughput_per_s[0]));
            tally_add(&t, relative(got.X[1], a.out.throughput_per_s[1]));
            for (size_t m = 0; m < e->stations; m++)
                tally_add(&t, relative(got.queue[m], a.out.queue[m]));
            answer_free(&a);
        } else {
            sum_over_states(net, &want);
            for (size_t m = 0; m < 2; m++) {
                CHECK_STATUS(ask(net, EXACT, m ? SGDP_METHOD_LATTICE : SGDP_METHOD_AUTO,
                                 &got), SGDP_OK);
                tally_add(&t, said_error(net, &got, &want));
            }
        }
        if (test_failures == 0) example_digits(e, &got);
        if (test_failures > 0) { fprintf(stderr, "    in %s\n", e->name); break; }
    }
    tally_check(&t);
}

/* The same with the rates of each station in place of its servers. */
TEST(published_examples_are_the_same_by_rates)
{
    tally t = tally_of("octave-queueing's examples by rates", 1e-12);
    size_t l;
    for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++) {
        const example *e = &examples[i];
        const size_t most = e->population[0] + e->population[1];
        full f;
        int one = 1;
        example_full(e, &f);
        for (l = 0; l < e->stations; l++) one &= e->m[l] <= 1.0;
        if (most > RATES && !one) continue;
        said want = solved(&f, EXACT, SGDP_METHOD_AUTO);
        f.net.rate_tasks = one ? 1 : most;
        for (l = 0; l < e->stations; l++)
            for (size_t j = 0; j < f.net.rate_tasks; j++)
                f.rates[l * f.net.rate_tasks + j] = fmin((double)j + 1.0, e->m[l]);
        said got = solved(&f, EXACT, SGDP_METHOD_AUTO);
        for (l = 0; l < e->classes; l++) tally_add(&t, relative(got.X[l], want.X[l]));
        for (l = 0; l < e->stations; l++) tally_add(&t, relative(got.queue[l], want.queue[l]));
        for (l = 0; l < e->classes * e->stations; l++)
            tally_add(&t, relative(got.T[l], want.T[l]));
    }
    tally_check(&t);
    CHECK(t.count > 100);
}

/* Normalization constants follow from throughputs: X(n) = G(n - 1) / G(n). */
static void constants_are(size_t which, const double *want, double digits)
{
    double G = 1.0;
    full f;
    example_full(&examples[which], &f);
    for (uint32_t n = 1; n <= examples[which].population[0]; n++) {
        f.population[0] = n;
        said got = solved(&f, EXACT, SGDP_METHOD_AUTO);
        G /= got.X[0];
        CHECK(fabs(G - want[n - 1]) <= digits * want[n - 1]);
    }
}

/* Of Bolch 8.3, where no digits are printed, the sum of the products of demands. */
TEST(published_normalization_constants_are_reached)
{
    static const double bolch_81[3] = { 2.861, 4.218, 4.465 };
    const double D[4] = { .02, .2 * .4, .4 * .2, .6 * .1 };
    double G[7] = { 1.0 };
    for (size_t l = 0; l < 4; l++)
        for (size_t n = 1; n <= 6; n++) G[n] += D[l] * G[n - 1];
    constants_are(4, bolch_81, 1e-3);
    constants_are(3, G + 1, 1e-14);
}

/* One task, anywhere, never waits; without any there is nothing. */
TEST(published_examples_of_one_task_and_of_none)
{
    static const double servers[3] = { 1.0, 2.0, DELAY };
    size_t l;
    for (size_t i = 0; i < 3; i++)
        for (size_t stations = 1; stations <= 2; stations++) {
            full f = FULL(1, stations, .population = {1});
            for (l = 0; l < stations; l++) { f.demand_s[l] = 1.0; f.capacity[l] = servers[i]; }
            said got = solved(&f, EXACT, SGDP_METHOD_AUTO);
            CHECK_REL(got.X[0], 1.0 / (double)stations, 1e-15);
        }
    for (size_t i = 0; i < 4; i++) {          /* one class and two, one server and several      */
        const size_t classes = 1 + i / 2;
        full f = FULL(classes, 4, .population = {0});
        for (l = 0; l < 4 * classes; l++) f.demand_s[l] = (double)(l + 1);
        for (l = 0; l < 4; l++) f.capacity[l] = i % 2 ? (double)(l + 2) : 1.0;
        said got = solved(&f, EXACT, SGDP_METHOD_AUTO);
        for (l = 0; l < 4; l++) CHECK(!(got.queue[l] > 0.0) && !(got.busy[l] > 0.0));
        for (l = 0; l < classes; l++) CHECK(!(got.X[l] > 0.0));
    }
}

/* qncmmva 15: tasks that change their class on the way are one class here, its demand
 * that of both; what it says of each is the part of its demand. */
TEST(published_classes_that_change_are_one_chain)
{
    static const double S[6] = { .01, .07, .10, .05, .07, .10 };
    static const double V[6] = { 1, .7, .2, .5, .15, .25 };
    static const double X[6] = { 12.609, 8.826, 2.522, 6.304, 1.891, 3.152 };
    static const double Q[6] = { .185, 1.175, .412, .462, .252, .515 };
    static const double R[6] = { .015, .133, .163, .073, .133, .163 };
    static const double U[6] = { .126, .618, .252, .315, .132, .315 };
    said got, want;
    full f = FULL(1, 3, .population = {3});
    for (size_t i = 0; i < 6; i++) f.demand_s[i % 3] += S[i] * V[i];
    sum_over_states(full_net(&f), &want);
    got = solved(&f, EXACT, SGDP_METHOD_AUTO);
    CHECK(said_error(full_net(&f), &got, &want) <= 1e-12);
    for (size_t i = 0; i < 6; i++) {
        const double part = S[i] * V[i] / f.demand_s[i % 3];
        CHECK(fabs(got.X[0] * V[i] - X[i]) <= 1e-3);
        CHECK(fabs(got.N[i % 3] * part - Q[i]) <= 1e-3);
        CHECK(fabs(got.T[i % 3] * part / V[i] - R[i]) <= 1e-3);
        CHECK(fabs(got.U[i % 3] * part - U[i]) <= 1e-3);
    }
}

/* qncmmva 17: three classes that differ in their names alone. */
TEST(published_classes_that_are_alike_are_served_alike)
{
    said got, want;
    full f = FULL(3, 4, .population = {1, 1, 1});
    for (size_t c = 0; c < 3; c++) {
        f.demand_s[c * 4] = .2;
        f.demand_s[c * 4 + c + 1] = .02;
    }
    sum_over_states(full_net(&f), &want);
    got = solved(&f, EXACT, SGDP_METHOD_AUTO);
    CHECK(said_error(full_net(&f), &got, &want) <= 1e-12);
    for (size_t c = 1; c < 3; c++) {
        CHECK_REL(got.N[c * 4], got.N[0], 1e-12);
        CHECK_REL(got.N[c * 4 + c + 1], got.N[1], 1e-12);
    }
}

/* A network of one class with these demands. */
static const sgdp_network *line_of(full *f, const double *demand_s, size_t stations,
                                   uint32_t tasks, double think_s)
{
    *f = FULL(1, stations, .population = {tasks}, .think_s = {think_s});
    memcpy(f->demand_s, demand_s, stations * sizeof *demand_s);
    return full_net(f);
}

static void is_enclosed(full *f)
{
    double lower[CLASSES], upper[CLASSES];
    said got;
    CHECK_STATUS(ask(full_net(f), EXACT, SGDP_METHOD_AUTO, &got), SGDP_OK);
    CHECK_STATUS(sgdp_mva_bounds(full_net(f), lower, upper), SGDP_OK);
    for (size_t c = 0; c < f->net.classes; c++)
        CHECK(lower[c] <= got.X[c] * (1.0 + 1e-12) && upper[c] * (1.0 + 1e-12) >= got.X[c]);
}

/* qncsaba 2, 3; qncsbsb 2; qncsmva 9; qncmaba, qncmbsb, qncmcb. Of the printed 0.109 and 64
 * the first is 1 / 9.2, the second what follows from it. */
TEST(published_bounds_are_reached_and_enclose)
{
    static const double D[4] = { 1, 1.6, 2.4, .5 }, interactive[2] = { 9.2, 8 };
    static const double pairs[8] = { 10, 7, 5, 4, 5, 2, 4, 6 };
    double lower, upper;
    full f;
    for (uint32_t n = 1; n <= 50; n++) {
        (void)line_of(&f, D, 4, n, 0.0);
        is_enclosed(&f);
    }
    CHECK_STATUS(sgdp_mva_bounds(line_of(&f, interactive, 2, 20, 120.0), &lower, &upper), SGDP_OK);
    is_enclosed(&f);
    CHECK(fabs(upper - 0.109) <= 1e-3 && fabs(20.0 / upper - 120.0 - 64.0) <= 1e-3);
    for (uint32_t n = 0; n <= 20; n++) {
        f = FULL(2, 4, .population = {n, n > 0 ? 10 : 0});
        memcpy(f.demand_s, pairs, sizeof pairs);
        is_enclosed(&f);
    }
}

/* qncspb and qncsgb, tables IV and V: bounds of other kinds, between which it lies. */
TEST(throughputs_lie_between_the_bounds_that_peers_print)
{
    static const double D[4] = { .1, .1, .09, .08 };
    static const struct { uint32_t tasks; double think_s, lower, upper; } rows[] = {
        {2, 0, 4.3040, 4.3174}, {5, 0, 6.6859, 6.7524}, {10, 0, 8.1521, 8.2690},
        {20, 0, 9.0947, 9.2431}, {80, 0, 9.8233, 9.8765}, {2, 1, 1.4319, 1.5195},
        {5, 1, 3.3432, 3.5582}, {10, 1, 5.7569, 6.1410}, {20, 1, 8.0856, 8.6467},
        {80, 1, 9.7147, 9.8594}, {2, 0, 4.3174, 4.3174}, {5, 0, 6.6600, 6.7297},
        {10, 0, 8.0219, 8.2700}, {20, 0, 8.8672, 9.3387}, {80, 0, 9.6736, 10.000}
    };
    static const double routes[3] = { 1, .18, .14 };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        full f;
        said got;
        CHECK_STATUS(ask(line_of(&f, D, 4, rows[i].tasks, rows[i].think_s), EXACT,
                         SGDP_METHOD_AUTO, &got), SGDP_OK);
        CHECK(got.X[0] >= rows[i].lower - 1e-4 && got.X[0] <= rows[i].upper + 1e-4);
    }
    for (size_t i = 1; i <= 40; i++) {        /* qncsgb 2, 3: up to 20, with think time, without */
        full f;
        (void)line_of(&f, routes, 3, (uint32_t)(i + 1) / 2, i % 2 ? 2.0 : 0.0);
        is_enclosed(&f);
    }
}

/* Three oracles of peers' exact solutions, as they print them. */
TEST(three_known_throughputs_are_reached)
{
    full f;
    example_full(&examples[1], &f);
    said got = solved(&f, EXACT, SGDP_METHOD_AUTO);
    CHECK_REL(got.X[0], 1.21746063384493, 1e-12);
    example_full(&examples[13], &f);
    got = solved(&f, EXACT, SGDP_METHOD_AUTO);
    CHECK_REL(got.X[0], 2.11346551193564, 1e-12);
    CHECK_REL(got.X[1], 0.524244955378731, 1e-12);
    f = FULL(1, 1, .population = {10}, .think_s = {10.0}, .demand_s = {4.0}, .capacity = {8.0});
    got = solved(&f, EXACT, SGDP_METHOD_AUTO);
    CHECK_REL(got.X[0], 0.71427770357262, 1e-12);
    got = solved(&f, EXACT, SGDP_METHOD_LATTICE);
    CHECK_REL(got.X[0], 0.71427770357262, 1e-12);
}

/* Example of Lazowska et al., p. 117, by Schweitzer's fixed point. */
TEST(the_published_fixed_point_is_reached)
{
    full f = FULL(1, 3, .population = {3}, .think_s = {15.0}, .demand_s = {0.605, 2.1, 1.35});
    said got = solved(&f, APPROX, SGDP_METHOD_SCHWEITZER);
    CHECK(fabs(got.queue[0] - 0.0973) <= 1e-3 && fabs(got.queue[1] - 0.4021) <= 1e-3);
    CHECK(fabs(got.queue[2] - 0.2359) <= 1e-3 && fabs(got.X[0] - 0.1510) <= 1e-3);
    CHECK(fabs(got.T[0] + got.T[1] + got.T[2] - 4.87) <= 1e-3);
}

/* qncmmvabs 2: two classes of one task. */
TEST(the_published_fixed_point_of_two_classes_is_reached)
{
    static const double Q[4] = { .192, .808, .248, .752 };
    static const double X[2] = { .154, .104 }, R[2] = { 6.508, 9.614 };
    full f = FULL(2, 2, .population = {1, 1}, .demand_s = {1, 3, 2, 4});
    said got = solved(&f, APPROX, SGDP_METHOD_SCHWEITZER);
    for (size_t i = 0; i < 4; i++) CHECK(fabs(got.N[i] - Q[i]) <= 1e-3);
    for (size_t i = 0; i < 2; i++)
        CHECK(fabs(got.X[i] - X[i]) <= 1e-3 && fabs(1.0 / got.X[i] - R[i]) <= 5e-3);
}

/* ---- Many tasks ------------------------------------------------------------ */

/* N machines, m repairmen: state probabilities outwards from the mode. */
static double repairmen(size_t N, double Z, double S, double m, double *queue)
{
    long double total = 0.0L, mean = 0.0L, flow = 0.0L, p;
    size_t mode = 0, j;
    while (mode < N && (double)(N - mode) * S > Z * fmin((double)mode + 1.0, m)) mode++;
    for (int up = 0; up < 2; up++)
        for (p = 1.0L, j = mode; p > 1e-40L; ) {
            if (j != mode || up) {
                total += p;
                mean += p * (long double)j;
                flow += p * fminl((long double)j, (long double)m);
            }
            if (up ? j == N : j == 0) break;
            if (up) j++;
            p *= up ? (long double)(N - j + 1) * (long double)S
                      / ((long double)Z * fminl((long double)j, (long double)m))
                    : (long double)Z * fminl((long double)j, (long double)m)
                      / ((long double)(N - j + 1) * (long double)S);
            if (!up) j--;
        }
    *queue = (double)(mean / total);
    return (double)(flow / total / (long double)S);
}

/* Where the recursion on marginal probabilities has lost every digit at some dozens. */
TEST(a_hundred_thousand_tasks_at_eight_servers_are_exact)
{
    static const double load[] = {0.01, 0.5, 0.9, 0.99, 1.0, 1.01, 1.5, 20.0};
    tally t = tally_of("M/M/8, up to 1e5 tasks", 1e-12);
    tally queues = tally_of("M/M/8, up to 1e5 tasks, queue", 1e-11);
    for (size_t N = 10; N <= 100000; N *= 10)
        for (size_t i = 0; i < sizeof load / sizeof load[0]; i++) {
            double X, queue;
            full f = FULL(1, 1, .population = {(uint32_t)N}, .demand_s = {4.0},
                          .think_s = {(double)N * 4.0 / 8.0 / load[i]}, .capacity = {8.0});
            X = repairmen(N, f.think_s[0], 4.0, 8.0, &queue);
            said got = solved(&f, EXACT, SGDP_METHOD_LATTICE);
            tally_add(&t, relative(got.X[0], X));
            tally_add(&queues, relative(got.queue[0], queue));
        }
    tally_check(&t);
    tally_check(&queues);
}

/* The example as it stands, Z = 10 and S = 4: 100,000 tasks, 8 servers. */
TEST(the_large_example_is_solved_by_itself)
{
    full f = FULL(1, 1, .population = {100000}, .demand_s = {4.0}, .think_s = {10.0},
                  .capacity = {8.0});
    said got = solved(&f, EXACT, SGDP_METHOD_AUTO);
    CHECK(got.method == SGDP_METHOD_LATTICE);
    CHECK_REL(got.X[0], 2.0, 1e-13);
    CHECK_REL(got.T[0], 100000.0 / 2.0 - 10.0, 1e-13);
    CHECK_REL(got.busy[0], 1.0, 1e-13);
}

/* Several stations of several servers, one class: the weights joined one by one. */
TEST(several_large_stations_are_the_sum_of_the_weights)
{
    static const double m[4] = {8.0, 3.5, 1.0, 40.0};
    tally t = tally_of("four stations, hundreds of tasks", 1e-12);
    uint64_t state = 5;
    for (size_t i = 0; i < (size_t)TEST_SIZE(2, 12); i++) {
        box b = box_new(1, 4);
        double queue[4];
        said got;
        b.population[0] = (uint32_t)TEST_SIZE(60, 600);
        b.think_s[0] = random_time(&state, -1.0, 2.0);
        for (size_t l = 0; l < 4; l++) {
            b.capacity[l] = m[l];
            b.demand_s[l] = m[l] * random_time(&state, -0.3, 0.0);
        }
        CHECK_STATUS(ask(&b.net, EXACT, SGDP_METHOD_LATTICE, &got), SGDP_OK);
        tally_add(&t, relative(got.X[0], oracle_one_class(&b.net, queue)));
        for (size_t l = 0; l < 4; l++) tally_add(&t, relative(got.queue[l], queue[l]));
        box_free(&b);
    }
    tally_check(&t);
}

/* As many queues as the chain has room for, no two alike. */
TEST(sixty_four_different_stations_are_the_sum_of_the_weights)
{
    tally t = tally_of("64 stations", 1e-12);
    box b = box_new(1, 64);
    answer got = answer_new(&b.net);
    double queue[64];
    b.population[0] = 20;
    for (size_t l = 0; l < 64; l++) {
        b.capacity[l] = 1.0 + 0.25 * (double)l;
        b.demand_s[l] = 1.0 / (double)(l + 1);
    }
    CHECK_STATUS(solve_by(SGDP_METHOD_POLYNOMIAL, &b.net, &got), SGDP_OK);
    tally_add(&t, relative(got.out.throughput_per_s[0], oracle_one_class(&b.net, queue)));
    for (size_t l = 0; l < 64; l++) tally_add(&t, relative(got.out.queue[l], queue[l]));
    both_free(&b, &got);
    tally_check(&t);
}

/* Classes whose demands are in proportion: the two methods share no line of arithmetic. */
TEST(classes_of_hundreds_of_tasks_are_the_same_by_chain)
{
    static const double m[3] = {8.0, 2.5, 1.0};
    tally t = tally_of("two large classes, lattice and chain", 1e-12);
    uint64_t state = 6;
    for (size_t i = 0; i < (size_t)TEST_SIZE(3, 12); i++) {
        said chain, lattice;
        full f = FULL(2, 3, .net.rate_tasks = i % 3 == 2 ? 3 : 0);
        for (size_t c = 0; c < 2; c++) {
            f.population[c] = (uint32_t)TEST_SIZE(60, 300) >> c;
            f.think_s[c] = random_time(&state, 0.0, 2.0);
            for (size_t l = 0; l < 3; l++) f.demand_s[3 * c + l] = (double)(c + 1) * m[l] * 0.25;
        }
        for (size_t l = 0; l < 3; l++) {
            f.capacity[l] = m[l];
            f.rates[l] = l == 2 ? 4.0 : (double)(l + 1); /* station 0, if any            */
        }
        chain = solved(&f, EXACT, SGDP_METHOD_POLYNOMIAL);
        CHECK_STATUS(ask(&f.net, EXACT, SGDP_METHOD_LATTICE, &lattice), SGDP_OK);
        tally_add(&t, said_error(&f.net, &lattice, &chain));
    }
    tally_check(&t);
}

/* ---- What must be equal ---------------------------------------------------- */

static int same_bits(const said *a, const said *b)
{
    return memcmp(a->X, b->X, sizeof a->X) == 0 && memcmp(a->T, b->T, sizeof a->T) == 0
        && memcmp(a->N, b->N, sizeof a->N) == 0
        && memcmp(a->queue, b->queue, sizeof a->queue) == 0;
}

TEST(one_server_is_no_capacity_and_room_for_all_is_a_delay_to_the_bit)
{
    uint64_t state = 77;
    for (size_t i = 0; i < 200; i++) {
        full f, plain;
        said a, b;
        random_full(&state, &f);
        f.net.rate_tasks = 0;
        for (size_t l = 0; l < f.net.stations; l++) f.capacity[l] = 1.0;
        plain = f;
        a = solved(&f, EXACT, SGDP_METHOD_AUTO);
        (void)full_net(&plain);
        plain.net.capacity = NULL;
        CHECK_STATUS(ask(&plain.net, EXACT, SGDP_METHOD_AUTO, &b), SGDP_OK);
        CHECK(same_bits(&a, &b) && memcmp(a.U, b.U, sizeof a.U) == 0);
        plain = f;
        f.capacity[0] = (double)(f.population[0] + f.population[1] + f.population[2]);
        if (f.capacity[0] < 1.0) f.capacity[0] = 1.0;
        plain.capacity[0] = HUGE_VAL;
        a = solved(&f, EXACT, SGDP_METHOD_AUTO);
        b = solved(&plain, EXACT, SGDP_METHOD_AUTO);
        CHECK(same_bits(&a, &b));
        f.capacity[0] = 1e300;
        a = solved(&f, EXACT, SGDP_METHOD_AUTO);
        CHECK(same_bits(&a, &b));
    }
}

/* A capacity of m is the rates 1, 2, ... m; rates of 1 are one server. */
TEST(rates_that_are_a_capacity_give_its_solution)
{
    tally t = tally_of("rates as capacities", 1e-13);
    uint64_t state = 78;
    size_t l;
    for (size_t i = 0; i < 200; i++) {
        full f;
        random_full(&state, &f);
        f.net.rate_tasks = 0;
        for (l = 0; l < f.net.stations; l++) f.capacity[l] = (double)random_size(&state, 1, 4);
        said a = solved(&f, EXACT, SGDP_METHOD_AUTO);
        f.net.rate_tasks = 4;
        for (l = 0; l < f.net.stations; l++)
            for (size_t j = 0; j < 4; j++)
                f.rates[l * 4 + j] = fmin((double)(j + 1), f.capacity[l]);
        said b = solved(&f, EXACT, SGDP_METHOD_LATTICE);
        tally_add(&t, said_error(&f.net, &b, &a));
    }
    tally_check(&t);
}

/* What the classes add up to is what the stations say, whichever solver. */
TEST(classes_add_up_to_stations_in_every_solver)
{
    uint64_t state = 79;
    for (size_t i = 0; i < 100; i++)
        for (int s = 0; s < (int)SOLVERS; s++) {
            full f;
            random_full(&state, &f);
            f.net.rate_tasks = 0;
            said a = solved(&f, (solver)s, SGDP_METHOD_AUTO);
            for (size_t l = 0; l < f.net.stations; l++) {
                double N = 0.0, U = 0.0;
                for (size_t c = 0; c < f.net.classes; c++) {
                    N += a.N[c * f.net.stations + l];
                    U += a.U[c * f.net.stations + l];
                    CHECK_REL(a.N[c * f.net.stations + l],
                              a.X[c] * a.T[c * f.net.stations + l], 1e-15);
                }
                CHECK_REL(N, a.queue[l], 1e-15);
                CHECK_REL(U, a.busy[l], 1e-15);
            }
        }
}

/* ---- Nobody, and extremes -------------------------------------------------- */

TEST(nobody_is_nowhere_and_an_empty_class_changes_nothing)
{
    uint64_t state = 80;
    full f, more;
    said a, b, none = {0};
    for (int s = 0; s < (int)SOLVERS; s++) {
        random_full(&state, &f);
        f.net.rate_tasks = 0;
        for (size_t c = 0; c < CLASSES; c++) f.population[c] = 0;
        a = solved(&f, (solver)s, SGDP_METHOD_AUTO);
        CHECK(same_bits(&a, &none) && memcmp(a.U, none.U, sizeof a.U) == 0);
    }
    f = FULL(1, 2, .population = {5}, .think_s = {1.0}, .demand_s = {0.5, 0.5}, .capacity = {2.0});
    more = FULL(2, 2, .population = {0, 5}, .think_s = {0.0, 1.0},     /* the first is empty  */
                .demand_s = {7.0, 0.5, 0.5, 0.5}, .capacity = {2.0});
    for (int s = 0; s < (int)SOLVERS; s++) {
        a = solved(&f, (solver)s, SGDP_METHOD_AUTO);
        b = solved(&more, (solver)s, SGDP_METHOD_AUTO);
        CHECK_REL(b.X[1], a.X[0], 0.0);
        CHECK_REL(b.queue[0], a.queue[0], 0.0);
        CHECK_REL(b.X[0] + b.T[0] + b.N[0] + b.U[0], 0.0, 0.0);
    }
    more.demand_s[0] = more.demand_s[1] = 0.0;     /* nor need it take any time       */
    b = solved(&more, EXACT, SGDP_METHOD_AUTO);
    a = solved(&f, EXACT, SGDP_METHOD_AUTO);
    CHECK_REL(b.X[1], a.X[0], 0.0);
}

/* More kinds of classes than are merged, some of them empty. */
TEST(empty_classes_among_many_are_left_out)
{
    enum { MANY = 120 };
    box b = box_new(MANY, 2), e = box_new(MANY / 3 * 2, 2);
    answer all = answer_new(&b.net), want = answer_new(&e.net);
    size_t c, k = 0;
    for (c = 0; c < MANY; c++) {
        b.think_s[c] = 1.0 + (double)c;
        b.demand_s[2 * c] = b.demand_s[2 * c + 1] = 0.25;
        b.population[c] = c % 3 != 0;
        if (c % 3 == 0) continue;
        e.think_s[k] = b.think_s[c];
        e.demand_s[2 * k] = e.demand_s[2 * k + 1] = 0.25;
        k++;
    }
    b.capacity[0] = e.capacity[0] = 2.0;
    CHECK_STATUS(solve(EXACT, &b.net, NULL, &all), SGDP_OK);
    CHECK_STATUS(solve(EXACT, &e.net, NULL, &want), SGDP_OK);
    for (c = k = 0; c < MANY; c++)
        CHECK_REL(all.value[c], c % 3 == 0 ? 0.0 : want.value[k++], 0.0);
    CHECK_STATUS(solve(APPROX, &b.net, NULL, &all), SGDP_OK);
    CHECK_STATUS(solve(APPROX, &e.net, NULL, &want), SGDP_OK);
    for (c = k = 0; c < MANY; c++)
        CHECK_REL(all.value[c], c % 3 == 0 ? 0.0 : want.value[k++], 0.0);
    answer_free(&all);
    both_free(&b, &want);
    box_free(&e);
}

TEST(pure_delays_are_their_times)
{
    full f = FULL(2, 2, .population = {3, 7}, .demand_s = {[0] = 1.0, [1] = 2.0, [3] = 0.25},
                  .capacity = {HUGE_VAL, HUGE_VAL});
    said a = solved(&f, EXACT, SGDP_METHOD_AUTO);
    CHECK_REL(a.X[0], 1.0, 1e-15);
    CHECK_REL(a.X[1], 28.0, 1e-15);
    CHECK_REL(a.queue[1], 9.0, 1e-15);
    CHECK_REL(a.busy[1], 9.0, 1e-15);
}

/* The laws, at times, rates and populations as far apart as they are taken. */
TEST(extremes_keep_the_laws)
{
    static const double time_s[] = {0.0, 5e-324, 1e-300, 1e-140, 1.0, 1e140};
    static const double rate[] = {1e-100, 1e-20, 1.0, 1e20, 1e100};
    uint64_t state = 81;
    tally t = tally_of("extremes, population and utilization laws", 1e-12);
    for (size_t i = 0; i < (size_t)TEST_SIZE(400, 4000); i++) {
        full f;
        said a;
        random_full(&state, &f);
        for (size_t c = 0; c < f.net.classes; c++) {
            f.population[c] = (uint32_t)random_size(&state, 1, 12);
            f.think_s[c] = i % 2 ? 1e-140 : 1e140;
            for (size_t l = 0; l < f.net.stations; l++)
                f.demand_s[c * f.net.stations + l] =
                    time_s[random_size(&state, 0, sizeof time_s / sizeof time_s[0] - 1)];
        }
        f.net.rate_tasks = i % 3 ? 0 : 3;
        for (size_t l = 0; l < f.net.stations; l++)
            for (size_t j = 0; j < 3; j++)
                f.rates[l * 3 + j] =
                    rate[random_size(&state, 0, sizeof rate / sizeof rate[0] - 1)];
        CHECK_STATUS(ask(full_net(&f), EXACT,
                         i / 2 % 2 ? SGDP_METHOD_AUTO : SGDP_METHOD_LATTICE, &a), SGDP_OK);
        for (size_t c = 0; c < f.net.classes; c++) {
            double cycle_s = f.think_s[c];
            for (size_t l = 0; l < f.net.stations; l++) cycle_s += a.T[c * f.net.stations + l];
            tally_add(&t, relative(a.X[c] * cycle_s, (double)f.population[c]));
        }
        for (size_t l = 0; l < f.net.stations; l++)
            if (!(f.capacity[l] > 1e200) || f.net.rate_tasks > 0)
                CHECK(a.busy[l] >= 0.0 && a.busy[l] <= 1.0 + 1e-12);
    }
    tally_check(&t);
}

/* ---- Bounds, approximations, statuses -------------------------------------- */

TEST(bounds_enclose_networks_with_capacities_and_rates)
{
    uint64_t state = 82;
    for (size_t i = 0; i < 500; i++) {
        full f;
        double lower[CLASSES], upper[CLASSES];
        random_full(&state, &f);
        said a = solved(&f, EXACT, SGDP_METHOD_AUTO);
        CHECK_STATUS(sgdp_mva_bounds(&f.net, lower, upper), SGDP_OK);
        for (size_t c = 0; c < f.net.classes; c++) {
            CHECK(a.X[c] >= lower[c] * (1.0 - 1e-12) && a.X[c] <= upper[c] * (1.0 + 1e-12));
            CHECK((upper[c] > 0.0) == (f.population[c] > 0));
        }
    }
}

/* Seidmann's transformation under each solver, by how much of a class's throughput it
 * is off: as sgdperf.h and --help say. */
static void seidmann_errs(const char *what, solver s, sgdp_method method, double limit,
                          double limit_mean)
{
    tally t = tally_of(what, limit);
    uint64_t state = 83;
    for (size_t i = 0; i < (size_t)TEST_SIZE(200, 2000); i++) {
        said want, got;
        const size_t stations = random_size(&state, 1, 3), classes = random_size(&state, 1, 3);
        full f = FULL(classes, stations, .population = {0});
        for (size_t c = 0; c < f.net.classes; c++) {
            f.population[c] = (uint32_t)random_size(&state, 1, 6);
            f.think_s[c] = random_time(&state, -1.3, 1.0);
            for (size_t l = 0; l < f.net.stations; l++)
                f.demand_s[c * f.net.stations + l] = random_time(&state, -1.3, 1.0);
        }
        for (size_t l = 0; l < f.net.stations; l++)
            f.capacity[l] = (double)random_size(&state, 2, 8);
        want = solved(&f, EXACT, SGDP_METHOD_AUTO);
        CHECK_STATUS(ask(&f.net, s, method, &got), SGDP_OK);
        for (size_t c = 0; c < f.net.classes; c++) tally_add(&t, relative(got.X[c], want.X[c]));
    }
    tally_check(&t);
    CHECK(t.sum / (double)t.count <= limit_mean);
}

TEST(approximations_err_by_no_more_than_documented)
{
    seidmann_errs("Seidmann by lattice", HYBRID, SGDP_METHOD_LATTICE, 0.2, 0.04);
    seidmann_errs("Seidmann and Schweitzer", APPROX, SGDP_METHOD_SCHWEITZER, 0.24, 0.06);
    seidmann_errs("Seidmann and Linearizer", APPROX, SGDP_METHOD_LINEARIZER, 0.2, 0.04);
}

/* 20 tasks at a server and at a station so slow with up to 10 that it keeps 10 of them, and so
 * fast with more that it keeps no more: it has been empty with a probability of 1e-180. */
TEST(an_empty_station_all_but_impossible_is_not_forgotten)
{
    full f = FULL(1, 2, .population = {20}, .demand_s = {1.0, 1.0}, .net.rate_tasks = 11);
    for (size_t j = 0; j < 11; j++) {
        f.rates[j] = 1.0;
        f.rates[11 + j] = j < 10 ? 1e-18 : 1e18;
    }
    said a = solved(&f, EXACT, SGDP_METHOD_POLYNOMIAL);
    CHECK_REL(a.X[0], 1.0, 1e-12);
    CHECK_REL(a.queue[0], 10.0, 1e-12);
    CHECK_REL(a.queue[1], 10.0, 1e-12);
}

/* So many operations are a whole number, and a budget of just them is enough. */
TEST(the_least_budget_is_what_is_counted)
{
    size_t bytes = 0;
    double low = 1.0, high = 1e12, middle;
    full f = FULL(1, 2, .population = {6}, .demand_s = {1.0, 1.0}, .net.rate_tasks = 2,
                  .rates = {1.0, 1.5, 1.0, 1.5});
    sgdp_mva_options options = {.method = SGDP_METHOD_LATTICE};
    for (middle = 0.5 * (low + high); low < middle && middle < high; middle = 0.5 * (low + high)) {
        options.max_operations = middle;
        if (sgdp_mva_exact_bytes(full_net(&f), &options, &bytes) == SGDP_OK) high = middle;
        else low = middle;
    }
    CHECK(low > 1.0 && high < 1e12);
    CHECK_REL(high, floor(high), 0.0);
}

/* The shortest demand there may be at the largest rate: a task ends each 1e-250 s. */
TEST(the_largest_throughput_is_a_double)
{
    full f = FULL(1, 1, .population = {5}, .demand_s = {1e-150}, .net.rate_tasks = 2,
                  .rates = {1e60, 1e100});
    said a = solved(&f, EXACT, SGDP_METHOD_LATTICE);
    CHECK_REL(a.X[0], 1e250, 1e-12);
    CHECK_REL(a.T[0], 5e-250, 1e-12);
    CHECK_REL(a.busy[0], 1.0, 1e-12);
}

/* The classes' totals are kept, the budget and the rates are looked at. */
TEST(bad_rates_are_refused_and_approximations_refuse_rates)
{
    static const double bad[] = {-1.0, 1e-101, 1e101, (double)NAN, HUGE_VAL};
    said a;
    full f = FULL(1, 2, .population = {4}, .think_s = {1.0}, .demand_s = {1.0, 1.0},
                  .net.rate_tasks = 2, .rates = {1.0, 1.0});
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        f.rates[2] = bad[i];
        f.rates[3] = 1.0;
        CHECK_STATUS(ask(full_net(&f), EXACT, SGDP_METHOD_AUTO, &a), SGDP_BAD_ARGUMENT);
        f.rates[2] = 1.0;
        f.rates[3] = bad[i];
        CHECK_STATUS(ask(full_net(&f), EXACT, SGDP_METHOD_AUTO, &a), SGDP_BAD_ARGUMENT);
        CHECK_STATUS(sgdp_mva_bounds(&f.net, NULL, NULL), SGDP_BAD_ARGUMENT);
    }
    f.rates[3] = 0.0;                              /* only a row may be left out       */
    CHECK_STATUS(ask(full_net(&f), EXACT, SGDP_METHOD_AUTO, &a), SGDP_BAD_ARGUMENT);
    f.rates[3] = 2.0;
    a = solved(&f, EXACT, SGDP_METHOD_AUTO);
    f.rates[2] = f.rates[3] = 1e-100;              /* the last one that is a rate        */
    CHECK_STATUS(sgdp_mva_bounds(&f.net, NULL, NULL), SGDP_OK);
    f.net.rate_tasks = (size_t)-1 / sizeof(double) / 2 + 1;
    CHECK_STATUS(sgdp_mva_bounds(&f.net, NULL, NULL), SGDP_TOO_LARGE);
    f.net.rate_tasks = 2;
    CHECK_STATUS(ask(&f.net, HYBRID, SGDP_METHOD_AUTO, &a), SGDP_BAD_ARGUMENT);
    CHECK_STATUS(ask(&f.net, APPROX, SGDP_METHOD_AUTO, &a), SGDP_BAD_ARGUMENT);
    f.net.rate_tasks = 0;
    CHECK_STATUS(ask(&f.net, EXACT, SGDP_METHOD_AUTO, &a), SGDP_BAD_ARGUMENT);
}

TEST_MAIN("test_multiserver");
