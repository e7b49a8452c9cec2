/* test.h - the whole test framework. A test file is one program:
 *
 *     #include "test.h"
 *     TEST(halves_add_up) { CHECK_REL(0.5 + 0.5, 1.0, 1e-15); }
 *     int main(void) { RUN(halves_add_up); return test_report("test_sum"); }
 *
 * A failed check prints its place and both values to stderr and marks the running
 * test as failed, which goes on. The makefile adds up the last lines. */
#ifndef SGDPERF_TEST_H
#define SGDPERF_TEST_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static unsigned test_passed, test_failed, test_failures; /* failures: of one test */

#define TEST(name) static void name(void)

/* How often a test repeats itself: `quick` times in `make test`, `full` times in
 * `make check`, which sets TEST_FULL. */
#define TEST_SIZE(quick, full) (test_is_full() ? (full) : (quick))

static inline int test_is_full(void)
{
    const char *full = getenv("TEST_FULL");
    return full && full[0] != '\0' && strcmp(full, "0") != 0;
}

#define RUN(name) test_run(#name, name)

/* Takes its time at any size, and `make check` has it. */
#define RUN_FULL(name) (test_is_full() ? test_run(#name, name) : (void)0)

#define CHECK(cond) ((cond) ? (void)0 : test_fail(__FILE__, __LINE__, #cond))

/* |got - want| <= tol * |want|, or exactly equal; a NaN fails. */
#define CHECK_REL(got, want, tol) test_rel(__FILE__, __LINE__, #got, (got), (want), (tol))
#define CHECK_STATUS(call, status) \
    test_status(__FILE__, __LINE__, #call, (int)(call), #status, (int)(status))
#define CHECK_TEXT(got, want) test_text(__FILE__, __LINE__, #got, (got), (want))

static inline void test_fail(const char *file, int line, const char *what)
{
    test_failures++;
    fprintf(stderr, "%s:%d: failed: %s\n", file, line, what);
}

static inline void test_rel(const char *file, int line, const char *what, double got,
                            double want, double tol)
{
    const double error = got > want ? got - want : want - got;
    const double scale = want < 0.0 ? -want : want;
    if ((got <= want && got >= want) || error <= tol * scale) return;
    test_fail(file, line, what);
    fprintf(stderr, "    got %.17g, want %.17g, relative error %.2g > %.2g\n", got, want,
            error / scale, tol);
}

static inline void test_status(const char *file, int line, const char *what, int got,
                               const char *name, int want)
{
    if (got == want) return;
    test_fail(file, line, what);
    fprintf(stderr, "    got status %d, want %s (%d)\n", got, name, want);
}

static inline void test_text(const char *file, int line, const char *what, const char *got,
                             const char *want)
{
    if (got && strcmp(got, want) == 0) return;
    test_fail(file, line, what);
    fprintf(stderr, "    got \"%s\", want \"%s\"\n", got ? got : "(null)", want);
}

/* A number in [0, 1) that depends on the three alone: splitmix64, one after the other. */
static inline double test_uniform(uint64_t seed, uint64_t a, uint64_t b)
{
    const uint64_t key[3] = {0, a, b};
    uint64_t z = seed;
    int i;
    for (i = 0; i < 3; i++) {
        z = (z ^ key[i]) + UINT64_C(0x9E3779B97F4A7C15);
        z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
        z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
        z ^= z >> 31;
    }
    return (double)(z >> 11) / 9007199254740992.0;
}

/* Whether one of the words of TEST_ONLY, if set, is a part of the name. */
static inline int test_is_wanted(const char *name)
{
    const char *words = getenv("TEST_ONLY");
    char word[64];
    int length;
    if (!words || words[0] == '\0') return 1;
    for (; sscanf(words, "%63s%n", word, &length) == 1; words += length)
        if (strstr(name, word)) return 1;
    return 0;
}

/* With TEST_TIMES set, says how long each test takes. */
static inline void test_run(const char *name, void (*body)(void))
{
    const clock_t began = clock();
    if (!test_is_wanted(name)) return;
    test_failures = 0;
    body();
    if (getenv("TEST_TIMES"))
        printf("%8.2f s  %s\n", (double)(clock() - began) / CLOCKS_PER_SEC, name);
    if (test_failures == 0) { test_passed++; return; }
    test_failed++;
    fprintf(stderr, "    in test %s\n", name);
}

/* To be returned from main: 1 if any test failed. */
static inline int test_report(const char *file)
{
    printf("%s: %u passed, %u failed\n", file, test_passed, test_failed);
    return test_failed > 0;
}

#endif /* SGDPERF_TEST_H */
