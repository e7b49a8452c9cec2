/* Every number of a collective, of its links, of copies of a pipeline and of its replay, by the
 * formulas that the header tells, written anew: over random jobs, zeros and ends among them. */
#include "../sgdperf_parallel.h"

#include <float.h>
#include <math.h>

#define CHANCE_SEED 20
#include "chance.h"
#include "test.h"

/* ---- Collectives ------------------------------------------------------------------- */

/* n workers with latency a and bandwidth B; NO: it cannot be done so. */
typedef struct level { double n, a, B, beside; } level;

static const double NO = -1.0;

/* Messages one after the other, and how many vectors of S bytes they carry. */
static double sent_s(const level *l, double messages, double vectors, double S)
{
    return messages * l->a + vectors * S / l->B;
}

/* How many of the numbers below n have that bit. */
static double with_bit(double n, unsigned bit)
{
    double count = 0.0;
    for (unsigned i = 0; i < n; i++) count += (i >> bit) & 1;
    return count;
}

static double in_chunks_s(sgdpar_collective what, sgdpar_algorithm how, const level *l, double S,
                          double k)
{
    const double n = l->n;
    const int L = ilogb(n), h = ilogb(n - 1.0) + 1;
    const double p = ldexp(1.0, L), r = n - p, folds = r > 0.0 ? 2.0 : 0.0;
    const double C = L + (r > 0.0), trees = h + k - 1.0;
    const int all_reduce = what == SGDPAR_COLLECTIVE_ALL_REDUCE;
    const int all_to_all = what == SGDPAR_COLLECTIVE_ALL_TO_ALL;
    const int broadcast = what == SGDPAR_COLLECTIVE_BROADCAST;
    double G = r > 0.0 ? n : 0.0, bits = 0.0;
    for (int i = 0; i < L; i++) G += ldexp(1.0, i) + fmin(r, ldexp(1.0, i));
    for (unsigned i = 0; i < C; i++) bits += with_bit(n, i);
    switch (how) {
    case SGDPAR_ALGORITHM_RING:
        if (all_to_all) return sent_s(l, n - 1.0, (n - 1.0) / 2.0, S);
        if (broadcast) return sent_s(l, n - 2.0 + k, (n - 2.0 + k) / k, S);
        return sent_s(l, n - 1.0, (n - 1.0) / n, S) * (all_reduce ? 2.0 : 1.0);
    case SGDPAR_ALGORITHM_DOUBLING:
        if (broadcast) return NO;
        if (all_to_all) return sent_s(l, C, bits / n, S);
        return sent_s(l, L + folds, all_reduce ? L + folds : G / n, S);
    case SGDPAR_ALGORITHM_HALVING:
        if (all_to_all) return NO;
        if (broadcast) return sent_s(l, C + L + folds, (n - 1.0) / n + G / n, S);
        if (all_reduce) return sent_s(l, 2.0 * L + folds, 2.0 * (p - 1.0) / p + folds, S);
        return sent_s(l, L + folds, G / n, S);
    case SGDPAR_ALGORITHM_TREE:
        if (all_to_all) return NO;
        if (broadcast || all_reduce) return sent_s(l, C, C, S) * (all_reduce ? 2.0 : 1.0);
        return sent_s(l, 2.0 * C, (n - 1.0) / n + C, S);
    case SGDPAR_ALGORITHM_DOUBLE_TREE:
        if (!broadcast && !all_reduce) return NO;
        return sent_s(l, 2.0 * trees, trees / k, S) * (all_reduce ? 2.0 : 1.0);
    case SGDPAR_ALGORITHM_BYTEPS:
        if (!all_reduce) return NO;
        if (l->beside >= n) return sent_s(l, 2.0, 1.0, S);
        return sent_s(l, 2.0, 2.0 * n * (n - 1.0) / (n * n + l->beside * (n - 2.0)), S);
    default:
        return all_to_all ? sent_s(l, n - 1.0, (n - 1.0) / n, S) : NO;
    }
}

static double level_s(sgdpar_collective what, sgdpar_algorithm how, const level *l, double S,
                      double chunks)
{
    double least_s = HUGE_VAL;
    if (chunks > 0.0) return in_chunks_s(what, how, l, S, chunks);
    for (double k = 1.0; k <= 65536.0; k *= 2.0)
        least_s = fmin(least_s, in_chunks_s(what, how, l, S, k));
    return least_s;
}

/* Machines with what a protocol adds. A flow between machines gets at most `cap`. */
typedef struct fabric { double m, g, a, B, cap, local_a, local_B, beside; } fabric;

static double at_least_1(double x) { return x > 1.0 ? x : 1.0; }

static double carried(const sgdpar_cost *c, double bytes_per_s)
{
    const double data = bytes_per_s * (c->fraction > 0.0 ? c->fraction : 1.0);
    return c->most_bytes_per_s > 0.0 ? fmin(data, c->most_bytes_per_s) : data;
}

static fabric fabric_of(const sgdpar_topology *t, const sgdpar_cost *c)
{
    const double cap = t->flow_cap_bytes_per_s * at_least_1(t->channels);
    return (fabric){at_least_1(t->machines), at_least_1(t->gpus), t->latency_s + c->latency_s,
                    carried(c, t->bandwidth_bytes_per_s), cap > 0.0 ? carried(c, cap) : HUGE_VAL,
                    t->local_latency_s + c->local_latency_s,
                    carried(c, t->local_bandwidth_bytes_per_s), t->beside};
}

static level inside(const fabric *f) { return (level){f->g, f->local_a, f->local_B, 0.0}; }

static level outside(const fabric *f, double groups)
{
    return (level){f->m, f->a, fmin(f->B / groups, f->cap), f->beside};
}

/* How long messages of x bytes take: `messages` share a machine's link, others are inside. */
static double crossing_s(const fabric *f, double messages, double x)
{
    const double out_s = f->a + x / fmin(f->B / messages, f->cap);
    return messages < f->g ? fmax(out_s, f->local_a + x / f->local_B) : out_s;
}

static double flat_s(sgdpar_collective what, sgdpar_algorithm how, const fabric *f, double S)
{
    const double N = f->m * f->g;
    double sum_s = 0.0;
    if (how == SGDPAR_ALGORITHM_PAIRWISE && what == SGDPAR_COLLECTIVE_ALL_TO_ALL) {
        for (double i = 1.0; i < N; i++)
            sum_s += crossing_s(f, fmin(fmin(i, f->g), N - i), S / N);
        return sum_s;
    }
    if (how != SGDPAR_ALGORITHM_RING || what > SGDPAR_COLLECTIVE_ALL_GATHER) return NO;
    return (what == SGDPAR_COLLECTIVE_ALL_REDUCE ? 2.0 : 1.0) * (N - 1.0)
        * fmax(f->a + S / N / fmin(f->B, f->cap), f->local_a + S / N / f->local_B);
}

/* The sum of the parts, scatter, between machines, gather; or NO. */
static double split_s(sgdpar_collective what, const sgdpar_protocol *by, const fabric *f, double S,
                      double k, double *u, double *v, double *w)
{
    const level in = inside(f), out = outside(f, f->g);
    *u = *w = 0.0;
    if (what > SGDPAR_COLLECTIVE_ALL_GATHER) return NO;
    if (what != SGDPAR_COLLECTIVE_ALL_GATHER)
        *u = level_s(SGDPAR_COLLECTIVE_REDUCE_SCATTER, by->inside, &in, S, k);
    if (what != SGDPAR_COLLECTIVE_REDUCE_SCATTER)
        *w = level_s(SGDPAR_COLLECTIVE_ALL_GATHER, by->inside, &in, S, k);
    *v = level_s(what, by->algorithm, &out, S / f->g, k);
    return *u < 0.0 || *v < 0.0 || *w < 0.0 ? NO : *u + *v + *w;
}

static double in_line_s(const sgdpar_protocol *by, const fabric *f, double S, double k)
{
    const double h = ilogb(f->m - 1.0) + 1.0;
    double u, v, w;
    const double one_s = split_s(SGDPAR_COLLECTIVE_ALL_REDUCE, by, f, S / k, 1.0, &u, &v, &w);
    const double P = 2.0 * (f->a + S / f->g / k / 2.0 / outside(f, f->g).B);
    if (one_s < 0.0 || k < 2.0) return one_s;
    if (by->algorithm == SGDPAR_ALGORITHM_DOUBLE_TREE)
        return u + (k - 1.0) * (fmax(u, P) + fmax(P, w)) + 2.0 * h * P + w;
    return u + fmax(u, v) + (k - 2.0) * fmax(u + w, v) + fmax(v, w) + w;
}

static double streamed_s(sgdpar_collective what, sgdpar_algorithm how, const fabric *f, double S)
{
    const double m = f->m, g = f->g, N = m * g;
    const double byte_s = m > 1.0 ? 1.0 / fmin(f->B, f->cap) : 0.0;
    const double local_s = g > 1.0 ? 1.0 / f->local_B : 0.0;
    if (how == SGDPAR_ALGORITHM_DOUBLE_TREE && what == SGDPAR_COLLECTIVE_ALL_REDUCE)
        return 2.0 * ((g - 1.0) * f->local_a + ilogb(m) * f->a)
            + S * fmax((m > 2.0 ? 2.0 : 1.0) * byte_s, 2.0 * local_s);
    if (how != SGDPAR_ALGORITHM_RING || what > SGDPAR_COLLECTIVE_ALL_GATHER) return NO;
    return (what == SGDPAR_COLLECTIVE_ALL_REDUCE ? 1.0 : 0.5)
        * (2.0 * (N - m) * f->local_a + 2.0 * (m - 1.0) * f->a
           + 2.0 * (N - 1.0) / N * S * fmax(byte_s, local_s));
}

static double on_machines_s(sgdpar_collective what, const sgdpar_protocol *by, const fabric *f,
                            double S)
{
    const level in = inside(f), out = outside(f, 1.0);
    double u, v, w, least_s = HUGE_VAL;
    if (by->form == SGDPAR_FORM_STREAMED) return streamed_s(what, by->algorithm, f, S);
    if (f->m < 2.0) return level_s(what, by->algorithm, &in, S, by->chunks);
    if (f->g < 2.0) return level_s(what, by->algorithm, &out, S, by->chunks);
    if (by->form == SGDPAR_FORM_FLAT) return flat_s(what, by->algorithm, f, S);
    if (by->form == SGDPAR_FORM_SPLIT) return split_s(what, by, f, S, by->chunks, &u, &v, &w);
    if (by->form == SGDPAR_FORM_PIPELINED) {
        if (what != SGDPAR_COLLECTIVE_ALL_REDUCE) return NO;
        if (by->chunks > 0) return in_line_s(by, f, S, by->chunks);
        for (double k = 1.0; k <= 65536.0; k *= 2.0)
            least_s = fmin(least_s, in_line_s(by, f, S, k));
        return least_s;
    }
    if (what != SGDPAR_COLLECTIVE_ALL_REDUCE && what != SGDPAR_COLLECTIVE_BROADCAST) return NO;
    u = what == SGDPAR_COLLECTIVE_BROADCAST ? 0.0
        : level_s(what, by->inside, &in, S, by->chunks);
    v = level_s(what, by->algorithm, &out, S, by->chunks);
    w = level_s(SGDPAR_COLLECTIVE_BROADCAST, by->inside, &in, S, by->chunks);
    return u < 0.0 || v < 0.0 || w < 0.0 ? NO : u + v + w;
}

static double wanted_s(sgdpar_collective what, const sgdpar_protocol *by,
                       const sgdpar_topology *t, double S)
{
    const fabric f = fabric_of(t, &by->cost);
    double s;
    if (f.m * f.g < 2.0) return 0.0;
    s = on_machines_s(what, by, &f, S);
    return s < 0.0 ? NO : s + by->cost.base_s;
}

/* ---- Random machines and protocols ------------------------------------------------- */

/* Often 0, else between the two, by their logarithms. */
static double maybe(double from, double to)
{
    return draw(3) == 0 ? 0.0 : from * pow(to / from, random_below(1.0));
}

static sgdpar_topology random_topology(void)
{
    static const uint32_t counts[] = {0, 1, 2, 3, 4, 5, 7, 8, 13, 33};
    sgdpar_topology t = {.machines = counts[draw(10)], .gpus = counts[draw(8)]};
    t.latency_s = maybe(1e-6, 1e-3);
    t.local_latency_s = maybe(1e-6, 1e-3);
    t.bandwidth_bytes_per_s = between(1e8, 1e10);
    t.local_bandwidth_bytes_per_s = between(1e8, 1e11);
    t.flow_cap_bytes_per_s = maybe(1e7, 1e10);
    t.channels = draw(4);
    t.beside = draw(2) * draw(12);
    return t;
}

static sgdpar_protocol random_protocol(void)
{
    static const uint32_t chunks[] = {0, 0, 1, 2, 3, 7, 65536};
    sgdpar_protocol by = {.collective = (sgdpar_collective)draw(SGDPAR_COLLECTIVE_COUNT),
                          .algorithm = (sgdpar_algorithm)draw(SGDPAR_ALGORITHM_COUNT),
                          .inside = (sgdpar_algorithm)(draw(2) * draw(SGDPAR_ALGORITHM_COUNT)),
                          .form = (sgdpar_form)draw(SGDPAR_FORM_COUNT), .chunks = chunks[draw(7)]};
    by.cost.base_s = maybe(1e-6, 1e-3);
    by.cost.latency_s = maybe(1e-6, 1e-3);
    by.cost.local_latency_s = maybe(1e-6, 1e-3);
    by.cost.fraction = maybe(0.1, 1.0);
    by.cost.most_bytes_per_s = maybe(1e7, 1e11);
    return by;
}

TEST(collectives_take_what_the_header_tells)
{
    size_t found = 0;
    for (int trial = 0; trial < TEST_SIZE(20000, 500000); trial++) {
        sgdpar_protocol by = random_protocol();
        const sgdpar_topology t = random_topology();
        const double S = maybe(1.0, 1e9);
        double want_s = wanted_s(by.collective, &by, &t, S), s = -7.0;
        if (draw(20) == 0) {                           /* a word that is none              */
            const uint32_t which = draw(4);
            want_s = NO;
            if (which == 0) by.collective = SGDPAR_COLLECTIVE_COUNT;
            if (which == 1) by.algorithm = SGDPAR_ALGORITHM_COUNT;
            if (which == 2) by.inside = SGDPAR_ALGORITHM_COUNT;
            if (which == 3) by.form = SGDPAR_FORM_COUNT;
        }
        CHECK_STATUS(sgdpar_collective_time(by.collective, &by, &t, S, &s),
                     want_s < 0.0 ? SGDPAR_BAD_ARGUMENT : SGDPAR_OK);
        CHECK_REL(s, want_s < 0.0 ? -7.0 : want_s, 1e-12);
        found += want_s > 0.0;
    }
    CHECK(found > 4000);
}

/* ---- The fastest protocol, and its links -------------------------------------------- */

static int holds(const sgdpar_range *r, double S, double m)
{
    return S >= r->from_bytes && (r->below_bytes <= 0.0 || S < r->below_bytes)
        && m >= r->from_machines && (r->below_machines == 0 || m < r->below_machines);
}

/* Protocols for a collective, some the same; the index of the first of the fastest, or `n`. */
static size_t draw_protocols(sgdpar_collective what, sgdpar_protocol *by, size_t n,
                             const sgdpar_topology *t, double S)
{
    size_t best = n;
    double least_s = HUGE_VAL;
    for (size_t i = 0; i < n; i++) {
        double s;
        by[i] = i > 0 && draw(3) == 0 ? by[i - 1] : random_protocol();
        if (draw(2)) by[i].collective = what;
        if (draw(3) == 0) by[i].range.from_bytes = draw(2) ? S : maybe(1.0, 1e9);
        if (draw(3) == 0) by[i].range.below_bytes = draw(2) ? S : maybe(1.0, 1e9);
        if (draw(3) == 0) by[i].range.from_machines = draw(9);
        if (draw(3) == 0) by[i].range.below_machines = draw(9);
        if (by[i].collective != what || !holds(&by[i].range, S, at_least_1(t->machines))) continue;
        s = wanted_s(what, &by[i], t, S);
        if (s < 0.0 || !(s < least_s)) continue;
        least_s = s;
        best = i;
    }
    return best;
}

/* What a protocol takes if only one of the links takes time. */
static double one_link_s(size_t at, sgdpar_protocol by, sgdpar_topology t, double S)
{
    const double members = at_least_1(at == SGDPAR_LEVEL_NETWORK ? t.machines : t.gpus);
    by.cost.base_s = 0.0;
    if (at == SGDPAR_LEVEL_NETWORK) {
        by.cost.local_latency_s = t.local_latency_s = 0.0;
        t.local_bandwidth_bytes_per_s = HUGE_VAL;
    } else {
        by.cost.latency_s = t.latency_s = t.flow_cap_bytes_per_s = 0.0;
        t.bandwidth_bytes_per_s = HUGE_VAL;
    }
    /* A limit of the protocol's is one of this link alone. */
    if (by.cost.most_bytes_per_s > 0.0) {
        const double fraction = by.cost.fraction > 0.0 ? by.cost.fraction : 1.0;
        const double most = by.cost.most_bytes_per_s / fraction;
        t.bandwidth_bytes_per_s = at == SGDPAR_LEVEL_NETWORK
            ? fmin(t.bandwidth_bytes_per_s, most) : HUGE_VAL;
        t.local_bandwidth_bytes_per_s = at == SGDPAR_LEVEL_LOCAL
            ? fmin(t.local_bandwidth_bytes_per_s, most) : HUGE_VAL;
        by.cost.most_bytes_per_s = 0.0;
    }
    return members > 1.0 ? wanted_s(by.collective, &by, &t, S) : 0.0;
}

static void check_links(const sgdpar_link_times *got, const sgdpar_protocol *by,
                        const sgdpar_topology *t, double S)
{
    sgdpar_protocol limitless = *by;
    sgdpar_topology uncapped = *t;
    limitless.cost.most_bytes_per_s = uncapped.flow_cap_bytes_per_s = 0.0;
    CHECK_REL(got->alone_s, wanted_s(by->collective, by, t, S), 1e-12);
    for (size_t l = 0; l < SGDPAR_LEVEL_COUNT; l++) {
        const double none_s = one_link_s(l, *by, *t, 0.0), all_s = one_link_s(l, *by, *t, S);
        const double free_s = one_link_s(l, limitless, uncapped, S) - none_s;
        if (!(got->busy_s[l] > 0.0)) {                 /* nothing but rounding             */
            CHECK(all_s - none_s <= 1e-12 * all_s);
            CHECK_REL(got->share[l] + got->latency_s[l] + got->busy_s[l], 0.0, 0.0);
            continue;
        }
        CHECK_REL(got->latency_s[l], none_s, 1e-12);
        CHECK_REL(got->latency_s[l] + got->busy_s[l], all_s, 1e-12);
        CHECK(fabs(got->share[l] - fmin(1.0, free_s / (all_s - none_s)))
              <= 1e-11 * all_s / (all_s - none_s));
    }
}

TEST(the_fastest_protocol_is_found_and_divided_over_its_links)
{
    size_t divided = 0;
    for (int trial = 0; trial < TEST_SIZE(10000, 200000); trial++) {
        const sgdpar_collective what = (sgdpar_collective)draw(SGDPAR_COLLECTIVE_COUNT);
        const sgdpar_topology t = random_topology();
        const double S = maybe(1.0, 1e9), workers = at_least_1(t.machines) * at_least_1(t.gpus);
        sgdpar_protocol by[4];
        const sgdpar_network on = {t, by, draw(5)};
        const size_t best = draw_protocols(what, by, on.protocols, &t, S);
        const sgdpar_status status = best < on.protocols ? SGDPAR_OK : SGDPAR_BAD_ARGUMENT;
        sgdpar_link_times links = {.alone_s = -7.0};
        size_t chosen = 9;
        double s = -7.0;
        CHECK_STATUS(sgdpar_best_protocol(what, &on, S, &chosen, &s), status);
        CHECK_STATUS(sgdpar_collective_links(what, &on, S, &links),
                     workers < 2.0 ? SGDPAR_OK : status);
        if (best == on.protocols) {
            CHECK(chosen == 9 && s < -6.0 && (links.alone_s < -6.0 || workers < 2.0));
            continue;
        }
        CHECK_REL(s, wanted_s(what, &by[best], &t, S), 1e-12);
        CHECK_REL(wanted_s(what, &by[chosen], &t, S), s, 1e-12);
        CHECK(chosen == best || memcmp(&by[chosen], &by[best], sizeof by[0]) != 0);
        check_links(&links, &by[chosen], &t, S);
        divided += workers > 1.0;
    }
    CHECK(divided > 1000);
}

/* ---- Streams ------------------------------------------------------------------------ */

/* A queue by hand. The last time of all; end_s[n] is when each has been parsed. */
static double queue_s(const sgdpar_stream *stream, size_t n, const sgdpar_connection *c,
                      double *end_s)
{
    double now_s = 0.0, most_s = 0.0, left[8];
    size_t queue[8 * 64], turns[8] = {0}, head = 0, tail = 0, next = 0;
    while (next < n || head < tail) {
        size_t i;
        double sent;
        if (head == tail) now_s = fmax(now_s, stream[next].start_s);
        for (; next < n && stream[next].start_s <= now_s; next++) {
            left[next] = stream[next].bytes;
            queue[tail++] = next;
        }
        i = queue[head++];
        sent = c->window_bytes > 0.0 && (c->every_turn || turns[i] == 0)
            ? fmin(left[i], c->window_bytes) : left[i];
        turns[i]++;
        now_s += sent / c->bandwidth_bytes_per_s;
        for (; next < n && stream[next].start_s <= now_s; next++) {
            left[next] = stream[next].bytes;
            queue[tail++] = next;
        }
        left[i] -= sent;
        if (left[i] > 0.0) queue[tail++] = i;
        else end_s[i] = now_s + fmax(0.0, c->parsing_s_per_byte * stream[i].bytes + c->parsing_s);
    }
    for (size_t i = 0; i < n; i++) most_s = fmax(most_s, end_s[i]);
    return most_s;
}

TEST(streams_are_a_queue_of_windows_unless_it_lasts_for_ever)
{
    for (int trial = 0; trial < TEST_SIZE(4000, 100000); trial++) {
        const size_t n = 1 + draw(8);
        const double vast = trial % 3 ? 1.0 : pow(10.0, between(305.0, 308.0));
        const uint32_t which = draw(3);                /* of three things is that long    */
        const double vast_at[3] = {which == 0 ? vast : 1.0, which == 1 ? vast : 1.0,
                                   which == 2 ? vast : 1.0};
        sgdpar_connection c = {.bandwidth_bytes_per_s = between(0.5, 2.0),
                               .window_bytes = vast > 1.0 ? 0.0 : maybe(0.3, 9.0),
                               .every_turn = (int)draw(2)};
        sgdpar_stream *stream = malloc(n * sizeof *stream);   /* sanitizers see their ends */
        double *end_s = malloc(n * sizeof *end_s), want_s[8], now_s = 0.0, bytes = 0.0, most_s;
        uint32_t *work = malloc((n + n % 2) * sizeof *work);
        c.parsing_s_per_byte = maybe(0.1, 1.0);
        c.parsing_s = draw(2) ? -1.0 : vast_at[2] * maybe(0.1, 9.0);
        for (size_t i = 0; i < n; i++) {
            stream[i] = (sgdpar_stream){vast_at[0] * maybe(0.1, 9.0), vast_at[1] * now_s};
            now_s += maybe(0.1, 9.0);
            bytes += stream[i].bytes;
        }
        most_s = queue_s(stream, n, &c, want_s);
        end_s[0] = -7.0;
        if (bytes / c.bandwidth_bytes_per_s + stream[n - 1].start_s > DBL_MAX || most_s > DBL_MAX) {
            CHECK_STATUS(sgdpar_stream_ends(stream, n, &c, work, (n + n % 2) * sizeof *work, end_s),
                         SGDPAR_BAD_ARGUMENT);
            CHECK_REL(end_s[0], -7.0, 0.0);
        } else if (sgdpar_stream_ends(stream, n, &c, work, (n + n % 2) * sizeof *work, end_s)
                   == SGDPAR_OK) {
            for (size_t i = 0; i < n; i++) CHECK_REL(end_s[i], want_s[i], 1e-12);
        } else {
            CHECK(vast > 1.0);                         /* by the sum of the longest of each */
        }
        free(stream);
        free(end_s);
        free(work);
    }
}

/* ---- Copies of a pipeline ----------------------------------------------------------- */

enum { DEVICES = 5, CHUNKS = 3, MICRO = 10, STAGES = DEVICES * CHUNKS };

static sgdpar_stage stage[STAGES];

TEST(copies_send_and_exchange_as_their_places_say)
{
    for (int trial = 0; trial < TEST_SIZE(3000, 50000); trial++) {
        const uint32_t P = 1 + draw(DEVICES), v = 1 + draw(CHUNKS), g = 1 + draw(6);
        const uint32_t D = draw(2) ? g * (1 + draw(4)) : 1 + draw(8), on_one = D < g ? D : g;
        const int halves = (int)draw(2), wrong = draw(8) == 0;
        const int fits = (D % g == 0 || g % D == 0) && !wrong;
        double gradient[STAGES], output[STAGES];
        sgdpar_stage before[STAGES];
        sgdpar_protocol by[3];
        sgdpar_copies of = {.copies = D, .gradient_bytes = gradient, .output_bytes = output,
                            .network = {random_topology(), by, 3}};
        sgdpar_topology *t = &of.network.topology, between_copies;
        of.sharding = halves ? SGDPAR_SHARDING_OPTIMIZER : SGDPAR_SHARDING_NONE;
        t->gpus = g == 1 ? draw(2) : g;
        if (draw(4) == 0) t->bandwidth_bytes_per_s = between(0.1, 2.0);
        if (draw(4) == 0) t->local_bandwidth_bytes_per_s = between(0.1, 2.0);
        memset(by, 0, sizeof by);
        for (size_t i = 0; i < 3; i++) by[i].collective = (sgdpar_collective)i;
        between_copies = *t;
        between_copies.gpus = on_one;
        between_copies.machines = D / on_one;
        for (size_t i = 0; i < P * v; i++) {
            gradient[i] = maybe(1.0, 1e9);
            output[i] = maybe(1.0, 1e9);
            stage[i] = (sgdpar_stage){.forward_s = 1.0, .send_s = -7.0, .exchange_s = -7.0,
                                      .update_s = 2.0};
        }
        if (wrong) (draw(2) ? gradient : output)[draw(P * v)] = draw(2) ? -1.0 : (double)NAN;
        memcpy(before, stage, sizeof before);
        CHECK_STATUS(sgdpar_pipeline_transfers(&of, P, v, stage),
                     fits ? SGDPAR_OK : SGDPAR_BAD_ARGUMENT);
        CHECK(fits || memcmp(before, stage, sizeof before) == 0);
        for (size_t i = 0; i < P * v && fits; i++) {
            const size_t p = i % P, to = (p + 1) % P;
            const double cap = t->flow_cap_bytes_per_s * at_least_1(t->channels);
            const double share = t->bandwidth_bytes_per_s / on_one;
            const double out_s = t->latency_s + output[i] / (cap > 0.0 ? fmin(share, cap) : share);
            const double in_s = t->local_latency_s + output[i] / t->local_bandwidth_bytes_per_s;
            CHECK_REL(stage[i].send_s, P == 1 ? 0.0 : p * D / g == to * D / g ? in_s : out_s,
                      1e-12);
            CHECK_REL(stage[i].exchange_s,
                      wanted_s(by[halves].collective, &by[halves], &between_copies, gradient[i]),
                      1e-12);
            CHECK_REL(stage[i].update_s, halves ? 2.0 / D + wanted_s(
                      by[2].collective, &by[2], &between_copies, gradient[i]) : 2.0, 1e-12);
        }
    }
}

/* ---- A replay by its own spans ------------------------------------------------------ */

/* Each activity of each stage and micro-batch when it was told, and what a device did last. */
static struct {
    double start_s[SGDPAR_ACTIVITY_COUNT][STAGES][MICRO];
    double end_s[SGDPAR_ACTIVITY_COUNT][STAGES][MICRO];
    double last_s[DEVICES][SGDPAR_ACTIVITY_COUNT]; /* of a kind; all passes are the first kind */
    double work_s[SGDPAR_ACTIVITY_COUNT][STAGES][MICRO];
    size_t count;
} told;

static const sgdpar_pipeline *line;

/* When what an activity waits for has ended. */
static double ready_s(sgdpar_activity what, size_t s, size_t m)
{
    const size_t P = line->devices, last = P * line->chunks - 1;
    const int zb = line->schedule == SGDPAR_PIPELINING_ZB, sends = stage[0].send_s > 0.0;
    const double (*end_s)[STAGES][MICRO] = (const double (*)[STAGES][MICRO])told.end_s;
    switch (what) {
    case SGDPAR_ACTIVITY_FORWARD:
        return s == 0 ? 0.0 : end_s[sends && P > 1 ? SGDPAR_ACTIVITY_NEXT : what][s - 1][m];
    case SGDPAR_ACTIVITY_BACKWARD:
        return s == last ? end_s[SGDPAR_ACTIVITY_FORWARD][s][m]
            : end_s[sends && P > 1 ? SGDPAR_ACTIVITY_PREVIOUS : what][s + 1][m];
    case SGDPAR_ACTIVITY_NEXT: return end_s[SGDPAR_ACTIVITY_FORWARD][s][m];
    case SGDPAR_ACTIVITY_EXCHANGE:
        return end_s[zb ? SGDPAR_ACTIVITY_WEIGHT : SGDPAR_ACTIVITY_BACKWARD][s]
                    [line->micro_batches - 1];
    case SGDPAR_ACTIVITY_UPDATE:
        return fmax(told.last_s[s % P][SGDPAR_ACTIVITY_FORWARD],
                    told.last_s[s % P][SGDPAR_ACTIVITY_EXCHANGE]);
    default: return end_s[SGDPAR_ACTIVITY_BACKWARD][s][m];
    }
}

/* Begins as soon as it may, and once. */
static void on_span(void *ctx, const sgdpar_span *span)
{
    const size_t s = span->stage, m = span->micro_batch, what = (size_t)span->what;
    const int pass = what <= SGDPAR_ACTIVITY_WEIGHT;
    double *last_s;
    CHECK(ctx == &told && what < SGDPAR_ACTIVITY_COUNT && s < STAGES && m < MICRO);
    CHECK(span->device == s % line->devices);
    CHECK(m < (what < SGDPAR_ACTIVITY_EXCHANGE ? line->micro_batches : 1));
    CHECK(told.end_s[what][s][m] < 0.0 && span->end_s >= span->start_s);
    last_s = &told.last_s[span->device][pass ? 0 : what];
    CHECK_REL(span->start_s, fmax(*last_s, ready_s(span->what, s, m)), 1e-12);
    told.start_s[what][s][m] = span->start_s;
    *last_s = told.end_s[what][s][m] = span->end_s;
    told.count++;
}

/* Seconds of an activity alone on its links; below 0: it is not told. */
static double alone_s(sgdpar_activity what, size_t s)
{
    const sgdpar_stage *of = &stage[s];
    const int zb = line->schedule == SGDPAR_PIPELINING_ZB;
    const size_t P = line->devices, last = P * line->chunks - 1;
    double time_s = 0.0;
    switch (what) {
    case SGDPAR_ACTIVITY_FORWARD:  return of->forward_s;
    case SGDPAR_ACTIVITY_BACKWARD: return of->backward_s - (zb ? of->weight_s : 0.0);
    case SGDPAR_ACTIVITY_WEIGHT:   return zb ? of->weight_s : NO;
    case SGDPAR_ACTIVITY_NEXT:     time_s = P > 1 && s < last ? of->send_s : 0.0; break;
    case SGDPAR_ACTIVITY_PREVIOUS: time_s = P > 1 && s > 0 ? stage[s - 1].send_s : 0.0; break;
    case SGDPAR_ACTIVITY_EXCHANGE: time_s = of->exchange_s; break;
    default:                       time_s = of->update_s; break;
    }
    return time_s > 0.0 ? time_s : NO;
}

/* The direction of a link that an activity takes out or in; NO_LINK: none, or alone on it. */
enum { NO_LINK = 4 * DEVICES };

static size_t direction(const sgdpar_shared *links, size_t what, size_t s, size_t in)
{
    const size_t P = line->devices, p = s % P;
    const size_t to = what == SGDPAR_ACTIVITY_NEXT ? (p + 1) % P
        : what == SGDPAR_ACTIVITY_PREVIOUS ? (p + P - 1) % P : p;
    const uint32_t *machine = links->machine;
    if (!machine || what < SGDPAR_ACTIVITY_NEXT || what == SGDPAR_ACTIVITY_UPDATE) return NO_LINK;
    if (what == SGDPAR_ACTIVITY_EXCHANGE ? links->between : machine[p] != machine[to])
        return 2 * DEVICES + 2 * machine[in ? to : p] + in;
    return 2 * (in ? to : p) + in;
}

static double *work_of(size_t i) { return &told.work_s[0][0][0] + i; }
static double start_of(size_t i) { return *(&told.start_s[0][0][0] + i); }
static double end_of(size_t i) { return *(&told.end_s[0][0][0] + i); }

/* From each start or end to the next one: what every activity does in this time. */
static void share_links(const sgdpar_shared *links)
{
    const size_t all = sizeof told.end_s / sizeof(double), kind = STAGES * MICRO;
    double now_s = 0.0;
    for (;;) {
        double next_s = HUGE_VAL, on[NO_LINK + 1] = {0.0};
        for (size_t i = 0; i < all; i++) {
            if (start_of(i) > now_s) next_s = fmin(next_s, start_of(i));
            if (end_of(i) > now_s) next_s = fmin(next_s, end_of(i));
            for (size_t in = 0; in < 2 && start_of(i) <= now_s && end_of(i) > now_s; in++)
                on[direction(links, i / kind, i % kind / MICRO, in)] += 1.0;
        }
        if (!(next_s < HUGE_VAL)) return;
        on[NO_LINK] = 1.0;
        for (size_t i = 0; i < all; i++)
            if (start_of(i) <= now_s && end_of(i) > now_s)
                *work_of(i) += (next_s - now_s)
                    / fmax(on[direction(links, i / kind, i % kind / MICRO, 0)],
                           on[direction(links, i / kind, i % kind / MICRO, 1)]);
        now_s = next_s;
    }
}

static double some_s(int whole) { return whole ? draw(4) : random_below(3.0); }

static sgdpar_pipeline random_line(int whole)
{
    const sgdpar_pipelining how = (sgdpar_pipelining)draw(SGDPAR_PIPELINING_COUNT);
    const int loops = how == SGDPAR_PIPELINING_INTERLEAVED, sends = draw(3) > 0;
    const uint32_t P = 1 + draw(DEVICES);
    sgdpar_pipeline p = {how, stage, P, loops ? 2 + draw(CHUNKS - 1) : 1, 1 + draw(MICRO)};
    if (loops) p.micro_batches = P * (1 + draw(MICRO / P));
    for (size_t i = 0; i < P * p.chunks; i++) {
        sgdpar_stage *s = &stage[i];
        s->forward_s = some_s(whole);
        s->weight_s = some_s(whole);
        s->backward_s = s->weight_s + some_s(whole);
        s->send_s = sends ? 0.5 + some_s(whole) : 0.0;
        s->exchange_s = draw(2) * some_s(whole);
        s->update_s = draw(2) * some_s(whole);
    }
    return p;
}

/* What is told of devices and of the step, by the last activities of each. */
static void check_ends(const sgdpar_pipeline_step *step, const sgdpar_device *device)
{
    double step_s = 0.0, passes_s = 0.0;
    for (size_t d = 0; d < line->devices; d++) {
        const double *last_s = told.last_s[d];
        const double done_s = fmax(fmax(last_s[0], last_s[SGDPAR_ACTIVITY_EXCHANGE]),
                                   last_s[SGDPAR_ACTIVITY_UPDATE]);
        CHECK_REL(device[d].done_s, done_s, 1e-12);
        step_s = fmax(step_s, done_s);
        passes_s = fmax(passes_s, last_s[0]);
    }
    CHECK_REL(step->step_s, step_s, 1e-12);
    CHECK_REL(step->passes_s, passes_s, 1e-12);
    CHECK(fabs(step->exposed_s - (step_s - passes_s)) <= 1e-12 * step_s);
}

TEST(a_replay_tells_each_activity_once_as_soon_as_it_may_and_at_its_share)
{
    static double work[40 * STAGES * MICRO];
    for (int trial = 0; trial < TEST_SIZE(150, 3000); trial++) {
        const sgdpar_pipeline p = random_line(trial % 2);
        const size_t stages = p.devices * p.chunks, all = sizeof told.end_s / sizeof(double);
        uint32_t machine[DEVICES];
        sgdpar_shared links = {draw(4) ? machine : NULL, (int)draw(2), on_span, &told};
        sgdpar_pipeline_step step;
        sgdpar_device device[DEVICES];
        size_t count = 0;
        for (size_t i = 0; i < p.devices; i++) machine[i] = draw(p.devices);
        line = &p;
        memset(&told, 0, sizeof told);
        for (size_t i = 0; i < all; i++) (&told.end_s[0][0][0])[i] = -1.0;
        CHECK_STATUS(sgdpar_pipeline_replay(&p, &links, work, sizeof work, device, &step),
                     SGDPAR_OK);
        share_links(&links);
        for (size_t i = 0; i < SGDPAR_ACTIVITY_COUNT * stages; i++) {
            const size_t what = i / stages, s = i % stages;
            const double want_s = alone_s((sgdpar_activity)what, s);
            const size_t micros = what < SGDPAR_ACTIVITY_EXCHANGE ? p.micro_batches : 1;
            count += want_s < 0.0 ? 0 : micros;
            for (size_t m = 0; m < micros && want_s >= 0.0; m++)
                CHECK(fabs(told.work_s[what][s][m] - want_s) <= 1e-12 * step.step_s);
        }
        CHECK(told.count == count);
        check_ends(&step, device);
        links.on_span = NULL;
        for (int over = 0; over < 2 && step.step_s > 0.0; over++) { /* as long as a double tells */
            for (size_t i = 0; i < sizeof stage / (sizeof(double)); i++)
                ((double *)stage)[i] = ldexp(((double *)stage)[i],
                                             over ? 1 : 1023 - ilogb(step.step_s));
            CHECK_STATUS(sgdpar_pipeline_replay(&p, &links, work, sizeof work, NULL, &step),
                         over ? SGDPAR_BAD_ARGUMENT : SGDPAR_OK);
        }
    }
}

int main(void) { return test_all("test_parallel"); }
