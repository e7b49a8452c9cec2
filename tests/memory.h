/* memory.h - memory for a test, which ends where there is none. */
#ifndef TESTS_MEMORY_H
#define TESTS_MEMORY_H

#include <stdlib.h>
#include <string.h>

/* Zeros. */
static inline void *get_memory(size_t count, size_t size)
{
    void *memory = calloc(count > 0 ? count : 1, size);
    if (!memory) abort();
    return memory;
}

/* A work area of exactly so many bytes, with what is left in it from before: 1e306 as doubles,
 * which no sum passes over. */
static inline void *get_dirt(size_t bytes)
{
    return memset(get_memory(bytes, 1), 0x7f, bytes);
}
#endif
