/* numbers.h - text to numbers and quantities */
#ifndef TOOLS_BASE_NUMBERS_H
#define TOOLS_BASE_NUMBERS_H

#include <stdint.h>

typedef enum number_rule {
    NUMBER_ANY = 0,           /* finite                                             */
    NUMBER_NON_NEGATIVE,
    NUMBER_POSITIVE,
    NUMBER_FRACTION           /* in [0, 1]                                          */
} number_rule;

typedef enum number_unit {    /* of a quantity on the command line, and its default */
    UNIT_NONE = 0,
    UNIT_COUNT,               /* k M G: 1e3, 1e6, 1e9                   1           */
    UNIT_TIME,                /* ns us ms s min h d                     s           */
    UNIT_SIZE,                /* B kB MB GB TB KiB MiB GiB TiB          B           */
    UNIT_BANDWIDTH            /* Gbps Gb/s Gbit/s, GB/s GiB/s and such  B/s         */
} number_unit;

/* Decimal text, all of it, to a number: no hexadecimal, infinity, NaN or blanks.
 * Returns NULL, or what is wrong as the end of a sentence about the text: "is
 * negative". *value is written only on NULL. */
const char *number_parse(const char *text, number_rule rule, double *value);
const char *number_quantity(const char *text, number_unit unit, number_rule rule,
                            double *value);
const char *number_whole(const char *text, uint64_t min, uint64_t max, uint64_t *value);

/* A decimal number up to `end`, where one division is exact to the last bit; 0: ask strtod. */
int number_decimal(const char *text, const char *end, double *value);

/* Is it a number with one of the units above, as "10ms"? */
int number_has_unit(const char *text);

/* For qsort: the smaller of two doubles first. */
int number_compare(const void *a, const void *b);

#endif /* TOOLS_BASE_NUMBERS_H */
