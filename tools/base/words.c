/* words.c - words out of a list, typing errors, UTF-8 */
#include "base/words.h"

#include <stdio.h>
#include <string.h>

const char *words_join(const char *const *words, size_t count, char *list, size_t bytes)
{
    size_t used = 0;
    list[0] = '\0';
    for (size_t i = 0; i < count && used < bytes; i++) {
        const int n = snprintf(list + used, bytes - used, "%s%s", i > 0 ? ", " : "", words[i]);
        used += n > 0 ? (size_t)n : 0;
    }
    return list;
}

size_t words_find(const char *const *words, size_t count, const char *text)
{
    size_t i;
    for (i = 0; i < count && strcmp(words[i], text) != 0; i++) {}
    return i;
}

/* Row i of the table has the distances of the first i characters of a from the first j
 * of b; a swap looks back two rows ("optimal string alignment"). */
size_t words_distance(const char *a, const char *b)
{
    enum { LONGEST = 40 };
    size_t rows[3][LONGEST + 1], i, j;
    const size_t n = strlen(b), m = strlen(a);
    if (n > LONGEST || m > LONGEST) return LONGEST;
    for (j = 0; j <= n; j++) rows[0][j] = j;
    for (i = 1; i <= m; i++) {
        const size_t *two = rows[(i + 1) % 3], *one = rows[(i + 2) % 3];
        size_t *row = rows[i % 3];
        row[0] = i;
        for (j = 1; j <= n; j++) {
            size_t best = one[j - 1] + (a[i - 1] != b[j - 1]);
            if (one[j] + 1 < best) best = one[j] + 1;
            if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                two[j - 2] + 1 < best)
                best = two[j - 2] + 1;
            row[j] = best;
        }
    }
    return rows[m % 3][n];
}

static const char *behind_dashes(const char *word)
{
    return word + strspn(word, "-");
}

void words_consider(words_guess *guess, const char *word)
{
    const char *text = behind_dashes(guess->text), *known = behind_dashes(word);
    const size_t length = strlen(text);
    const size_t most = length >= 7 ? 3 : (length + 2) / 3;
    size_t distance = words_distance(text, known);
    if (length >= 3 && strncmp(text, known, length) == 0 && distance > 1) distance = 1;
    if (distance > most || (guess->nearest && distance >= guess->distance)) return;
    guess->nearest = word;
    guess->distance = distance;
}

/* [RFC 3629, section 4] */
size_t utf8_length(const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    const unsigned char a = s[0];
    unsigned char low = 0x80, high = 0xBF;
    if (a < 0x80) return 1;
    if (a < 0xC2 || a > 0xF4) return 0;
    size_t length = a < 0xE0 ? 2 : a < 0xF0 ? 3 : 4;
    if (a == 0xE0) low = 0xA0;         /* overlong */
    if (a == 0xED) high = 0x9F;        /* surrogates */
    if (a == 0xF0) low = 0x90;         /* overlong */
    if (a == 0xF4) high = 0x8F;        /* beyond U+10FFFF */
    if (s[1] < low || s[1] > high) return 0;
    for (size_t i = 2; i < length; i++)
        if (s[i] < 0x80 || s[i] > 0xBF) return 0;
    return length;
}

size_t utf8_width(const char *text)
{
    size_t width = 0;
    for (; *text != '\0'; text++) width += ((unsigned char)*text & 0xC0) != 0x80;
    return width;
}
