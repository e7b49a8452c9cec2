/* journal.c - what is done of a run, kept in a file: see journal.h */
#define _XOPEN_SOURCE 700 /* fcntl, fsync, ftruncate, open, read, write */

#include "jobs/journal.h"

#include "base/file.h"
#include "base/output.h"
#include "base/progress.h"
#include "base/tool.h"
#include "base/words.h"
#include "options/args.h"
#include "options/options.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef SGDPERF_SOURCES
#define SGDPERF_SOURCES "unknown"
#endif

/* ---- The file ----------------------------------------------------------------- */

#define HASH_OF_NOTHING 14695981039346656037U /* FNV-1a                              */

static const char first_line[] = "sgdperf journal 2\n";
enum { FIRST_WORDS = 16 };    /* before the number in it                            */

static uint64_t journal_hash(uint64_t hash, const void *data, size_t length)
{
    const unsigned char *at = (const unsigned char *)data;
    for (size_t i = 0; i < length; i++) hash = (hash ^ at[i]) * 1099511628211U;
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

static void journal_fail(const journal *j) { tool_fail("%s: %s", j->path, strerror(errno)); }

TOOL_NORETURN static void refuse(const journal *j, size_t at)
{
    tool_fail("%s: damaged at byte %lu", j->path, (unsigned long)at);
}

/* ---- The file: records -------------------------------------------------------- */

static uint64_t check_of(journal_head head, const char *data)
{
    head.check = 0;
    return journal_hash(journal_hash(HASH_OF_NOTHING, &head, sizeof head), data,
                        (size_t)(head.length + head.notes));
}

/* The record at `at`, and its end: 0 if there is none that is whole. */
static int journal_record(const journal *j, size_t at, journal_head *head, size_t *end)
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
    size_t at = j->records, end = 0;
    journal_head head;
    while (at < j->length && journal_record(j, at, &head, &end)) at = end;
    if (at == j->length) return;
    for (size_t from = at + 1; from < j->length; from++)
        if (journal_record(j, from, &head, &end))
            refuse(j, at);
    j->length = at;
}

/* ---- The file: the text in front ---------------------------------------------- */

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
    size_t at = sizeof first_line - 1, from;
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
    for (size_t i = 0; i < words; i++)
        if (!(j->words[i] = next_word(j, &at))) return 0;
    if (!next_line(j, &at, "end")) return 0;
    j->word_count = words;
    j->shard = shard;
    j->shards = shards;
    j->records = at;
    return 1;
}

/* All of it, or enough to see that it is no journal. */
static void read_all(journal *j, int file)
{
    size_t room = 0;
    ssize_t n = 1;
    for (j->length = 0; n != 0; j->length += n > 0 ? (size_t)n : 0) {
        if (j->length >= FIRST_WORDS && memcmp(j->data, first_line, FIRST_WORDS) != 0) break;
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
            tool_fail("%s: the journal was written by another version and cannot be read: name "
                      "another file",
                      j->path);
        tool_fail("%s: the file is not a journal of sgdperf: name another file", j->path);
    }
    if (!read_text(j)) {
        j->length = j->records = 0;
        return 0;
    }
    cut(j);
    return 1;
}

/* ---- The file: writing -------------------------------------------------------- */

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
    output_print(&text, "%sversion %s\nbuild %s\nshard %lu/%lu\nformat %s\nwords %lu\n",
                 first_line, j->version, j->build, (unsigned long)j->shard,
                 (unsigned long)j->shards, j->format, (unsigned long)j->word_count);
    for (size_t i = 0; i < j->word_count; i++)
        output_print(&text, "%lu:%s\n", (unsigned long)strlen(j->words[i]), j->words[i]);
    output_print(&text, "end\n");
    write_bytes(j, file, text.text, text.length);
}

void journal_write(const journal *j, int file, journal_head head, const char *data)
{
    static char *whole;
    static size_t room;
    const size_t length = (size_t)(head.length + head.notes);
    char *grown = (char *)tool_room(whole, &room, sizeof head + length, 1);
    if (!grown) tool_fail("out of memory");
    whole = grown;
    head.check = check_of(head, data);
    memcpy(whole, &head, sizeof head);
    if (length > 0) memcpy(whole + sizeof head, data, length);
    write_bytes(j, file, whole, sizeof head + length);
}

/* ---- What has been read ------------------------------------------------------- */

static uint64_t marks = HASH_OF_NOTHING;

static void mark(const char *data, size_t length)
{
    if (!tool_in_task()) marks = journal_hash(marks, data, length);
}

void journal_mark_inputs(void) { file_mark = mark; }

/* ---- The run ------------------------------------------------------------------ */

static journal  own;          /* of this command; path NULL: none is kept           */
static int      descriptor = -1;
static journal *merged;       /* [merges] in place of work                          */
static size_t   merges;

/* The value of an option, at argv[*i] or behind it, where *i goes; NULL: of another. */
static const char *value_of(option_id option, int argc, char **argv, int *i)
{
    const size_t length = strlen(option_name(option));
    if (strncmp(argv[*i], option_name(option), length) != 0) return NULL;
    if (argv[*i][length] == '=') return argv[*i] + length + 1;
    if (argv[*i][length] != '\0') return NULL;
    ++*i;
    return *i < argc ? argv[*i] : "";
}

static const option_id how[] = {OPTION_PROCESSES, OPTION_JOURNAL, OPTION_SHARD};

/* Is it an option that says how the work is done, not what? Or how it is printed. */
static int says_how(journal *j, int argc, char **argv, int *i)
{
    const char *format = value_of(OPTION_FORMAT, argc, argv, i);
    if (strcmp(argv[*i], NAME_OF(NOTES)) == 0) return 1;
    if (format) j->format = format;
    for (size_t k = 0; k < COUNT_OF(how) && !format; k++)
        if (value_of(how[k], argc, argv, i)) {
            journal_mark_inputs();
            return 1;
        }
    return format != NULL;
}

void journal_command(int argc, char **argv, const char *version)
{
    const size_t bytes = strlen(version) + 1;
    int i, ended = 0;
    own.version = (char *)memcpy(tool_alloc(bytes, 1), version, bytes);
    own.build = journal_build();
    own.words = (char **)tool_alloc((uint64_t)argc + 1, sizeof *own.words);
    own.word_count = 0;
    own.format = "";
    for (i = 1; i < argc; i++) {
        if (!ended && says_how(&own, argc, argv, &i)) continue;
        ended |= strcmp(argv[i], "--") == 0;
        own.words[own.word_count++] = argv[i];
    }
}

void journal_use(const char *path, size_t shard, size_t shards)
{
    own.path = path;
    own.shard = shard;
    own.shards = shards;
}

int journal_is_used(void) { return own.path != NULL; }

const char *journal_text(void)
{
    static char text[600];
    text[0] = '\0';
    if (own.path)
        snprintf(text, sizeof text, "; the finished work is in %.400s%s", own.path,
                 own.shards > 1 ? "" : ", from which the same command continues");
    return text;
}

uint64_t journal_print(const deal *d)
{
    uint64_t hash = journal_hash(HASH_OF_NOTHING, own.version, strlen(own.version) + 1);
    const uint64_t about[4] = {d->number, d->count, d->bytes, marks};
    for (size_t i = 0; i < own.word_count; i++)
        hash = journal_hash(hash, own.words[i], strlen(own.words[i]) + 1);
    return journal_hash(hash, about, sizeof about);
}

/* Fails unless the program that made j has its structures as that of `as`. */
static void check_program(const journal *j, const journal *as)
{
    if (strcmp(j->version, as->version) != 0)
        tool_fail("%s: the journal was written by version %s, this is version %s",
                  j->path, j->version, as->version);
    if (strcmp(j->build, as->build) != 0)
        tool_fail("%s: the journal was written by another build of version %s: %s, this is %s",
                  j->path,
                  j->version, j->build, as->build);
}

/* Fails unless j is of the command line and the program of `as`. */
static void check_run(const journal *j, const journal *as)
{
    char text[200] = "";
    size_t i = 0;
    while (i < j->word_count && i < as->word_count && strcmp(j->words[i], as->words[i]) == 0) i++;
    if (i < j->word_count || i < as->word_count) {
        for (i = 0; i < j->word_count; i++)
            snprintf(text + strlen(text), sizeof text - strlen(text), " %s", j->words[i]);
        tool_fail("%s: the journal belongs to another run: sgdperf%s", j->path, text);
    }
    check_program(j, as);
}

/* ---- What a journal has ------------------------------------------------------- */

/* Hands what j has of this deal to it; 1 if it knows the deal. */
static int take(deal *d, const journal *j, journal_keep keep)
{
    size_t at = j->records, end = 0;
    int known = 0;
    journal_head head;
    deal_record record;
    for (; at < j->length && journal_record(j, at, &head, &end); at = end) {
        if (head.number != d->number) continue;
        if (head.kind == JOURNAL_CALL) {
            known = head.print == journal_print(d);
            if (!known) tool_fail("%s: the journal belongs to a run with other inputs", j->path);
            continue;
        }
        memset(&record, 0, sizeof record);
        record.task = head.task;
        record.length = head.length;
        record.notes = head.notes;
        if (!known || !keep(d, &record, j->data + at + sizeof head))
            tool_fail("%s: damaged at byte %lu", j->path, (unsigned long)at);
    }
    return known;
}

/* ---- A journal of this run ---------------------------------------------------- */

static void open_own(void)
{
    struct flock whole;
    memset(&whole, 0, sizeof whole);
    whole.l_type = F_WRLCK;
    whole.l_whence = SEEK_SET;
    descriptor = open(own.path, O_RDWR | O_CREAT | O_APPEND, 0666);
    if (descriptor < 0)
        args_fail(OPTION_JOURNAL, own.path, "cannot be written: %s", strerror(errno));
    if (file_is_pipe(own.path)) args_fail(OPTION_JOURNAL, own.path, "is not a regular file");
    (void)file_is_input(descriptor);   /* no output may be the same file            */
    if (fcntl(descriptor, F_SETLK, &whole) != 0 && (errno == EACCES || errno == EAGAIN))
        args_fail(OPTION_JOURNAL, own.path, "is being written by another run");
}

/* Opens it for the first deal, with what is in it. */
static void begin_own(void)
{
    journal there = own;
    open_own();
    if (journal_load(&there, descriptor)) {
        check_run(&there, &own);
        if (there.shard != own.shard || there.shards != own.shards)
            tool_fail("%s: the journal is of shard %lu/%lu, not %lu/%lu",
                      own.path, (unsigned long)there.shard,
                      (unsigned long)there.shards, (unsigned long)own.shard,
                      (unsigned long)own.shards);
        own.data = there.data;
        own.length = there.length;
        own.records = there.records;
    }
    if (ftruncate(descriptor, (off_t)own.length) != 0) journal_fail(&own);
    if (own.length == 0) journal_write_text(&own, descriptor);
}

/* ---- Journals in place of work ------------------------------------------------ */

/* The shard that has task i, of those that are merged. */
static const journal *shard_of(size_t i)
{
    size_t k = 0;
    while (merged[k].shard - 1 != i % merged[k].shards) k++;
    assert(k < merges);                /* journal_merge has found all */
    return &merged[k];
}

static void take_merged(deal *d, journal_keep keep)
{
    size_t missing = 0, first = d->count;
    for (size_t i = 0; i < merges; i++) (void)take(d, &merged[i], keep);
    for (size_t i = d->count; i-- > 0;)
        if (d->state[i] != DEAL_DONE) { missing++; first = i; }
    if (missing > 0)
        tool_fail("%s: the shard is not finished: task %lu of %lu is missing%s: run the shard "
                  "again to continue",
                  shard_of(first)->path, (unsigned long)first + 1, (unsigned long)d->count,
                  missing > 1 ? ", and others" : "");
}

static void load_merged(journal *j, const char *path)
{
    const int file = open(path, O_RDONLY);
    memset(j, 0, sizeof *j);
    j->path = path;
    if (file < 0) journal_fail(j);
    (void)file_is_input(file);
    if (!journal_load(j, file)) tool_fail("%s: is empty", path);
    close(file);
}

/* The command line of a journal, with the format in its place. */
static size_t words_of(const journal *j, const char *format, char ***argv)
{
    char **word = (char **)tool_alloc(j->word_count + 3, sizeof *word);
    size_t n = 0, i = 0;
    while (i < j->word_count && strcmp(j->words[i], "--") != 0) word[n++] = j->words[i++];
    if (*format != '\0') {
        word[n++] = tool_text("%s", NAME_OF(FORMAT));
        word[n++] = tool_text("%s", format);
    }
    while (i < j->word_count) word[n++] = j->words[i++];
    *argv = word;
    return n;
}

size_t journal_merge(char *const *files, size_t count, const char *format, char ***argv)
{
    merged = (journal *)tool_alloc(count, sizeof *merged);
    merges = count;
    for (size_t i = 0; i < count; i++) load_merged(&merged[i], files[i]);
    const journal *one = &merged[0];
    const char **path = (const char **)tool_alloc(one->shards + 1, sizeof *path);
    for (size_t i = 0; i < count; i++) {
        const journal *j = &merged[i];
        check_run(j, one);
        if (j->shards != one->shards)
            tool_fail("%s: is one of %lu shards, %s of %lu", j->path, (unsigned long)j->shards,
                      one->path, (unsigned long)one->shards);
        if (path[j->shard])
            tool_fail("%s: is shard %lu/%lu, and so is %s", j->path, (unsigned long)j->shard,
                      (unsigned long)j->shards, path[j->shard]);
        path[j->shard] = j->path;
    }
    for (size_t i = 1; i <= one->shards; i++)
        if (!path[i])
            tool_fail("shard %lu/%lu is missing", (unsigned long)i, (unsigned long)one->shards);
    check_program(one, &own);
    own.words = one->words;
    own.word_count = one->word_count;
    journal_mark_inputs();
    return words_of(one, format ? format : one->format, argv);
}

/* ---- A signal ----------------------------------------------------------------- */

/* What it says, "" at the ends of a deal: one of both is whole at any time. */
static char         end_text[2][600];
static volatile int end_at;
static pid_t        end_of;   /* the process that keeps the journal                  */

static void tell_end(const deal *d, size_t left)
{
    char *text = end_text[!end_at];
    *text = '\0';
    if (left > 0)
        snprintf(text, sizeof end_text[0], "%ssgdperf: ended by a signal: %lu of %lu %s are in "
                                           "%.400s, from which the same command continues\n",
                 tool_shows_progress() ? "\n" : "",
                 (unsigned long)(d->all - left), (unsigned long)d->all, d->what, own.path);
    end_at = !end_at;
}

void journal_at_signal(void)
{
    const char *text = end_text[end_at];
    if (*text == '\0' || getpid() != end_of) return;
    if (write(STDERR_FILENO, text, strlen(text)) < 0) return;
}

/* ---- A deal ------------------------------------------------------------------- */

void journal_open(deal *d, journal_keep keep)
{
    journal_head head;
    if (merges > 0) take_merged(d, keep);
    if (!own.path || (deal_mpi && deal_mpi->rank > 0)) return;
    if (descriptor < 0) begin_own();
    file_watch_the_end(journal_at_signal);
    end_of = getpid();
    if (take(d, &own, keep)) {
        tell_end(d, d->left);
        return;
    }
    tell_end(d, d->left);
    memset(&head, 0, sizeof head);
    head.kind = JOURNAL_CALL;
    head.number = (uint32_t)d->number;
    head.task = d->count;
    head.print = journal_print(d);
    journal_write(&own, descriptor, head, NULL);
}

void journal_add(const deal *d, const deal_record *record, const char *data)
{
    enum { SYNC_EVERY_S = 5 };
    static double synced_s;
    const double now_s = tool_clock_s();
    journal_head head;
    if (descriptor < 0) return;
    memset(&head, 0, sizeof head);
    head.kind = JOURNAL_DONE;
    head.number = (uint32_t)d->number;
    head.task = record->task;
    head.length = record->length;
    head.notes = record->notes;
    journal_write(&own, descriptor, head, data);
    tell_end(d, d->left - 1);
    if (now_s - synced_s < SYNC_EVERY_S) return;
    synced_s = now_s;
    journal_sync();
}

void journal_sync(void)
{
    if (descriptor >= 0) (void)fsync(descriptor);
}
