/* numbers.c - text to numbers and quantities */
#include "base/numbers.h"

#include "base/tool.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>
#ifndef FLT_EVAL_METHOD
#define FLT_EVAL_METHOD (-1)           /* tcc's float.h does not tell                */
#endif

typedef struct number_suffix {
    number_unit unit;
    const char *text;
    double      scale;        /* what one of it is in the unit's default            */
    double      divisor;      /* two factors: 1e3 / 8 and 1 / 1e9 stay exact        */
} number_suffix;

static const number_suffix number_suffixes[] = {
    {UNIT_COUNT, "k", 1e3, 1.0},           {UNIT_COUNT, "M", 1e6, 1.0},
    {UNIT_COUNT, "G", 1e9, 1.0},
    {UNIT_TIME, "ns", 1.0, 1e9},           {UNIT_TIME, "us", 1.0, 1e6},
    {UNIT_TIME, "ms", 1.0, 1e3},           {UNIT_TIME, "s", 1.0, 1.0},
    {UNIT_TIME, "min", 60.0, 1.0},         {UNIT_TIME, "h", 3600.0, 1.0},
    {UNIT_TIME, "d", 86400.0, 1.0},        {UNIT_SIZE, "B", 1.0, 1.0},
    {UNIT_SIZE, "kB", 1e3, 1.0},           {UNIT_SIZE, "MB", 1e6, 1.0},
    {UNIT_SIZE, "GB", 1e9, 1.0},           {UNIT_SIZE, "TB", 1e12, 1.0},
    {UNIT_SIZE, "KiB", 1024.0, 1.0},       {UNIT_SIZE, "MiB", 1048576.0, 1.0},
    {UNIT_SIZE, "GiB", 1073741824.0, 1.0}, {UNIT_SIZE, "TiB", 1099511627776.0, 1.0},
    {UNIT_BANDWIDTH, "bps", 1.0, 8.0},     {UNIT_BANDWIDTH, "kbps", 1e3, 8.0},
    {UNIT_BANDWIDTH, "Mbps", 1e6, 8.0},    {UNIT_BANDWIDTH, "Gbps", 1e9, 8.0},
    {UNIT_BANDWIDTH, "Tbps", 1e12, 8.0},   {UNIT_BANDWIDTH, "b/s", 1.0, 8.0},
    {UNIT_BANDWIDTH, "kb/s", 1e3, 8.0},    {UNIT_BANDWIDTH, "Mb/s", 1e6, 8.0},
    {UNIT_BANDWIDTH, "Gb/s", 1e9, 8.0},    {UNIT_BANDWIDTH, "Tb/s", 1e12, 8.0},
    {UNIT_BANDWIDTH, "bit/s", 1.0, 8.0},   {UNIT_BANDWIDTH, "kbit/s", 1e3, 8.0},
    {UNIT_BANDWIDTH, "Mbit/s", 1e6, 8.0},  {UNIT_BANDWIDTH, "Gbit/s", 1e9, 8.0},
    {UNIT_BANDWIDTH, "Tbit/s", 1e12, 8.0}, {UNIT_BANDWIDTH, "B/s", 1.0, 1.0},
    {UNIT_BANDWIDTH, "kB/s", 1e3, 1.0},    {UNIT_BANDWIDTH, "MB/s", 1e6, 1.0},
    {UNIT_BANDWIDTH, "GB/s", 1e9, 1.0},    {UNIT_BANDWIDTH, "TB/s", 1e12, 1.0},
    {UNIT_BANDWIDTH, "KiB/s", 1024.0, 1.0}, {UNIT_BANDWIDTH, "MiB/s", 1048576.0, 1.0},
    {UNIT_BANDWIDTH, "GiB/s", 1073741824.0, 1.0},
};

static const char *skip_digits(const char *p)
{
    while (*p >= '0' && *p <= '9') p++;
    return p;
}

/* Just behind the longest decimal number at the start of text; text itself if none.
 * strtod alone would also take "inf", "0x1p3" and leading blanks. */
static const char *number_end(const char *text)
{
    const char *p = text, *digits, *end;
    if (*p == '+' || *p == '-') p++;
    digits = p;
    p = skip_digits(p);
    size_t mantissa = (size_t)(p - digits);
    if (*p == '.') {
        digits = p + 1;
        p = skip_digits(digits);
        mantissa += (size_t)(p - digits);
    }
    if (mantissa == 0) return text;
    if (*p == 'e' || *p == 'E') {
        digits = p + 1;
        if (*digits == '+' || *digits == '-') digits++;
        end = skip_digits(digits);
        if (end > digits) p = end;
    }
    return p;
}

/* Whole numbers up to 2^53 and powers of ten up to 10^22 are doubles, whose quotient is rounded
 * once [Clinger 1990]. */
int number_decimal(const char *text, const char *end, double *value)
{
    static const double ten_to[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8, 1e9,
                                    1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18};
    const char *p = text + (*text == '+' || *text == '-'), *point = end;
    uint64_t whole = 0;
    if (FLT_EVAL_METHOD != 0 || (size_t)(end - p) > COUNT_OF(ten_to)) return 0;
    for (; p < end; p++) {
        if (*p == '.') point = p + 1;
        else if (*p < '0' || *p > '9') return 0;
        else whole = 10 * whole + (uint64_t)(*p - '0');
    }
    if (whole > UINT64_C(1) << 53) return 0;
    *value = (double)whole / ten_to[end - point];
    if (*text == '-') *value = -*value;
    return 1;
}

static double number_value(const char *text, const char *end)
{
    double value;
    return number_decimal(text, end, &value) ? value : strtod(text, NULL);
}

static const char *number_check(double value, number_rule rule)
{
    if (!(value >= -DBL_MAX && value <= DBL_MAX)) return "is too large";
    switch (rule) {
    case NUMBER_ANY:
        return NULL;
    case NUMBER_NON_NEGATIVE:
        return value < 0.0 ? "is negative" : NULL;
    case NUMBER_POSITIVE:
        if (value < 0.0) return "is negative";
        return value > 0.0 ? NULL : "is not positive";
    case NUMBER_FRACTION:
        return value < 0.0 || value > 1.0 ? "is not between 0 and 1" : NULL;
    }
    return NULL;
}

static char lower(char c) { return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c); }

/* But for small and capital letters, which tell bits from bytes and milli from mega, is it
 * this one alone? */
static int is_but_for_case(const char *a, const char *b)
{
    while (*a != '\0' && lower(*a) == lower(*b)) { a++; b++; }
    return *a == *b;
}

/* Is text this one of bytes a second, as "GBps" is GB/s? */
static int is_bytes_per_s(const char *known, const char *text)
{
    const size_t length = strlen(known);
    return length >= 3 && strcmp(known + length - 3, "B/s") == 0 && strlen(text) == length &&
           strncmp(known, text, length - 2) == 0 && strcmp(text + length - 2, "ps") == 0;
}

/* Of what stands behind a number: what is wrong, and which unit it may be. */
static const char *unknown_unit(const char *text, number_unit unit)
{
    const char *near[2] = {NULL, NULL}, *known;
    size_t n = 0;
    for (size_t i = 0; i < COUNT_OF(number_suffixes) && n < COUNT_OF(near); i++)
        if (number_suffixes[i].unit == unit && (is_bytes_per_s(number_suffixes[i].text, text) ||
                                                is_but_for_case(number_suffixes[i].text, text)))
            near[n++] = number_suffixes[i].text;
    known = unit == UNIT_COUNT ? "k M G" : unit == UNIT_TIME ? "ns us ms s min h d"
          : unit == UNIT_SIZE ? "B kB MB GB TB KiB MiB GiB TiB"
          : "bps kbps Mbps Gbps Tbps, also as Gbit/s or Gb/s; B/s kB/s MB/s GB/s MiB/s GiB/s";
    return tool_text("has an unknown unit (use %s)%s%s%s%s%s", known,
                     n > 0 ? "; did you mean " : "", n > 0 ? near[0] : "", n > 1 ? " or " : "",
                     n > 1 ? near[1] : "", n > 0 ? "?" : "");
}

const char *number_quantity(const char *text, number_unit unit, number_rule rule,
                            double *value)
{
    const char *end = number_end(text), *wrong;
    size_t i;
    if (*text == '\0') return "is empty";
    if (end == text) return "is not a number";
    double number = number_value(text, end);
    if (*end == ',' && end[1] >= '0' && end[1] <= '9')
        return "has a comma: write decimals with a point, as 0.5";
    if (*end != '\0') {
        if (unit == UNIT_NONE) return "is not a number";
        for (i = 0; i < COUNT_OF(number_suffixes); i++)
            if (number_suffixes[i].unit == unit && strcmp(number_suffixes[i].text, end) == 0)
                break;
        if (i == COUNT_OF(number_suffixes))
            return unknown_unit(end, unit);
        number = number * number_suffixes[i].scale / number_suffixes[i].divisor;
    }
    wrong = number_check(number, rule);
    if (!wrong) *value = number;
    return wrong;
}

const char *number_parse(const char *text, number_rule rule, double *value)
{
    return number_quantity(text, UNIT_NONE, rule, value);
}

int number_has_unit(const char *text)
{
    const char *end = number_end(text);
    if (end == text) return 0;
    end += strspn(end, " ");
    for (size_t i = 0; i < COUNT_OF(number_suffixes); i++)
        if (strcmp(number_suffixes[i].text, end) == 0) return 1;
    return 0;
}

const char *number_whole(const char *text, uint64_t min, uint64_t max, uint64_t *value)
{
    uint64_t whole = 0;
    if (*text == '\0') return "is empty";
    if (*skip_digits(text) != '\0')
        return min > 0 ? "is not a positive whole number" : "is not a whole number";
    for (const char *p = text; *p != '\0'; p++) {
        const uint64_t digit = (uint64_t)(*p - '0');
        if (whole > (UINT64_MAX - digit) / 10) return "is too large";
        whole = whole * 10 + digit;
    }
    if (whole == 0 && min > 0) return "is not a positive whole number";
    if (whole < min) return "is too small";
    if (whole > max) return "is too large";
    *value = whole;
    return NULL;
}

int number_compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}
