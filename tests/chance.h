/* chance.h - random numbers of a test: the upper bits of a linear congruential generator.
 * CHANCE_SEED, defined before, is where it begins [1]. */
#ifndef TESTS_CHANCE_H
#define TESTS_CHANCE_H

#include <stdint.h>

#ifndef CHANCE_SEED
#define CHANCE_SEED 1
#endif

static uint64_t chance = CHANCE_SEED;

static inline uint64_t chance_next(void)
{
    return chance = chance * 6364136223846793005u + 1442695040888963407u;
}

/* In [0, 1). */
static inline double chance_unit(void)
{
    return (double)(chance_next() >> 11) / 9007199254740992.0;
}

static inline double random_below(double most) { return most * chance_unit(); }

static inline double between(double low, double high)
{
    return low + (high - low) * chance_unit();
}

/* A whole number below n. */
static inline uint32_t draw(uint32_t n) { return (uint32_t)(chance_next() >> 33) % n; }

#endif /* TESTS_CHANCE_H */
