/* journal.h - what is done of a run, kept in a file: a text that names the run, then records
 *
 *     sgdperf journal 2
 *     version 1.2.3
 *     build 1234567890-1666384-8881
 *     shard 2/4
 *     format csv
 *     words 3
 *     7:cluster
 *     ...
 *     end
 *
 * Then journal_head and what follows it, as bytes of this machine, each with a check sum:
 * for each deal one of kind CALL, then one of kind DONE a task, as they come. They are
 * written whole, behind what is there; one that is cut off is the last. What they hold are
 * structures: only a program of the same sources on a machine of the same kind reads them. */
#ifndef TOOLS_JOBS_JOURNAL_H
#define TOOLS_JOBS_JOURNAL_H

#include "jobs/deal.h"

/* Of this program: the check sum and the bytes of its sources (the Makefile's, else
 * "unknown"); the bytes of a size, of a long and before a double in a structure; the first
 * byte of a one. Equal with and without MPI, whatever compiler and flags. */
const char *journal_build(void);

typedef struct journal_head {
    uint32_t kind, number;    /* of the deal                                        */
    uint64_t task, length, notes; /* CALL: their number, the rest 0                 */
    uint64_t print;           /* CALL: journal_print; DONE: 0                       */
    uint64_t check;           /* of all this and of what follows                    */
} journal_head;

enum { JOURNAL_CALL = 0x4C4C4143, JOURNAL_DONE = 0x454E4F44 };

typedef struct journal {
    const char *path;
    char       *data;         /* [length] what was there, but for what is cut off   */
    size_t      length;
    size_t      records;      /* where they begin in it, 0: there is no whole text  */
    char       *version;
    const char *build;
    size_t      shard, shards;
    char      **words;        /* [word_count] the command line without PARALLEL_USES */
    size_t      word_count;
    const char *format;       /* "": none is given                                  */
} journal;

/* Reads an open file; 0 if it holds nothing yet. Fails over what is no journal, and over
 * one that is damaged elsewhere than at its end. */
int journal_load(journal *j, int file);

/* Writes the text, or a record with data[length + notes]. */
void journal_write_text(const journal *j, int file);
void journal_write(const journal *j, int file, journal_head head, const char *data);

/* ---- The run ----------------------------------------------------------------- */

void journal_command(int argc, char **argv, const char *version);
void journal_use(const char *path, size_t shard, size_t shards);
int journal_is_used(void);

/* From now on it is kept in mind what is read: for journal_print. */
void journal_mark_inputs(void);

size_t journal_merge(char *const *files, size_t count, const char *format, char ***argv);

/* A number that tells this run from others, by its command, version, inputs and tasks. */
uint64_t journal_print(const deal *d);

/* Hands what is done already to `keep`; fails where it is of another run. With journals that are
 * merged, fails where something is missing. */
typedef int (*journal_keep)(deal *d, const deal_record *head, const char *data);

void journal_open(deal *d, journal_keep keep);

void journal_add(const deal *d, const deal_record *head, const char *data);
void journal_sync(void);

/* Says how much of a deal under way is kept; calls only what a signal handler may call. */
void journal_at_signal(void);

/* "; what was done is in FILE, ...", or "" */
const char *journal_text(void);

#endif /* TOOLS_JOBS_JOURNAL_H */
