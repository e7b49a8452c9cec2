/* names.h - distinct names, numbered in order of first appearance */
#ifndef TOOLS_BASE_NAMES_H
#define TOOLS_BASE_NAMES_H

#include <stddef.h>

/* {0} to begin; names_free releases it. */
typedef struct name_index {
    size_t  count;
    char   *text;             /* the names, each ended by a zero                    */
    size_t  used, text_room;
    size_t *start;            /* [count] of a name in text                          */
    size_t  room;
    size_t *slot;             /* [slots] hash table of numbers + 1; 0: free         */
    size_t  slots;            /* a power of two                                     */
} name_index;

enum { NAMES_NEW = 1, NAMES_KNOWN = 0, NAMES_FULL = -1 };

/* The number of text[length] in *number: NAMES_NEW, or NAMES_KNOWN if it was there
 * already; NAMES_FULL where memory is. O(length). */
int names_add(name_index *names, const char *text, size_t length, size_t *number);

/* The number of a terminated text; names->count if it is not there. */
size_t names_find(const name_index *names, const char *text);

/* Valid until the next names_add. */
const char *names_text(const name_index *names, size_t number);

void names_free(name_index *names);

/* The number of a terminated text. Fails where memory is full. */
size_t names_number(name_index *names, const char *text);

/* Rows of one name, ascending. */
typedef struct row_list { size_t *row, count; } row_list;

/* The rows of each of `count` names, by id[rows]; NAMES_NONE: the row has no name. */
#define NAMES_NONE ((size_t)-1)
row_list *names_rows(const size_t *id, size_t rows, size_t count);

#endif /* TOOLS_BASE_NAMES_H */
