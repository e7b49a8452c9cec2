/* Many comparisons that count as one check, and what they found on stdout. */
#ifndef TESTS_TALLY_H
#define TESTS_TALLY_H

#include "networks.h"
#include "test.h"

/* Many comparisons that count as one check. */
typedef struct tally {
    const char *what;
    double      limit;
    size_t      count, failed;
    double      worst, sum;
} tally;

static inline tally tally_of(const char *what, double limit)
{
    return (tally){.what = what, .limit = limit};
}

static inline void tally_add(tally *t, double error)
{
    if (!(error <= t->limit) && t->failed++ == 0)
        fprintf(stderr, "    %s: number %u is the first to fail, error %.3g > %.3g\n",
                t->what, (unsigned)t->count, error, t->limit);
    t->count++;
    t->sum += error;
    t->worst = larger(t->worst, error);
}

static inline void tally_print(const tally *t)
{
    printf("    %-44s %6u: largest %.2e, mean %.2e, allowed %.0e\n", t->what,
           (unsigned)t->count, t->worst, t->sum / (double)t->count, t->limit);
}

static inline void tally_check(const tally *t)
{
    tally_print(t);
    CHECK(t->failed == 0);
    CHECK(t->count > 0);
}

/* Solves; an error status counts as an infinite error. */
static inline double error_of(solver s, const box *b, const sgdp_mva_options *options,
                       const answer *want)
{
    answer got = answer_new(&b->net);
    const sgdp_status status = solve(s, &b->net, options, &got);
    const double error = status == SGDP_OK ? distance(&got, want, &b->net) : HUGE_VAL;
    answer_free(&got);
    return error;
}

static inline double exact_error(sgdp_method method, const box *b, const answer *want)
{
    sgdp_mva_options options = {.method = method};
    return error_of(EXACT, b, &options, want);
}

#endif
