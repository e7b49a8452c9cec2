/* test.h - the whole test framework. A test file is one program:
 *
 *     #include "test.h"
 *     TEST(halves_add_up) { CHECK_REL(0.5 + 0.5, 1.0, 1e-15); }
 *     TEST_MAIN("test_sum");
 *
 * All tests run, in the order in which the file has them. A failed check prints its place
 * and both values to stderr and marks the running test as failed, which goes on. The
 * makefile adds up the last lines. */
#ifndef SGDPERF_TEST_H
#define SGDPERF_TEST_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static unsigned test_passed, test_failed, test_failures; /* failures: of one test */

typedef struct test_case { const char *name; void (*body)(void); int full; } test_case;

/* A test has the next number, by which test_all finds it: C has tentative definitions of
 * static objects, so that numbers without a test stay empty. TEST_FULL takes its time at any
 * size, and `make check` has it. */
#define TEST(name) TEST_AT(name, __COUNTER__, 0)
#define TEST_FULL(name) TEST_AT(name, __COUNTER__, 1)
#define TEST_AT(name, number, full) TEST_IS(name, number, full)
#define TEST_IS(name, number, full)                                  \
    static void name(void);                                          \
    static const test_case test_case_##number = {#name, name, full}; \
    static void name(void)

#define TEST_TEN(X, t)                                                  \
    X(t##0) X(t##1) X(t##2) X(t##3) X(t##4) X(t##5) X(t##6) X(t##7) X(t##8) X(t##9)
#define TEST_NUMBERS(X)                                                             \
    TEST_TEN(X, ) TEST_TEN(X, 1) TEST_TEN(X, 2) TEST_TEN(X, 3) TEST_TEN(X, 4)       \
    TEST_TEN(X, 5) TEST_TEN(X, 6) TEST_TEN(X, 7) TEST_TEN(X, 8) TEST_TEN(X, 9)      \
    TEST_TEN(X, 10)
#define TEST_DECLARED(number) static const test_case test_case_##number;
TEST_NUMBERS(TEST_DECLARED)

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

/* The mixing function of splitmix64. */
static inline uint64_t test_mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

/* A number in [0, 1) that depends on the three alone: splitmix64, one after the other. */
static inline double test_uniform(uint64_t seed, uint64_t a, uint64_t b)
{
    const uint64_t key[3] = {0, a, b};
    uint64_t z = seed;
    int i;
    for (i = 0; i < 3; i++) z = test_mix((z ^ key[i]) + UINT64_C(0x9E3779B97F4A7C15));
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

/* To be returned from main: runs all tests, and tells how many passed. */
static inline int test_all(const char *file)
{
#define TEST_LISTED(number) &test_case_##number,
    static const test_case *const list[] = {TEST_NUMBERS(TEST_LISTED)};
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
        if (list[i]->body && (!list[i]->full || test_is_full()))
            test_run(list[i]->name, list[i]->body);
    return test_report(file);
}

#define TEST_MAIN(file) int main(void) { return test_all(file); } typedef int test_main

#endif /* SGDPERF_TEST_H */
