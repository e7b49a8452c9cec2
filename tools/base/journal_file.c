/* journal_file.c - a journal's file, read and written: see journal.h */
#define _POSIX_C_SOURCE 200809L /* read, write */

#include "base/journal.h"
#include "base/output.h"
#include "base/tool.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef SGDPERF_SOURCES
#define SGDPERF_SOURCES "unknown"
#endif

static const char first_line[] = "sgdperf journal 2\n";
enum { FIRST_WORDS = 16 };    /* before the number in it                            */

uint64_t journal_hash(uint64_t hash, const void *data, size_t length)
{
    const unsigned char *at = (const unsigned char *)data;
    size_t i;
    for (i = 0; i < length; i++) hash = (hash ^ at[i]) * 1099511628211U;
    return hash;
}

const char *journal_build(void)
{
    static char text[100];
    struct { char first; double second; } pair;
    const unsigned one = 1;
    snprintf(text, sizeof text, "%s-%u%u%u%u", SGDPERF_SOURCES, (unsigned)sizeof(size_t),
             (unsigned)sizeof(long), (unsigned)((char *)&pair.second - &pair.first),
             (unsigned)*(const unsigned char *)&one);
    return text;
}

void journal_fail(const journal *j) { tool_fail("%s: %s", j->path, strerror(errno)); }

TOOL_NORETURN static void refuse(const journal *j, size_t at)
{
    tool_fail("%s: damaged at byte %lu", j->path, (unsigned long)at);
}

/* ---- Records --------------------------------------------------------------- */

static uint64_t check_of(journal_head head, const char *data)
{
    head.check = 0;
    return journal_hash(journal_hash(JOURNAL_HASH, &head, sizeof head), data,
                        (size_t)(head.length + head.notes));
}

int journal_record(const journal *j, size_t at, journal_head *head, size_t *end)
{
    const size_t rest = j->length - at;
    if (rest < sizeof *head) return 0;
    memcpy(head, j->data + at, sizeof *head);
    if (head->length > rest - sizeof *head || head->notes > rest - sizeof *head - head->length)
        return 0;
    *end = at + sizeof *head + (size_t)(head->length + head->notes);
    return head->check == check_of(*head, j->data + at + sizeof *head);
}

/* Leaves out a last record that was cut off. What is damaged with more behind it, which no
 * end of a process explains, is refused. */
static void cut(journal *j)
{
    size_t at = j->records, end = 0, from;
    journal_head head;
    while (at < j->length && journal_record(j, at, &head, &end)) at = end;
    if (at == j->length) return;
    for (from = at + 1; from < j->length; from++)
        if (journal_record(j, from, &head, &end))
            refuse(j, at);
    j->length = at;
}

/* ---- The text in front ------------------------------------------------------ */

/* The line at *at behind its name, without its end, which *at passes; NULL: it is cut off. */
static char *next_line(const journal *j, size_t *at, const char *name)
{
    const size_t length = strlen(name), from = *at;
    char *line = j->data + from, *end = (char *)memchr(line, '\n', j->length - from);
    if (!end) return NULL;
    *end = '\0';
    *at += (size_t)(end - line) + 1;
    if (strncmp(line, name, length) != 0) refuse(j, from);
    return line + length;
}

/* "7:cluster" and the end of a line: the word; NULL: it is cut off. */
static char *next_word(const journal *j, size_t *at)
{
    char *colon;
    const unsigned long length = strtoul(j->data + *at, &colon, 10);
    const size_t from = (size_t)(colon - j->data) + 1;
    if (from > j->length || length >= j->length - from) return NULL;
    if (*colon != ':' || j->data[from + length] != '\n' || memchr(j->data + from, '\0', length))
        refuse(j, *at);
    j->data[from + length] = '\0';
    *at = from + length + 1;
    return j->data + from;
}

/* 0: not all of it is there, as the run was ended when it wrote that. */
static int read_text(journal *j)
{
    unsigned long shard = 0, shards = 0, words = 0;
    size_t at = sizeof first_line - 1, from, i;
    char *line;
    if (j->length < at || !(j->version = next_line(j, &at, "version "))) return 0;
    if (!(j->build = next_line(j, &at, "build "))) return 0;
    from = at;
    if (!(line = next_line(j, &at, "shard "))) return 0;
    if (sscanf(line, "%lu/%lu", &shard, &shards) != 2 || shard < 1 || shard > shards)
        refuse(j, from);
    if (!(j->format = next_line(j, &at, "format "))) return 0;
    from = at;
    if (!(line = next_line(j, &at, "words "))) return 0;
    if (sscanf(line, "%lu", &words) != 1 || words > j->length) refuse(j, from);
    j->words = (char **)tool_alloc((uint64_t)words + 1, sizeof *j->words);
    for (i = 0; i < words; i++)
        if (!(j->words[i] = next_word(j, &at))) return 0;
    if (!next_line(j, &at, "end")) return 0;
    j->word_count = words;
    j->shard = shard;
    j->shards = shards;
    j->records = at;
    return 1;
}

static void read_all(journal *j, int file)
{
    size_t room = 0;
    ssize_t n = 1;
    for (j->length = 0; n != 0; j->length += n > 0 ? (size_t)n : 0) {
        if (room - j->length < 65536) {
            room = 2 * room + 65536;
            j->data = (char *)tool_resize(j->data, room, 1);
        }
        n = read(file, j->data + j->length, room - j->length - 1);
        if (n < 0 && errno != EINTR) journal_fail(j);
    }
    j->data[j->length] = '\0';
}

int journal_load(journal *j, int file)
{
    const size_t head = sizeof first_line - 1;
    read_all(j, file);
    if (memcmp(j->data, first_line, j->length < head ? j->length : head) != 0) {
        if (memcmp(j->data, first_line, FIRST_WORDS) == 0)
            tool_fail("%s: is a journal of another version, which this one does not read",
                      j->path);
        tool_fail("%s: is no journal of sgdperf", j->path);
    }
    if (!read_text(j)) {
        j->length = j->records = 0;
        return 0;
    }
    cut(j);
    return 1;
}

/* ---- Writing --------------------------------------------------------------- */

static void write_bytes(const journal *j, int file, const char *data, size_t length)
{
    while (length > 0) {
        const ssize_t n = write(file, data, length);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) journal_fail(j);
        data += n;
        length -= (size_t)n;
    }
}

void journal_write_text(const journal *j, int file)
{
    output text = {0};
    size_t i;
    output_print(&text, "%sversion %s\nbuild %s\nshard %lu/%lu\nformat %s\nwords %lu\n",
                 first_line, j->version, j->build, (unsigned long)j->shard,
                 (unsigned long)j->shards, j->format, (unsigned long)j->word_count);
    for (i = 0; i < j->word_count; i++)
        output_print(&text, "%lu:%s\n", (unsigned long)strlen(j->words[i]), j->words[i]);
    output_print(&text, "end\n");
    write_bytes(j, file, text.text, text.length);
}

void journal_write(const journal *j, int file, journal_head head, const char *data)
{
    static char *whole;
    static size_t room;
    const size_t length = (size_t)(head.length + head.notes);
    if (room < sizeof head + length) {
        room = 2 * (sizeof head + length);
        free(whole);
        whole = (char *)malloc(room);
        if (!whole) tool_fail("out of memory");
    }
    head.check = check_of(head, data);
    memcpy(whole, &head, sizeof head);
    if (length > 0) memcpy(whole + sizeof head, data, length);
    write_bytes(j, file, whole, sizeof head + length);
}
