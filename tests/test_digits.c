/* test_digits.c - numbers are written as printf would: %.Ng, and the fewest of 15 to 17
 * digits that read back
 *
 *     test_digits [numbers]      40000, 4000000 in full */

#include "base/digits.h"
#include "test.h"

#include <float.h>
#include <math.h>

static long numbers;

static uint64_t draw(uint64_t n) { return (uint64_t)(test_uniform(7, n, 1) * 4294967296.0); }

/* Of a kind: any bits, fractions, all powers, few digits, sums of few halvings, next to
 * powers of ten and at them, powers of two. */
static double number_of(uint64_t n)
{
    const double u = test_uniform(7, n, 2);
    const uint64_t r = draw(n);
    uint64_t bits;
    double x;
    switch (n % 8) {
    case 0:  bits = r << 32 ^ (uint64_t)(u * 9e18); memcpy(&x, &bits, sizeof x); return x;
    case 1:  return u;
    case 2:  return pow(10.0, 30.0 * u - 14.0);
    case 3:  return (double)(r % 100000) / 1000.0;
    case 4:  return ldexp((double)(r % 4096 + 1), -(int)(32.0 * u));
    case 5:  return (double)(r % 2000001) * 1e-6;
    case 6:  x = pow(10.0, (double)(r % 26) - 10.0);
             memcpy(&bits, &x, sizeof bits);
             bits += (uint64_t)(5.0 * u) - 2;
             memcpy(&x, &bits, sizeof x);
             return x;
    default: return ldexp(1.0, (int)(r % 80) - 40);
    }
}

static int writes(double value, int digits, char *text)
{
    snprintf(text, NUMBER_BYTES, "%.*g", digits, value);
    double read = strtod(text, NULL);
    return read <= value && read >= value;
}

TEST(digits_are_those_of_printf)
{
    char got[NUMBER_BYTES], want[NUMBER_BYTES];
    for (uint64_t n = 0; n < (uint64_t)numbers; n++) {
        const double x = (draw(n) >> 31 ? -1.0 : 1.0) * number_of(n);
        const int digits = 1 + (int)(draw(n + 1) % 17);
        double from, to;
        if (!(x >= -DBL_MAX && x <= DBL_MAX)) continue;
        size_t length = number_round(x, digits, got);
        snprintf(want, sizeof want, "%.*g", digits, x);
        CHECK_TEXT(got, want);
        CHECK(length == strlen(want));
        CHECK(number_round_most(x, digits, &from, &to) >= length);
        CHECK((from <= x && x < to) || (from <= 0.0 && to <= 0.0));
    }
}

TEST(the_shortest_that_reads_back_is_written)
{
    char got[NUMBER_BYTES], want[NUMBER_BYTES];
    for (uint64_t n = 0; n < (uint64_t)numbers; n++) {
        const double x = (draw(n) >> 31 ? -1.0 : 1.0) * number_of(n);
        if (!(x >= -DBL_MAX && x <= DBL_MAX)) continue;
        if (!writes(x, 15, want) && !writes(x, 16, want)) (void)writes(x, 17, want);
        CHECK(number_shortest(x, got) == strlen(want));
        CHECK_TEXT(got, want);
    }
}

TEST(whole_numbers_have_their_digits)
{
    static const uint64_t some[] = {
        0, 1, 9, 10, 99, 100, 12345, 1234567, 99999999, 100000000, 9999999999999999u,
        10000000000000000u, UINT64_MAX
    };
    char got[NUMBER_BYTES], want[NUMBER_BYTES];
    for (size_t i = 0; i < sizeof some / sizeof some[0]; i++) {
        snprintf(want, sizeof want, "%llu", (unsigned long long)some[i]);
        CHECK(number_integer(some[i], got) == strlen(want));
        CHECK_TEXT(got, want);
    }
    CHECK_TEXT(number_write(-0.0, got), "-0");
    CHECK_TEXT(number_write(0.0, got), "0");
}

/* Digits that no shorter way knows, and none at all, are those of printf. */
TEST(as_many_digits_as_there_are_are_written)
{
    char got[NUMBER_BYTES];
    double from = -1.0, to = -1.0;
    CHECK(number_round(-1234.5, 0, got) == 6);
    CHECK_TEXT(got, "-1e+03");
    CHECK(number_round(0.1, 20, got) == 22);
    CHECK_TEXT(got, "0.10000000000000000555");
    CHECK(number_round_most(5.0, 0, &from, &to) >= number_round(5.0, 0, got));
    CHECK(from <= 5.0 && to > 5.0);
}

int main(int argc, char **argv)
{
    numbers = argc > 1 ? atol(argv[1]) : TEST_SIZE(40000, 1500000);
    return test_all("test_digits");
}
