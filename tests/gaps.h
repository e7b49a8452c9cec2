/* gaps.h - included before a header in a build with the address sanitizer: a gap behind each
 * array of a work area, which nobody may read or write. So the sanitizer finds an access one past
 * the end of an array, which else meets the next array. Work areas grow by the gaps. In
 * sgdperf_sim.h the first array has none, and the arrays within a worker's record have none. */
#ifndef TESTS_GAPS_H
#define TESTS_GAPS_H

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TESTS_GAPS
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define TESTS_GAPS
#endif

#ifdef TESTS_GAPS
#include <stddef.h>                    /* alone: a test defines feature macros below    */

void __asan_poison_memory_region(const volatile void *from, size_t bytes);
void __asan_unpoison_memory_region(const volatile void *from, size_t bytes);
const char *__asan_locate_address(void *at, char *name, size_t name_bytes, void **from,
                                  size_t *bytes);

/* An area on the stack has no gaps, nor one that is too small, which a header refuses later. */
static inline int gap_fits(char *base, size_t bytes)
{
    char name[1];
    void *from = NULL;
    size_t size = 0;
    const char *kind = __asan_locate_address(base, name, sizeof name, &from, &size);
    return kind[0] != 's' && base >= (char *)from && base + bytes <= (char *)from + size;
}

static inline void gap_behind(char *base, size_t at, size_t bytes, size_t *used)
{
    const size_t gap = 32;
    if (*used > (size_t)-1 / 2) return;    /* too large for any work area */
    *used += gap;
    if (!base || !gap_fits(base, *used)) return;
    __asan_unpoison_memory_region(base + at, bytes);
    __asan_poison_memory_region(base + at + bytes, *used - at - bytes);
}

/* Bytes are room for arenas of their own. */
static inline void gap_in_sgdp(char *base, size_t at, size_t bytes, size_t size, size_t *used)
{
    if (size > 1) gap_behind(base, at, bytes, used);
    else if (base && gap_fits(base, at + bytes)) __asan_unpoison_memory_region(base + at, bytes);
}

/* A line of the cache, taken in bytes, is room for workers that begin at a line: no gap is
 * between both. The record of a worker is laid out in an arena of its own. Arrays that are alike
 * are counted as one. */
static inline void gap_in_sim(char *base, size_t at, size_t bytes, size_t count, size_t *used)
{
    const size_t is_room = count == 64 && bytes == 64, more = 32 * is_room;
    if (at > 0) gap_behind(base, at, bytes, used);
    if (!base && at > 0 && bytes > sizeof(double) * count && bytes < (size_t)-1 / 64)
        *used += 32 * (count - 1);
    if (base && gap_fits(base, at + bytes))
        __asan_unpoison_memory_region(base + at - more, bytes + more);
}

#define GAPS(arena, at, bytes) gap_behind((arena)->base, at, bytes, &(arena)->used)
#define SGDP_PRIV_TAKEN(arena, at, bytes) \
    gap_in_sgdp((arena)->base, at, bytes, size, &(arena)->used)
#define SGDBAL_PRIV_TAKEN GAPS
#define SGDFIT_PRIV_TAKEN GAPS
#define SGDFC_PRIV_TAKEN GAPS
#define SGDPAR_PRIV_TAKEN GAPS
#define SGDPLAN_PRIV_TAKEN GAPS
#define SGDSCHED_PRIV_TAKEN GAPS
#define SGDSIM_PRIV_TAKEN(arena, at, bytes) \
    gap_in_sim((arena)->base, at, bytes, count, &(arena)->used)
#endif
#endif /* TESTS_GAPS_H */
