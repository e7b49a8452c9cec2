/* fuzz.h - what fuzz targets share: numbers from bytes, a claim, and a main where no
 * fuzzing engine brings one
 *
 * A target defines LLVMFuzzerTestOneInput and ends in FUZZ_MAIN(name, seed, ...). With
 * FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION, the macro that fuzzing engines agree on,
 * the engine brings main and finds the inputs, from the seeds on: run it with
 * -len_control=0, or it begins with a few bytes of them. Otherwise the program runs the
 * files it is given, or, given none, many mutations of the seeds, always the same, and
 * reports as one test: many times as many with TEST_FULL=1. The seed "" stands for bytes at
 * random. A crash or a sanitizer's finding is the failure. */
#ifndef SGDPERF_FUZZ_H
#define SGDPERF_FUZZ_H

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What must hold for any input. */
#define require(condition) \
    ((condition) ? (void)0 : fuzz_broken(__FILE__, __LINE__, #condition))

static char fuzz_doing[80]; /* what it was about, where that is known */

static inline void fuzz_broken(const char *file, int line, const char *what)
{
    fprintf(stderr, "%s:%d: broken: %s %s\n", file, line, what, fuzz_doing);
    abort();
}

/* An area of just this size, so that writes past it are seen, and with dirt. */
static inline void *fuzz_area(size_t size, int dirt)
{
    void *area = malloc(size > 0 ? size : 1);
    require(area != NULL);
    memset(area, dirt, size);
    return area;
}

/* ---- Numbers from bytes ------------------------------------------------------------ */

/* An input, read byte by byte: zeros after the last one. */
typedef struct fuzz_bytes { const uint8_t *data; size_t size, at; } fuzz_bytes;

static inline fuzz_bytes fuzz_read(const uint8_t *data, size_t size)
{
    return (fuzz_bytes){.data = data, .size = size, .at = 0};
}

static inline int fuzz_more(const fuzz_bytes *b) { return b->at < b->size; }

static inline unsigned fuzz_byte(fuzz_bytes *b) { return fuzz_more(b) ? b->data[b->at++] : 0; }

/* From one byte: one of the `odds` odd numbers, each for one of the largest bytes, else an
 * ordinary number, one of 0, 1/16 ... 60/16. */
static inline double fuzz_pick(fuzz_bytes *b, const double *odd, unsigned odds)
{
    const unsigned code = fuzz_byte(b);
    return code >= 256 - odds ? odd[code - (256 - odds)] : (double)(code % 61) / 16.0;
}

/* Mostly an ordinary number, sometimes what no time or size should be. */
static inline double fuzz_number(fuzz_bytes *b)
{
    const double odd[] = {0.0,   -0.0,    -1.0,     5e-324,   DBL_MIN,   1e-300,
                          1e300, DBL_MAX, -DBL_MAX, HUGE_VAL, -HUGE_VAL, (double)NAN};
    return fuzz_pick(b, odd, sizeof odd / sizeof odd[0]);
}

/* ---- Running ----------------------------------------------------------------------- */

#define FUZZ_SEEDS (sizeof fuzz_seeds / sizeof fuzz_seeds[0])

#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
#define FUZZ_MAIN(name, ...)                                                \
    static const char *const fuzz_seeds[] = {__VA_ARGS__};                  \
    size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room,     \
                                   unsigned random)                         \
    {                                                                       \
        return fuzz_from_seed(fuzz_seeds[random % FUZZ_SEEDS], data, size, room); \
    }                                                                       \
    typedef int fuzz_main_by_engine

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room); /* the engine's own */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned random);

/* The engine without a corpus begins at one byte, which gives way to a seed. */
static size_t fuzz_from_seed(const char *seed, uint8_t *data, size_t size, size_t room)
{
    const size_t length = strlen(seed);
    if (size > 1) return LLVMFuzzerMutate(data, size, room);
    size = length < room ? length : room;
    memcpy(data, seed, size);
    return size > 0 ? size : LLVMFuzzerMutate(data, size, room);
}
#else
#define FUZZ_MAIN(name, ...)                                                \
    static const char *const fuzz_seeds[] = {__VA_ARGS__};                  \
    int main(int argc, char **argv)                                         \
    {                                                                       \
        return fuzz_main(name, fuzz_seeds, FUZZ_SEEDS, argc, argv);         \
    }                                                                       \
    typedef int fuzz_main_by_hand

/* A target whose inputs take long sets fewer. */
#ifndef FUZZ_RUNS
#define FUZZ_RUNS 4000
#endif
enum { FUZZ_FULL = 8, FUZZ_BYTES = 4096, FUZZ_RANDOM_BYTES = 200 };

/* What is to be asked when a target's own main has run all its inputs; may be NULL. */
static void (*fuzz_at_end)(const void *of);
static const void *fuzz_at_end_of;

/* splitmix64: the same inputs everywhere. */
static uint64_t fuzz_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

/* One change: a byte replaced by any or by an interesting one, a piece cut out, or a
 * piece repeated. Returns the new size. */
static size_t fuzz_mutate(uint8_t *data, size_t size, uint64_t *state)
{
    static const char interesting[] = "\",\n\r#-+.e019 \t\xEF\xBB\xBF\x80";
    const size_t at = size > 0 ? (size_t)(fuzz_random(state) % size) : 0;
    const size_t most = size - at, length = most > 0 ? (size_t)(fuzz_random(state) % most) : 0;
    switch (fuzz_random(state) % 4) {
    case 0:
        if (size > 0) data[at] = (uint8_t)fuzz_random(state);
        return size;
    case 1:
        if (size > 0)
            data[at] = (uint8_t)interesting[fuzz_random(state) % (sizeof interesting - 1)];
        return size;
    case 2:
        memmove(data + at, data + at + length, most - length);
        return size - length;
    default:
        if (length > FUZZ_BYTES - size) return size;
        memmove(data + at + length, data + at, most);
        return size + length;
    }
}

/* Bytes at random, mostly without those of 240 and more, which have rare meanings. */
static size_t fuzz_fill(uint8_t *data, uint64_t *state)
{
    const size_t size = (size_t)(fuzz_random(state) % FUZZ_RANDOM_BYTES);
    const unsigned values = fuzz_random(state) % 5 > 0 ? 240 : 256;
    for (size_t i = 0; i < size; i++) data[i] = (uint8_t)(fuzz_random(state) % values);
    return size;
}

static void fuzz_file(const char *path)
{
    static uint8_t data[1 << 20];
    FILE *file = fopen(path, "rb");
    if (!file) { perror(path); exit(1); }
    LLVMFuzzerTestOneInput(data, fread(data, 1, sizeof data, file));
    fclose(file);
}

static int fuzz_runs(void)
{
    const char *full = getenv("TEST_FULL");
    return full && full[0] != '\0' && strcmp(full, "0") != 0 ? FUZZ_FULL * FUZZ_RUNS : FUZZ_RUNS;
}

static int fuzz_main(const char *name, const char *const *seeds, size_t count, int argc,
                     char **argv)
{
    const int runs = argc < 2 ? fuzz_runs() : 0;
    uint64_t state = 1;
    for (int i = 1; i < argc; i++) fuzz_file(argv[i]);
    for (int run = 0; run < runs; run++) {
        const char *seed = seeds[fuzz_random(&state) % count];
        const uint64_t changes = fuzz_random(&state) % 8;
        size_t size = strlen(seed);
        uint8_t data[FUZZ_BYTES], *exact;
        uint64_t change;
        memcpy(data, seed, size);
        if (size == 0) size = fuzz_fill(data, &state);
        for (change = 0; change < changes; change++) size = fuzz_mutate(data, size, &state);
        exact = (uint8_t *)malloc(size > 0 ? size : 1); /* so that overreads are seen */
        if (!exact) return 1;
        memcpy(exact, data, size);
        LLVMFuzzerTestOneInput(exact, size);
        free(exact);
    }
    if (runs > 0 && fuzz_at_end) fuzz_at_end(fuzz_at_end_of);
    printf("%s: 1 passed, 0 failed\n", name);
    return 0;
}
#endif

#endif /* SGDPERF_FUZZ_H */
