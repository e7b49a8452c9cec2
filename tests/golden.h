/* golden.h - the numbers of a file of golden results, between blanks */
#ifndef TESTS_GOLDEN_H
#define TESTS_GOLDEN_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* The next word as a number; NaN if it is none. */
static inline double number(FILE *file)
{
    char text[64], *end;
    double value;
    if (fscanf(file, "%63s", text) != 1) return (double)NAN;
    value = strtod(text, &end);
    return *end == '\0' ? value : (double)NAN;
}

/* The next word as a whole number of at most 1e9; 0 if it is none. */
static inline size_t whole(FILE *file)
{
    const double value = number(file);
    return value >= 0.0 && value <= 1e9 ? (size_t)value : 0;
}

#endif
