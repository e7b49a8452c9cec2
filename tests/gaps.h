/* gaps.h - included before a header in a build with the address sanitizer: a gap behind each
 * array of a work area, which nobody may read or write. So the sanitizer finds an access one past
 * the end of an array, which else meets the next array. Work areas grow by the gaps. sgdperf.h and
 * sgdperf_sim.h lay out records of fixed sizes in the same way, so they have no gaps. */
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

static inline void gap_behind(char *base, size_t at, size_t bytes, size_t *used)
{
    const size_t gap = 32;
    if (*used > (size_t)-1 / 2) return;    /* too large for any work area */
    *used += gap;
    if (!base) return;
    __asan_unpoison_memory_region(base + at, bytes);
    __asan_poison_memory_region(base + at + bytes, *used - at - bytes);
}

#define GAPS(arena, at, bytes) gap_behind((arena)->base, at, bytes, &(arena)->used)
#define SGDBAL_PRIV_TAKEN GAPS
#define SGDFIT_PRIV_TAKEN GAPS
#define SGDFC_PRIV_TAKEN GAPS
#define SGDPAR_PRIV_TAKEN GAPS
#define SGDPLAN_PRIV_TAKEN GAPS
#define SGDSCHED_PRIV_TAKEN GAPS
#endif
#endif /* TESTS_GAPS_H */
