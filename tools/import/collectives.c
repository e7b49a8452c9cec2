/* collectives.c - what a collective is, by the name of its kernel or call */
#include "import/import.h"

#include <string.h>

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
    static const struct { const char *word; import_collective collective; } known[] = {
        {"reducescatter", IMPORT_REDUCESCATTER}, {"allreduce", IMPORT_ALLREDUCE},
        {"allgather", IMPORT_ALLGATHER}, {"alltoall", IMPORT_ALLTOALL},
        {"broadcast", IMPORT_BROADCAST}, {"sendrecv", IMPORT_SENDRECV},
        {"barrier", IMPORT_BARRIER}, {"reduce", IMPORT_REDUCE}, {"send", IMPORT_SENDRECV},
        {"recv", IMPORT_SENDRECV}, {"collectivepermute", IMPORT_SENDRECV}
    };
    char text[128];
    size_t i;
    letters(name, text, sizeof text);
    for (i = 0; i < COUNT_OF(known); i++)
        if (strstr(text, known[i].word)) return known[i].collective;
    return IMPORT_OTHER_COLLECTIVE;
}
