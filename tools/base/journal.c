/* journal.c - what is done of a run, kept in a file: see journal.h */
#define _XOPEN_SOURCE 700 /* fcntl, fsync, ftruncate, open */

#include "base/journal.h"

#include "base/args.h"
#include "base/deal.h"
#include "base/file.h"
#include "base/parallel.h"
#include "base/progress.h"
#include "base/words.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- What has been read ------------------------------------------------------ */

static uint64_t marks = JOURNAL_HASH;

static void mark(const char *data, size_t length)
{
    if (!tool_in_task()) marks = journal_hash(marks, data, length);
}

void journal_mark_inputs(void) { file_mark = mark; }

/* ---- The run --------------------------------------------------------------- */

static journal  own;          /* of this command; path NULL: none is kept           */
static int      descriptor = -1;
static journal *merged;       /* [merges] in place of work                          */
static size_t   merges;

/* The value of an option, at argv[*i] or behind it, where *i goes; NULL: of another. */
static const char *value_of(const char *option, int argc, char **argv, int *i)
{
    const size_t length = strlen(option);
    if (strncmp(argv[*i], option, length) != 0) return NULL;
    if (argv[*i][length] == '=') return argv[*i] + length + 1;
    if (argv[*i][length] != '\0') return NULL;
    ++*i;
    return *i < argc ? argv[*i] : "";
}

/* Is it an option that says how the work is done, not what? Or how it is printed. */
static int says_how(journal *j, int argc, char **argv, int *i)
{
    static const args_option options[] = {PARALLEL_OPTIONS};
    const char *format = value_of("--format", argc, argv, i);
    size_t k;
    if (format) j->format = format;
    for (k = 0; k < COUNT_OF(options) && !format; k++)
        if (value_of(options[k].name, argc, argv, i)) {
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
        snprintf(text, sizeof text, "; what is done is in %.400s%s", own.path,
                 own.shards > 1 ? "" : ", from which the same command goes on");
    return text;
}

uint64_t journal_print(const deal *d)
{
    uint64_t hash = journal_hash(JOURNAL_HASH, own.version, strlen(own.version) + 1);
    const uint64_t about[4] = {d->number, d->count, d->bytes, marks};
    size_t i;
    for (i = 0; i < own.word_count; i++)
        hash = journal_hash(hash, own.words[i], strlen(own.words[i]) + 1);
    return journal_hash(hash, about, sizeof about);
}

/* Fails unless the program that made j has its structures as that of `as`. */
static void check_program(const journal *j, const journal *as)
{
    if (strcmp(j->version, as->version) != 0)
        tool_fail("%s: was made by version %s, this is %s", j->path, j->version, as->version);
    if (strcmp(j->build, as->build) != 0)
        tool_fail("%s: was made by another build of version %s: %s, this is %s", j->path,
                  j->version, j->build, as->build);
}

/* Fails unless j is of the command line and the program of `as`. */
static void check_run(const journal *j, const journal *as)
{
    char text[200];
    size_t i = 0;
    while (i < j->word_count && i < as->word_count && strcmp(j->words[i], as->words[i]) == 0) i++;
    if (i < j->word_count || i < as->word_count)
        tool_fail("%s: is of another run: sgdperf %s", j->path,
                  words_join((const char *const *)j->words, j->word_count, text, sizeof text));
    check_program(j, as);
}

/* ---- What a journal has ------------------------------------------------------ */

/* Hands what j has of this deal to it; 1 if it knows the deal. */
static int take(deal *d, const journal *j)
{
    size_t at = j->records, end = 0;
    int known = 0;
    journal_head head;
    deal_record record;
    for (; at < j->length && journal_record(j, at, &head, &end); at = end) {
        if (head.number != d->number) continue;
        if (head.kind == JOURNAL_CALL) {
            known = head.print == journal_print(d);
            if (!known) tool_fail("%s: its run had other inputs", j->path);
            continue;
        }
        memset(&record, 0, sizeof record);
        record.task = head.task;
        record.length = head.length;
        record.notes = head.notes;
        if (!known || !deal_keep(d, &record, j->data + at + sizeof head))
            tool_fail("%s: damaged at byte %lu", j->path, (unsigned long)at);
    }
    return known;
}

/* ---- A journal of this run --------------------------------------------------- */

static void open_own(void)
{
    struct flock whole;
    memset(&whole, 0, sizeof whole);
    whole.l_type = F_WRLCK;
    whole.l_whence = SEEK_SET;
    descriptor = open(own.path, O_RDWR | O_CREAT | O_APPEND, 0666);
    if (descriptor < 0) args_fail("--journal", own.path, "cannot be written: %s", strerror(errno));
    (void)file_is_input(descriptor);   /* no output may be the same file            */
    if (fcntl(descriptor, F_SETLK, &whole) != 0 && (errno == EACCES || errno == EAGAIN))
        args_fail("--journal", own.path, "another run is writing it");
}

/* Opens it for the first deal, with what is in it. */
static void begin_own(void)
{
    journal there = own;
    open_own();
    if (journal_load(&there, descriptor)) {
        check_run(&there, &own);
        if (there.shard != own.shard || there.shards != own.shards)
            tool_fail("%s: is shard %lu/%lu, not %lu/%lu", own.path, (unsigned long)there.shard,
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

static void take_merged(deal *d)
{
    size_t i, missing = 0, first = d->count;
    for (i = 0; i < merges; i++) (void)take(d, &merged[i]);
    for (i = d->count; i-- > 0;)
        if (d->state[i] != DEAL_DONE) { missing++; first = i; }
    if (missing > 0)
        tool_fail("%s: is not done: task %lu of %lu is missing%s, run it again to go on",
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
    static char option[] = "--format";
    char **word = (char **)tool_alloc(j->word_count + 3, sizeof *word);
    size_t n = 0, i = 0;
    while (i < j->word_count && strcmp(j->words[i], "--") != 0) word[n++] = j->words[i++];
    if (*format != '\0') {
        word[n++] = option;
        word[n] = (char *)tool_alloc(strlen(format) + 1, 1);
        strcpy(word[n++], format);
    }
    while (i < j->word_count) word[n++] = j->words[i++];
    *argv = word;
    return n;
}

size_t journal_merge(char *const *files, size_t count, const char *format, char ***argv)
{
    const journal *one;
    const char **path;
    size_t i;
    merged = (journal *)tool_alloc(count, sizeof *merged);
    merges = count;
    for (i = 0; i < count; i++) load_merged(&merged[i], files[i]);
    one = &merged[0];
    path = (const char **)tool_alloc(one->shards + 1, sizeof *path);
    for (i = 0; i < count; i++) {
        const journal *j = &merged[i];
        check_run(j, one);
        if (j->shards != one->shards)
            tool_fail("%s: is one of %lu shards, %s of %lu", j->path, (unsigned long)j->shards,
                      one->path, (unsigned long)one->shards);
        if (path[j->shard])
            tool_fail("%s: is shard %lu/%lu, as %s is", j->path, (unsigned long)j->shard,
                      (unsigned long)j->shards, path[j->shard]);
        path[j->shard] = j->path;
    }
    for (i = 1; i <= one->shards; i++)
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
                 "%.400s, the same command goes on\n", tool_shows_progress() ? "\n" : "",
                 (unsigned long)(d->all - left), (unsigned long)d->all, d->what, own.path);
    end_at = !end_at;
}

void journal_at_signal(void)
{
    const char *text = end_text[end_at];
    if (*text == '\0' || getpid() != end_of) return;
    if (write(STDERR_FILENO, text, strlen(text)) < 0) return;
}

/* ---- For parallel.c ----------------------------------------------------------- */

void journal_open(deal *d)
{
    journal_head head;
    if (merges > 0) take_merged(d);
    if (!own.path || (deal_mpi && deal_mpi->rank > 0)) return;
    if (descriptor < 0) begin_own();
    file_watch_the_end(journal_at_signal);
    end_of = getpid();
    if (take(d, &own)) {
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
