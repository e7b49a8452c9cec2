/* digits.h - numbers to text */
#ifndef TOOLS_BASE_DIGITS_H
#define TOOLS_BASE_DIGITS_H

#include <stddef.h>
#include <stdint.h>

/* The finite value with the fewest of 15 to 17 digits that number_parse reads as the
 * same double; returns text. */
enum { NUMBER_BYTES = 40 };
const char *number_write(double value, char text[NUMBER_BYTES]);

/* number_write, %.*g of printf and a whole number; they return the length. */
size_t number_shortest(double value, char text[NUMBER_BYTES]);
size_t number_round(double value, int digits, char text[NUMBER_BYTES]);
size_t number_integer(uint64_t value, char text[NUMBER_BYTES]);

/* So long number_round's text is at most of all numbers in [from, to), the decade of the value;
 * NUMBER_BYTES and an empty one where that is not quickly said. */
size_t number_round_most(double value, int digits, double *from, double *to);

#endif /* TOOLS_BASE_DIGITS_H */
