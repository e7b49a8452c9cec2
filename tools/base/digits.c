/* digits.c - numbers to text: what %.Ng of printf and the shortest of 15 to 17 digits say */

#include "base/digits.h"


#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Digits, exactly ------------------------------------------------------- */

enum { MOST_DIGITS = 17, MOST_FIVES = 27 };

static const uint64_t tens[MOST_DIGITS + 1] = {
    1u, 10u, 100u, 1000u, 10000u, 100000u, 1000000u, 10000000u, 100000000u, 1000000000u,
    UINT64_C(10000000000), UINT64_C(100000000000), UINT64_C(1000000000000),
    UINT64_C(10000000000000), UINT64_C(100000000000000), UINT64_C(1000000000000000),
    UINT64_C(10000000000000000), UINT64_C(100000000000000000)
};

static const uint64_t fives[MOST_FIVES + 1] = {
    1u, 5u, 25u, 125u, 625u, 3125u, 15625u, 78125u, 390625u, 1953125u, 9765625u, 48828125u,
    244140625u, 1220703125u, UINT64_C(6103515625), UINT64_C(30517578125),
    UINT64_C(152587890625), UINT64_C(762939453125), UINT64_C(3814697265625),
    UINT64_C(19073486328125), UINT64_C(95367431640625), UINT64_C(476837158203125),
    UINT64_C(2384185791015625), UINT64_C(11920928955078125), UINT64_C(59604644775390625),
    UINT64_C(298023223876953125), UINT64_C(1490116119384765625), UINT64_C(7450580596923828125)
};

/* 10^(i - 15), as near as doubles are */
static const double power[] = {
    1e-15, 1e-14, 1e-13, 1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3,
    1e-2, 1e-1, 1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13,
    1e14, 1e15, 1e16, 1e17, 1e18
};

/* A positive number: (digits + rest / 2^shift) / 10^places, where 10^16 <= digits < 10^17. */
typedef struct decimal {
    uint64_t digits, rest;
    unsigned shift, places;
    uint64_t mantissa;
} decimal;

/* The product of 64 bits each. */
static void multiply(uint64_t a, uint64_t b, uint64_t *high, uint64_t *low)
{
#ifdef __SIZEOF_INT128__
    __extension__ typedef unsigned __int128 wide;
    const wide product = (wide)a * b;
    *high = (uint64_t)(product >> 64);
    *low = (uint64_t)product;
#else
    const uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
    const uint64_t p00 = a0 * b0, p01 = a0 * b1, p10 = a1 * b0;
    const uint64_t middle = (p00 >> 32) + (uint32_t)p01 + (uint32_t)p10;
    *high = a1 * b1 + (p01 >> 32) + (p10 >> 32) + (middle >> 32);
    *low = a * b;
#endif
}

/* With so many places; x is mantissa 2^-binary, and the shift will be 1 to 63. */
static inline void scale(decimal *d, unsigned binary, unsigned places)
{
    uint64_t high, low;
    multiply(d->mantissa, fives[places], &high, &low);
    d->places = places;
    d->shift = binary - places;
    d->digits = high << (64 - d->shift) | low >> d->shift;
    d->rest = low & ((UINT64_C(1) << d->shift) - 1);
}

/* floor(log10 x) of x in [1e-10, 1e15), or one less. */
static int tens_below(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    int exponent = (int)(bits >> 52) - 1023;
    return (exponent * 1233 + 4096 * 64) / 4096 - 64; /* 1233 / 4096 = log10 2, rising       */
}

/* floor(log10 x), but for x a power of ten, of which it may be one less. */
static inline int tens_of(double x)
{
    const int below = tens_below(x);
    return below + (x >= power[16 + below]);
}

/* x in [1e-10, 1e15), 17 digits of it and what is left: m 5^k 2^(e + k) of x = m 2^e is
 * exact in 128 bits. 0: x is not in there. */
static inline int split(double x, decimal *d)
{
    const uint64_t one = UINT64_C(1) << 52;
    uint64_t bits;
    if (!(x >= 1e-10 && x < 1e15)) return 0;
    memcpy(&bits, &x, sizeof bits);
    unsigned binary = 52 + 1023 - (unsigned)(bits >> 52);
    unsigned places = (unsigned)(16 - tens_of(x));
    d->mantissa = (bits & (one - 1)) | one;
    scale(d, binary, places);
    if (d->digits < tens[MOST_DIGITS - 1]) scale(d, binary, places + 1);
    if (d->digits >= tens[MOST_DIGITS]) scale(d, binary, places - 1);
    assert(d->digits >= tens[MOST_DIGITS - 1] && d->digits < tens[MOST_DIGITS]);
    return 1;
}

/* The nearest of the multiples of `unit`, a power of ten, to even at a tie. */
static inline uint64_t nearest_of(const decimal *d, uint64_t unit)
{
    const uint64_t whole = d->digits / unit, below = d->digits % unit, half = unit / 2;
    const int up = below > half || (below == half && (d->rest > 0 || whole % 2 == 1));
    return (whole + (uint64_t)up) * unit;
}

/* The nearest number of `digits` digits, as so many digits at the front of 17; 10^17 where
 * it gains one. Quotients of constants are products. */
static uint64_t nearest(const decimal *d, int digits)
{
    const uint64_t middle = UINT64_C(1) << (d->shift - 1);
    switch (digits) {
    case 15: return nearest_of(d, 100);
    case 16: return nearest_of(d, 10);
    case 17: return d->digits + (d->rest > middle || (d->rest == middle && d->digits % 2));
    default: return nearest_of(d, tens[MOST_DIGITS - digits]);
    }
}

static inline uint64_t distance(const decimal *d, uint64_t number)
{
    return number > d->digits ? number - d->digits : d->digits - number;
}

/* Half the last bit of x, rounded down. */
static inline uint64_t half_bit(const decimal *d) { return fives[d->places] >> d->shift >> 1; }

/* Is the number, which is next to x, read as x? In units of 2^-shift half the last bit of x is
 * 5^places / 2, and what lies between both a whole number. There are no ties: half a bit more
 * than x is odd / 2^n, n > 0, and has 17 digits. Not of a power of two, below which the last bit
 * is half as much. */
static inline int reads_back(const decimal *d, uint64_t number)
{
    const uint64_t off = ((number - d->digits) << d->shift) - d->rest;
    const uint64_t size = off >> 63 ? 0 - off : off;
    assert(distance(d, number) <= half_bit(d) + 6 && d->shift <= 60);
    return size << 1 < fives[d->places];
}

/* ---- Text ------------------------------------------------------------------ */

static const char pairs[] =
    "0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243"
    "4445464748495051525354555657585960616263646566676869707172737475767778798081828384858687"
    "888990919293949596979899";

/* Two digits of a number below 100; eight of one below 10^8. */
static void write_two(uint32_t number, char *text) { memcpy(text, pairs + 2 * number, 2); }

static void write_eight(uint32_t number, char *text)
{
    const uint32_t high = number / 10000, low = number % 10000;
    write_two(high / 100, text);
    write_two(high % 100, text + 2);
    write_two(low / 100, text + 4);
    write_two(low % 100, text + 6);
}

/* floor(log10 value) below 10^8; 0 of 0 */
static size_t magnitude(uint32_t value)
{
    return (size_t)(value >= 10) + (value >= 100) + (value >= 1000) + (value >= 10000) +
           (value >= 100000) + (value >= 1000000) + (value >= 10000000);
}

size_t number_integer(uint64_t value, char text[NUMBER_BYTES])
{
    char digits[24];
    size_t first = 0, count;
    if (value < tens[8]) {
        char eight[16] = "";
        count = 1 + magnitude((uint32_t)value);
        write_eight((uint32_t)value, eight);
        memcpy(text, eight + 8 - count, 8);
        text[count] = '\0';
        return count;
    }
    write_eight((uint32_t)(value / tens[16]), digits);
    write_eight((uint32_t)(value / tens[8] % tens[8]), digits + 8);
    write_eight((uint32_t)(value % tens[8]), digits + 16);
    while (digits[first] == '0') first++;
    count = sizeof digits - first;
    memset(text, 0, sizeof digits + 1);
    memcpy(text, digits + first, count);
    return count;
}

/* How many of the first `most` digits are left without the zeros at their end. */
static size_t without_zeros(const char *digits, size_t most)
{
    while (most > 1 && digits[most - 1] == '0') most--;
    return most;
}

/* The first `count` of 24 digits, 10^exponent being the place of the first, as %.*g has
 * them of so many as `most`. Whole pieces are copied, which the next one then covers. */
static size_t lay_out(const char *digits, size_t count, int exponent, int most, char *text)
{
    const size_t size = (size_t)(exponent < 0 ? -exponent : exponent), whole = size + 1;
    size_t length;
    if (exponent < -4 || exponent >= most) {
        text[0] = digits[0];
        text[1] = '.';
        memcpy(text + 2, digits + 1, 16);
        length = count > 1 ? count + 1 : 1;
        text[length] = 'e';
        text[length + 1] = exponent < 0 ? '-' : '+';
        write_two((uint32_t)size, text + length + 2);
        length += 4;
    } else if (exponent < 0) {
        memcpy(text, "0.0000", 6);
        memcpy(text + whole, digits, 24);
        length = whole + count;
    } else {
        memcpy(text, digits, 24);
        length = whole;
        if (count > whole) {
            text[whole] = '.';
            memcpy(text + whole + 1, digits + whole, 8);
            memcpy(text + whole + 9, digits + whole + 8, 8);
            length = count + 1;
        }
    }
    text[length] = '\0';
    return length;
}

/* Of a number of 17 digits or 10^17 those the first `most`,
 * without zeros at their end. */
static size_t lay_out_decimal(uint64_t number, unsigned places, int most, char *text)
{
    int exponent = MOST_DIGITS - 1 - (int)places;
    char digits[48];
    if (number >= tens[MOST_DIGITS]) { number /= 10; exponent++; }
    uint32_t high = (uint32_t)(number / tens[8]);
    uint32_t low = (uint32_t)(number - high * tens[8]);
    digits[0] = (char)('0' + high / (uint32_t)tens[8]);
    write_eight(high % (uint32_t)tens[8], digits + 1);
    write_eight(low, digits + 9);
    memset(digits + 17, 0, 16);
    return lay_out(digits, without_zeros(digits, (size_t)most), exponent, most, text);
}

/* Up to 8 digits, where a product of doubles tells on which side of a tie x is; else 0. */
static inline size_t round_quickly(double x, int most, char *text)
{
    char digits[32];
    if (!(x >= 1e-10 && x < 1e15)) return 0;
    int exponent = tens_of(x);
    double scaled = x * power[15 + most - 1 - exponent];
    uint32_t number = (uint32_t)scaled;
    double off = scaled - (double)number;
    if (fabs(off - 0.5) < 1e-6) return 0;
    number += off > 0.5;
    if (number >= tens[most]) { number /= 10; exponent++; }
    write_eight(number * (uint32_t)tens[8 - most], digits);
    memset(digits + 8, '0', 24);
    return lay_out(digits, without_zeros(digits, (size_t)most), exponent, most, text);
}

size_t number_round(double value, int digits, char text[NUMBER_BYTES])
{
    const size_t sign = value < 0.0;
    const double x = fabs(value);
    decimal d;
    assert(digits >= 0);
    *text = '-';
    size_t quick = digits >= 1 && digits <= 8 ? round_quickly(x, digits, text + sign) : 0;
    if (quick > 0) return sign + quick;
    if (digits >= 1 && digits <= MOST_DIGITS && split(x, &d))
        return sign + lay_out_decimal(nearest(&d, digits), d.places, digits, text + sign);
    int length = snprintf(text, NUMBER_BYTES, "%.*g", digits, value);
    return length > 0 ? (size_t)length : 0;
}

size_t number_round_most(double value, int digits, double *from, double *to)
{
    const size_t most = digits > 0 ? (size_t)digits : 1;
    *from = *to = 0.0;
    if (!(value >= 1e-10 && value < 1e15) || digits > 15) return NUMBER_BYTES;
    int exponent = tens_of(value);
    *from = power[15 + exponent];
    *to = power[16 + exponent];
    assert(value >= *from && value < *to);
    if (exponent < -4 || exponent + 1 >= digits) return most + 5;
    return exponent < 0 ? most + 1 + (size_t)-exponent : most + 1;
}

static int writes(double value, int digits, char text[NUMBER_BYTES])
{
    snprintf(text, NUMBER_BYTES, "%.*g", digits, value);
    double read = strtod(text, NULL);
    return read <= value && read >= value;
}

/* 17 digits always do. If 15 do, 16 do: of those with 16 none is closer than what is
 * printed. Most numbers that were computed need 16 or 17, so 16 are tried first. */
static size_t write_slowly(double value, char text[NUMBER_BYTES])
{
    char brief[NUMBER_BYTES];
    if (!writes(value, 16, text)) snprintf(text, NUMBER_BYTES, "%.17g", value);
    else if (writes(value, 15, brief)) memcpy(text, brief, NUMBER_BYTES);
    return strlen(text);
}

/* Is one of the two numbers of 15 digits next to x within 12 units of the last of 17 digits, as
 * those are that read as x? */
static inline int may_be_brief(const decimal *d)
{
    return d->digits % 100 + 12 >= 100 || d->digits % 100 <= 12;
}

static size_t write_shortest(double value, char text[NUMBER_BYTES])
{
    decimal d;
    int digits = 16;
    if (!(value > 0.0) || !split(value, &d)) return write_slowly(value, text);
    if (d.mantissa == UINT64_C(1) << 52) return write_slowly(value, text);
    uint64_t number = nearest_of(&d, 10);
    if (!reads_back(&d, number)) {
        number = nearest(&d, 17);
        digits = 17;
    } else if (may_be_brief(&d)) {
        const uint64_t brief = nearest_of(&d, 100);
        if (distance(&d, brief) <= half_bit(&d) + 1 && reads_back(&d, brief)) {
            number = brief;
            digits = 15;
        }
    }
    return lay_out_decimal(number, d.places, digits, text);
}

size_t number_shortest(double value, char text[NUMBER_BYTES])
{
    uint64_t bits;
    if (value >= 1.0 && value < 1e15 && !(value > (double)(int64_t)value))
        return number_integer((uint64_t)value, text);
    memcpy(&bits, &value, sizeof bits);
    return bits == 0 ? number_integer(0, text) : write_shortest(value, text);
}

const char *number_write(double value, char text[NUMBER_BYTES])
{
    number_shortest(value, text);
    return text;
}
