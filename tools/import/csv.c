/* csv.c - formats that are CSV: told by their header, and read whole */
#include "import/import.h"

#include <stdlib.h>
#include <string.h>

int import_has_header(const char *head, size_t length, const char *const *column, size_t count)
{
    const char *end;
    size_t i;
    while (length > 0 && (*head == '#' || *head == '\n' || *head == '\r')) {
        const char *next = (const char *)memchr(head, '\n', length);
        if (!next) return 0;
        length -= (size_t)(next + 1 - head);
        head = next + 1;
    }
    end = (const char *)memchr(head, '\n', length);
    if (end) length = (size_t)(end - head);
    if (memchr(head, '{', length)) return 0;
    for (i = 0; i < count; i++)
        if (!import_has(head, length, column[i])) return 0;
    return 1;
}

csv_table *import_read_csv(stream *s)
{
    static csv_table table;            /* what a run that failed has left is released */
    char message[512];
    size_t length = 0;
    int good;
    char *text = stream_rest(s, &length);
    /* A number whose end is missing is a number, too. */
    if (s->cut) tool_fail("%s: %s", s->name, s->cut);
    csv_free(&table);
    good = csv_parse(&table, s->name, text, length, CSV_WATCH, message, sizeof message);
    free(text);
    if (!good) tool_fail("%s", message);
    return &table;
}
