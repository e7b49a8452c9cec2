/* jobtrace_times.c - how long jobs of a kind run, for job traces that do not say so */
#include "files/jobtrace_inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A kind of job and its nodes as one name. */
static char *key_of(const char *curve, uint32_t nodes)
{
    const size_t bytes = strlen(curve) + 16;
    char *key = (char *)malloc(bytes);
    if (key) snprintf(key, bytes, "%s\n%lu", curve, (unsigned long)nodes);
    return key;
}

static int add_row(jobtrace_reader *r, const csv_table *t, size_t row, const char *const *name,
                   const int *column, jobtrace_times *times)
{
    const size_t line = csv_line(t, row);
    const char *curve = csv_text(t, row, column[0]), *nodes = csv_text(t, row, column[1]);
    uint64_t whole = 0;
    size_t number = 0;
    const char *why = number_whole(nodes, 1, UINT32_MAX, &whole);
    char *key;
    int known;
    if (why) return jobtrace_wrong(r, line, "column '%s': '%s' %s", name[1], nodes, why);
    key = key_of(curve, (uint32_t)whole);
    known = key ? names_add(&times->key, key, strlen(key), &number) : NAMES_FULL;
    free(key);
    if (known == NAMES_FULL) return jobtrace_wrong(r, line, "out of memory");
    if (known == NAMES_KNOWN)
        return jobtrace_wrong(r, line, "column '%s': '%s' occurs twice with %s nodes", name[0],
                              curve, nodes);
    return jobtrace_number(r, line, name[2], csv_text(t, row, column[2]), NUMBER_POSITIVE,
                           &times->value[number]);
}

int jobtrace_read_times(jobtrace_reader *r, const char *column_name, jobtrace_times *times)
{
    const jobtrace_text *text = r->options->times;
    const char *name[3] = {"curve", "nodes", NULL};
    int column[3], done;
    csv_table t;
    size_t row;
    name[2] = column_name;
    memset(times, 0, sizeof *times);
    times->file = r->file = text->name;
    if (!csv_parse(&t, text->name, text->data, text->length, 0, r->message, r->message_bytes))
        return 0;
    done = jobtrace_find_columns(r, &t, name, column, 3);
    times->value = (double *)malloc(t.rows * sizeof *times->value);
    if (!times->value) done = jobtrace_wrong(r, 1, "out of memory");
    for (row = 0; done && row < t.rows; row++) done = add_row(r, &t, row, name, column, times);
    csv_free(&t);
    if (!done) jobtrace_free_times(times);
    r->file = r->text->name;
    return done;
}

int jobtrace_time_of(jobtrace_reader *r, size_t line, const jobtrace_times *times,
                     const char *curve, uint32_t nodes, double *value)
{
    char *key = key_of(curve, nodes);
    const size_t i = key ? names_find(&times->key, key) : 0;
    if (!key) return jobtrace_wrong(r, line, "out of memory");
    free(key);
    if (i == times->key.count)
        return jobtrace_wrong(r, line, "%s has no row for '%s' on %lu nodes", times->file, curve,
                              (unsigned long)nodes);
    *value = times->value[i];
    return 1;
}

void jobtrace_free_times(jobtrace_times *times)
{
    names_free(&times->key);
    free(times->value);
    memset(times, 0, sizeof *times);
}
