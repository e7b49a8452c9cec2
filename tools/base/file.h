/* file.h - files: read as a whole, and written whole or not at all */
#ifndef TOOLS_BASE_FILE_H
#define TOOLS_BASE_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* All bytes of the file at `path`, "-" being stdin, in memory that the caller frees;
 * *name is what to call it in messages. Fails over more than 2 GiB. */
char *file_read(const char *path, const char **name, size_t *length);

/* A file that is written whole or not at all:
 *     out_file *out = out_open("--timeline", path);
 *     fprintf(out_stream(out), ...);
 *     out_commit(out);
 *     return output_flush(&results, EXIT_DONE);
 * The text goes to a temporary file in the folder of `path`. out_commit closes it, and
 * output_flush gives it its name once stdout has taken the results. Whatever ends the
 * program before, a failure, exit or a signal, removes the temporary, and what was there
 * stays (SIGKILL leaves a file .sgdperf-PID-N behind).
 *
 * A symbolic link stays, and the file that it names is replaced, with its permissions;
 * other hard links keep the old file. What is no regular file (a device, a pipe,
 * /dev/stdout) is written directly.
 *
 * Fails where nothing can be written, and where `path` is, under any name, an input that
 * file_read or csv_read has read, or one that is open already; an input that is read
 * later must be another file too. `option`, for messages, and `path` must outlive it. */
typedef struct out_file out_file;

out_file *out_open(const char *option, const char *path);
FILE *out_stream(out_file *out);
void out_commit(out_file *out);  /* or fails, also over an earlier error in writing; */
                                 /*   `out` is then not to be used any more          */
void out_discard(out_file *out); /* leaves what was there                           */

/* Gives the files that out_commit has closed their names, or fails. */
void out_rename_all(void);

/* Why file_read would not read from there, as text; NULL: nothing is known against it. */
const char *file_obstacle(const char *path);

/* Can it be opened? Else errno tells why not. */
int file_is_there(const char *path);

/* 1: a pipe or a device, which cannot be read twice as a regular file can. */
int file_is_pipe(const char *path);

/* ---- Other programs -------------------------------------------------------- */

/* The path of a program by PATH, of which relative folders are left out: what stands where a
 * user happens to be is never run. NULL: not found. */
const char *file_program(const char *name);

/* ---- Signals, for forks.c ------------------------------------------------- */

/* From now on signals that end the program call this too, and remove what out_open made. */
void file_watch_the_end(void (*at_signal)(void));

/* Removes it at once: for an end that neither exit nor a signal is. */
void file_remove_temporaries(void);

/* 1: out_open writes nothing (a rank of MPI that is not the first). */
extern int file_is_silent;

/* ---- What has been read, for journal.c ------------------------------------ */

/* Where it is set: is called with all bytes of all inputs, in order. A journal tells by it
 * whether inputs are the same. */
extern void (*file_mark)(const char *data, size_t length);

/* ---- Streams, for stream.c ------------------------------------------------ */

/* The most that is read as a whole: an input without an end must not take all memory. */
#define FILE_MOST ((size_t)1 << 31)

/* What is open there is an input, which no output may be. Returns the size of a regular
 * file, else 0. */
uint64_t file_is_input(int descriptor);

#endif /* TOOLS_BASE_FILE_H */
