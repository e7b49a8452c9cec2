/* test_phases.c - profiles, gaps, parts of steps, errors and epochs of any data are those of their
 * definitions: spans are whole seconds, and counted second by second */
#include "../sgdperf_fit.h"
#include "test.h"
#define CHANCE_SEED 47
#include "chance.h"

#include <float.h>
#include <math.h>

enum { RECORDS = 30, STEPS = 6, SECONDS = 60 };

static double work[4 * RECORDS];
static const uint64_t number[STEPS] = { 3, 4, 0, 5, UINT64_MAX, UINT64_MAX - 1 };

typedef struct log_of { sgdfit_phase_record record[RECORDS]; size_t n; } log_of;

/* Mean, deviation and Student's interval of n numbers, in two passes. */
static void expect_statistics(const sgdfit_phase_statistics *got, const double *x, size_t n)
{
    double mean = 0.0, squares = 0.0, half = 0.0;
    for (size_t i = 0; i < n; i++) mean += x[i] / (double)n;
    for (size_t i = 0; i < n; i++) squares += (x[i] - mean) * (x[i] - mean);
    const double deviation = n > 1 ? sqrt(squares / (double)(n - 1)) : 0.0;
    if (n > 1) half = sgdfit_student(0.95, n - 1) * deviation / sqrt((double)n);
    CHECK(got->steps == n && fabs(got->mean_s - mean) < 1e-9);
    CHECK(fabs(got->deviation_s - deviation) < 1e-9);
    CHECK(fabs(got->ci95_half_width_s - half) <= 1e-4 * half + 1e-12);
}

/* Spans of up to 9 s, in up to so many steps and phases. */
static log_of draw_log(uint32_t steps, uint32_t phases)
{
    log_of l = {.n = 1 + draw(RECORDS)};
    for (size_t i = 0; i < l.n; i++) {
        const double start_s = draw(SECONDS - 10);
        l.record[i] = (sgdfit_phase_record){number[draw(steps)], (sgdfit_phase)draw(phases),
                                            start_s, start_s + draw(10)};
    }
    return l;
}

/* Whether a step has a phase, and the seconds in which it runs. */
static int seconds_of(const log_of *l, uint64_t step, sgdfit_phase phase, double *sum_s)
{
    int busy[SECONDS] = { 0 }, has = 0;
    *sum_s = 0.0;
    for (size_t i = 0; i < l->n; i++) {
        const sgdfit_phase_record *r = &l->record[i];
        if (r->step != step || r->phase != phase) continue;
        has = 1;
        for (int s = (int)r->start_s; s < (int)r->end_s; s++) busy[s] = 1;
    }
    for (int s = 0; s < SECONDS; s++) *sum_s += busy[s];
    return has;
}

TEST(a_profile_counts_each_second_once)
{
    for (int trial = 0; trial < TEST_SIZE(1000, 10000); trial++) {
        const log_of l = draw_log(1 + draw(STEPS), 1 + draw(SGDFIT_PHASE_COUNT));
        sgdfit_phase_statistics of[SGDFIT_PHASE_COUNT];
        size_t steps = 0, distinct = 0, bytes = 0;
        int seen[STEPS] = { 0 };
        CHECK_STATUS(sgdfit_profile_phases_bytes(l.n, &bytes), SGDFIT_OK);
        CHECK_STATUS(sgdfit_profile_phases(l.record, l.n, work, bytes, of,
                                           trial % 9 ? &steps : NULL), SGDFIT_OK);
        for (int p = 0; p < SGDFIT_PHASE_COUNT; p++) {
            double sum_s[STEPS];
            size_t n = 0;
            for (size_t k = 0; k < STEPS; k++)
                if (seconds_of(&l, number[k], (sgdfit_phase)p, &sum_s[n])) { seen[k] = 1; n++; }
            expect_statistics(&of[p], sum_s, n);
        }
        for (size_t k = 0; k < STEPS; k++) distinct += seen[k] != 0;
        CHECK(trial % 9 == 0 || steps == distinct);
    }
}

/* From the first start to the last end of a step that lacks no phase which three quarters of the
 * others have. */
TEST(whole_steps_lack_nothing_that_most_others_have)
{
    for (int trial = 0; trial < TEST_SIZE(2000, 20000); trial++) {
        const log_of l = draw_log(1 + draw(STEPS), 1 + draw(4));
        double length_s[STEPS], sum_s;
        sgdfit_phase_statistics of;
        size_t cut = 99, n = 0, steps = 0, bytes = 0;
        int has[STEPS][SGDFIT_PHASE_COUNT], any[STEPS] = { 0 };
        for (size_t k = 0; k < STEPS; k++) {
            for (int p = 0; p < SGDFIT_PHASE_COUNT; p++)
                any[k] |= has[k][p] = seconds_of(&l, number[k], (sgdfit_phase)p, &sum_s);
            steps += any[k] != 0;
        }
        for (size_t k = 0; k < STEPS; k++) {
            double first_s = 1e9, last_s = 0.0;
            int whole = any[k];
            for (int p = 0; p < SGDFIT_PHASE_COUNT && any[k]; p++) {
                size_t others = 0;
                for (size_t i = 0; i < STEPS; i++) others += i != k && has[i][p];
                if (!has[k][p] && others > 0 && 4 * others >= 3 * (steps - 1)) whole = 0;
            }
            for (size_t i = 0; i < l.n; i++) {
                if (l.record[i].step != number[k]) continue;
                first_s = fmin(first_s, l.record[i].start_s);
                last_s = fmax(last_s, l.record[i].end_s);
            }
            if (whole) length_s[n++] = last_s - first_s;
        }
        CHECK_STATUS(sgdfit_profile_phases_bytes(l.n, &bytes), SGDFIT_OK);
        CHECK_STATUS(sgdfit_profile_steps(l.record, l.n, work, bytes, &of,
                                          trial % 9 ? &cut : NULL), SGDFIT_OK);
        CHECK(trial % 9 == 0 || cut == steps - n);
        expect_statistics(&of, length_s, n);
    }
}

/* ---- Gaps ---------------------------------------------------------------------- */

/* The first start and last end of a step's transfers one way; 0: none. */
static int ends_of(const log_of *l, uint64_t step, sgdfit_phase phase, double *first_s,
                   double *last_s)
{
    int has = 0;
    for (size_t i = 0; i < l->n; i++) {
        const sgdfit_phase_record *r = &l->record[i];
        if (r->step != step || r->phase != phase) continue;
        *first_s = has ? fmin(*first_s, r->start_s) : r->start_s;
        *last_s = has ? fmax(*last_s, r->end_s) : r->end_s;
        has = 1;
    }
    return has;
}

static size_t add_gap(sgdfit_phase_record *gap, size_t n, uint64_t step, sgdfit_phase phase,
                      double start_s, double end_s)
{
    gap[n] = (sgdfit_phase_record){step, phase, start_s, end_s};
    return n + 1;
}

/* Transfers of steps 0 to 4, most of them in order: up to two each way, some missing. */
static log_of draw_transfers(void)
{
    log_of l = {.n = 0};
    double at_s = 0.0;
    const int early = draw(4) == 0;
    for (uint64_t step = 0; step < 5; step++)
        for (int way = 0; way < 2; way++) {
            const size_t first = l.n;
            for (uint32_t k = draw(3); k > 0; k--) {
                const double start_s = at_s + draw(3);
                l.record[l.n++] = (sgdfit_phase_record){
                    step, way ? SGDFIT_PHASE_UPLINK : SGDFIT_PHASE_DOWNLINK, start_s,
                    start_s + draw(4)};
            }
            for (size_t i = first; i < l.n; i++) at_s = fmax(at_s, l.record[i].end_s);
            if (early && draw(8) == 0) at_s -= 1.0;
        }
    for (size_t i = l.n; i > 1; i--) {
        const size_t k = draw((uint32_t)i);
        const sgdfit_phase_record moved = l.record[k];
        l.record[k] = l.record[i - 1];
        l.record[i - 1] = moved;
    }
    return l;
}

TEST(gaps_are_between_the_last_end_and_the_first_start)
{
    size_t refused = 0;
    for (int trial = 0; trial < TEST_SIZE(2000, 20000); trial++) {
        const log_of l = draw_transfers();
        sgdfit_phase_record want[2 * RECORDS], got[2 * RECORDS];
        size_t n = 0, gaps = 99;
        int negative = 0;
        if (l.n == 0) continue;
        for (uint64_t step = 0; step < 5; step++) {
            double down_s[2] = { 0.0 }, up_s[2] = { 0.0 }, next_s[2] = { 0.0 };
            const int has_up = ends_of(&l, step, SGDFIT_PHASE_UPLINK, &up_s[0], &up_s[1]);
            if (ends_of(&l, step, SGDFIT_PHASE_DOWNLINK, &down_s[0], &down_s[1]) && has_up)
                n = add_gap(want, n, step, SGDFIT_PHASE_FORWARD, down_s[1], up_s[0]);
            if (has_up && ends_of(&l, step + 1, SGDFIT_PHASE_DOWNLINK, &next_s[0], &next_s[1]))
                n = add_gap(want, n, step, SGDFIT_PHASE_UPDATE, up_s[1], next_s[0]);
        }
        for (size_t i = 0; i < n; i++) negative |= want[i].end_s < want[i].start_s;
        refused += negative != 0;
        CHECK_STATUS(sgdfit_profile_gaps(l.record, l.n, work, sizeof work, got, &gaps),
                     negative ? SGDFIT_BAD_ARGUMENT : SGDFIT_OK);
        if (negative) continue;
        CHECK(gaps == n);
        for (size_t i = 0; i < n && i < gaps; i++) {
            CHECK(got[i].step == want[i].step && got[i].phase == want[i].phase);
            CHECK_REL(got[i].start_s, want[i].start_s, 0.0);
            CHECK_REL(got[i].end_s, want[i].end_s, 0.0);
        }
    }
    CHECK(refused > 20);
}

/* ---- A traced step -------------------------------------------------------------- */

/* The exponent makes the step of compute and the exchange of a ring; compute is what is not
 * exposed. If an exponent up to 64 does not do, one factor shortens both. */
TEST(a_traced_job_takes_its_step_again)
{
    size_t at_most = 0, seen = 0;
    for (int trial = 0; trial < TEST_SIZE(1000, 10000); trial++) {
        const double T = between(0.1, 10.0), sent = T * (draw(8) ? chance_unit() : 1.0);
        const sgdfit_step_parts of = {.step_s = T, .communication_s = sent,
                                      .exposed_s = sent * (draw(8) ? chance_unit() : 0.0)};
        const uint32_t workers = 1 + draw(9);
        const double bytes = between(1.0, 1e9), F = draw(4) ? between(0.0, 3.0) : 0.0;
        sgdfit_traced job = {.forward_s = F, .backward_s = 2.0 * F};
        CHECK_STATUS(sgdfit_profile_traced(&of, workers, bytes, &job), SGDFIT_OK);
        const double C = job.forward_s + job.backward_s, p = job.overlap_exponent;
        CHECK_REL(job.forward_s, C / 3.0, 1e-12);
        if (workers == 1) {
            CHECK_REL(C, T, 1e-14);
            CHECK(!(p > 0.0) && !(job.bandwidth_bytes_per_s > 0.0) && !(job.model_bytes > 0.0));
            continue;
        }
        const double n = workers, share = 2.0 * (n - 1.0) / n;
        const double ring = share * bytes / job.bandwidth_bytes_per_s, factor = ring / sent;
        CHECK_REL(job.model_bytes, bytes, 0.0);
        CHECK(p >= 1.0 && p <= 64.0);
        CHECK_REL(pow(pow(C, p) + pow(ring, p), 1.0 / p), T, 1e-9);
        CHECK(factor > 0.989 && (p >= 64.0 ? factor < 1.0 + 1e-12 : fabs(factor - 1.0) < 1e-12));
        CHECK_REL(C, (T - of.exposed_s) * factor, 1e-12);
        at_most += p >= 64.0;
        seen++;
    }
    CHECK(at_most > 0 && at_most < seen / 2);
}

TEST(a_step_is_bound_by_its_longest_part)
{
    for (int trial = 0; trial < 500; trial++) {
        const double part[3] = { draw(4), draw(4), draw(4) };
        const sgdfit_step_parts of = {.step_s = part[0] + part[1] + part[2],
                                      .compute_s = part[1], .exposed_s = part[2]};
        const sgdfit_bound got = sgdfit_profile_bound(&of);
        size_t most = 0;
        for (size_t i = 1; i < 3; i++) if (part[i] > part[most]) most = i;
        CHECK(got == (most == 0 ? SGDFIT_BOUND_HOST : most == 1 ? SGDFIT_BOUND_ACCELERATOR
                                                                : SGDFIT_BOUND_COMMUNICATION));
    }
}

/* ---- Errors, and epochs ------------------------------------------------------------ */

/* Linear between the numbers of rank floor(place) and the next one, by counting. */
static double quantile_of(const double *x, size_t n, double q)
{
    const double place = q * (double)(n - 1), below = floor(place);
    double end[2] = { 0.0, 0.0 };
    for (size_t i = 0; i < n; i++) {
        double rank = 0.0;
        for (size_t k = 0; k < n; k++) rank += x[k] < x[i] || (k < i && x[k] <= x[i]);
        if (fabs(rank - below) < 0.5) end[0] = x[i];
        if (fabs(rank - below - 1.0) < 0.5) end[1] = x[i];
    }
    return end[0] + (place > below ? (place - below) * (end[1] - end[0]) : 0.0);
}

TEST(errors_are_those_of_rows_that_count)
{
    for (int trial = 0; trial < TEST_SIZE(1000, 10000); trial++) {
        const size_t all = 1 + draw(RECORDS);
        double predicted[RECORDS], measured[RECORDS], size[RECORDS], sum = 0.0, bias = 0.0;
        uint32_t set[RECORDS];
        const uint32_t which = draw(3), way = draw(3);
        sgdfit_error_statistics e;
        size_t n = 0;
        for (size_t i = 0; i < all; i++) {
            measured[i] = between(0.1, 10.0);
            predicted[i] = draw(6) ? measured[i] * between(0.5, 1.7) : 0.0;
            set[i] = draw(3);
            if ((way == 1 && set[i] != which) || (way == 2 && set[i] == which)) continue;
            size[n] = fabs(predicted[i] / measured[i] - 1.0);
            bias += predicted[i] / measured[i] - 1.0;
            sum += size[n++];
        }
        const sgdfit_rows of = {.predicted = predicted, .measured = measured, .n = all, .set = set,
                                .only = way == 1 ? &which : NULL,
                                .without = way == 2 ? &which : NULL};
        const sgdfit_status status = sgdfit_errors(&of, work, sizeof work, &e);
        CHECK_STATUS(status, n > 0 ? SGDFIT_OK : SGDFIT_BAD_ARGUMENT);
        if (n == 0) continue;
        CHECK(e.rows == n && fabs(e.bias - bias / (double)n) < 1e-12);
        CHECK(fabs(e.mean - sum / (double)n) < 1e-12);
        CHECK(fabs(e.median - quantile_of(size, n, 0.5)) < 1e-12);
        CHECK(fabs(e.p5 - quantile_of(size, n, 0.05)) < 1e-12);
        CHECK(fabs(e.p95 - quantile_of(size, n, 0.95)) < 1e-12);
        CHECK(fabs(e.max - quantile_of(size, n, 1.0)) < 1e-12);
    }
}

TEST(epochs_lie_on_the_line_between_two_points)
{
    for (int trial = 0; trial < TEST_SIZE(2000, 20000); trial++) {
        const sgdfit_epochs_by by = (sgdfit_epochs_by)draw(SGDFIT_EPOCHS_BY_COUNT);
        const size_t points = 1 + draw(5);
        const int asynchronous = (int)draw(2), is_by_staleness = by == SGDFIT_EPOCHS_BY_STALENESS;
        double at[5], epochs[5], want = 0.0, got = -1.0;
        for (size_t i = 0; i < points; i++) {
            at[i] = (i > 0 ? at[i - 1] : draw(3) + !is_by_staleness) + (i > 0) * (1.0 + draw(4));
            epochs[i] = between(1.0, 9.0);
        }
        const double workers = 1.0 + draw(14), batch = draw(2) ? 1.0 + draw(14) : between(0.5, 9.0);
        const double x = by == SGDFIT_EPOCHS_BY_BATCH ? batch
            : by == SGDFIT_EPOCHS_BY_WORKERS || asynchronous ? workers : 1.0;
        for (size_t i = 0; i < points; i++) {
            const double low = at[i] + is_by_staleness;
            const double high = i + 1 < points ? at[i + 1] + is_by_staleness : low;
            if (x < low || x > high) continue;
            want = epochs[i];
            if (x > low) want += (epochs[i + 1] - epochs[i]) * log(x / low) / log(high / low);
        }
        const sgdfit_epochs table = {.by = by, .at = at, .epochs = epochs, .points = points};
        CHECK_STATUS(sgdfit_epochs_to_loss(&table, workers, batch, asynchronous, &got), SGDFIT_OK);
        CHECK_REL(got, want, 1e-12);
    }
}

TEST_MAIN("test_phases");
