/* collectives.c - what a collective is, by the name of its kernel or call */
#include "import/import.h"

#include <string.h>

#define IMPORT_X(name, text) text,
static const char *const texts[] = { IMPORT_COLLECTIVE_TABLE(IMPORT_X) };
#undef IMPORT_X

const char *import_collective_text(import_collective collective)
{
    return texts[(size_t)collective < COUNT_OF(texts) ? collective : IMPORT_OTHER_COLLECTIVE];
}

/* The letters of a name, in lower case: "nccl:all_reduce" and "AllReduce" are alike. */
static void letters(const char *name, char *to, size_t room)
{
    size_t n = 0;
    for (; *name != '\0' && n + 1 < room; name++) {
        if (*name >= 'A' && *name <= 'Z') to[n++] = (char)(*name - 'A' + 'a');
        else if (*name >= 'a' && *name <= 'z') to[n++] = *name;
    }
    to[n] = '\0';
}

import_collective import_collective_named(const char *name)
{
    static const char *const sent[] = {"send", "recv", "collectivepermute"};
    char text[128];
    size_t i;
    letters(name, text, sizeof text);
    for (i = 0; i < IMPORT_OTHER_COLLECTIVE; i++)
        if (strstr(text, texts[i])) return (import_collective)i;
    for (i = 0; i < COUNT_OF(sent); i++)
        if (strstr(text, sent[i])) return IMPORT_SENDRECV;
    return IMPORT_OTHER_COLLECTIVE;
}
