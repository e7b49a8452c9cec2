/* words.h - words out of a list, typing errors, UTF-8 */
#ifndef TOOLS_BASE_WORDS_H
#define TOOLS_BASE_WORDS_H

#include <stddef.h>

/* Index of `text` among words[count]; count if it is none of them. */
size_t words_find(const char *const *words, size_t count, const char *text);

/* The words separated by blanks, as many as fit into list[bytes]; returns list. */
const char *words_join(const char *const *words, size_t count, char *list, size_t bytes);

/* Typing errors that make b of a: characters left out, added, replaced or swapped with
 * their neighbour. 40, as if far apart, where either is longer than that. */
size_t words_distance(const char *a, const char *b);

/* The known word that a misspelt or shortened one may stand for:
 *     words_guess guess = {text, NULL, 0};
 *     for each known word: words_consider(&guess, word);
 * `nearest` stays NULL where every word differs too much: in more than 1 of up to 3
 * characters, 2 of up to 6, or 3. Dashes in front do not count. */
typedef struct words_guess { const char *text, *nearest; size_t distance; } words_guess;

void words_consider(words_guess *guess, const char *word);

/* Bytes of the UTF-8 character that a terminated text starts with; 0 if it is none. */
size_t utf8_length(const char *text);

/* Characters on the screen: bytes that go on with one take no room. */
size_t utf8_width(const char *text);

#endif /* TOOLS_BASE_WORDS_H */
