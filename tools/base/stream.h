/* stream.h - a file's bytes in pieces, as far as they are needed
 *
 *     stream *s = stream_open(path);
 *     while (s->at < s->end || stream_more(s, s->at)) ... *s->at++ ...
 *     stream_close(s);
 *
 * What gzip has compressed comes uncompressed, through a pipe from `gzip -dc`. */
#ifndef TOOLS_BASE_STREAM_H
#define TOOLS_BASE_STREAM_H

#include <stddef.h>
#include <stdint.h>

typedef struct stream {
    const char *name;         /* of the file, for messages                          */
    const char *at, *end;     /* bytes that are here; the reader moves `at`         */
    uint64_t    offset;       /* of `end` in the (uncompressed) file                */
    const char *cut;          /* at the end: why bytes are missing; NULL: none are  */
    uint64_t    size;         /* of the file, for progress; 0: not known            */
    struct stream_inside *inside; /* NULL: a text in memory                         */
} stream;

/* The file at `path`, "-" being stdin: an input, as file_read's. Fails where it cannot be
 * read. */
stream *stream_open(const char *path);

/* data[length], which must outlive the stream; for tests. */
void stream_of(stream *s, const char *name, const char *data, size_t length);

/* Reads on behind s->end; the bytes from `keep` on stay, and are then at s->at. Returns how
 * many are new, 0 at the end of the file. Fails where reading does, where what is to be kept
 * and read would pass STREAM_MOST, and where gzip finds the file damaged, or unpacks more
 * than 64 MiB and 200 times its size; one that is only cut off ends, and `cut` says so. */
enum { STREAM_MOST = 16 << 20 };
size_t stream_more(stream *s, const char *keep);

/* Bytes from s->at on, `want` of them if the file has so many. */
size_t stream_peek(stream *s, size_t want);

/* Bytes from s->at to the end of its line, which are there then; *ended: 1 where a line feed
 * stands behind them, 0 at the end of the file. */
size_t stream_line(stream *s, int *ended);

/* All that is left, at most FILE_MOST, in memory that the caller frees. */
char *stream_rest(stream *s, size_t *length);

/* Offset of s->at in the file. */
uint64_t stream_place(const stream *s);

void stream_close(stream *s);

/* Do these bytes begin a file of gzip's? */
int stream_is_gzip(const char *data, size_t length);

#endif /* TOOLS_BASE_STREAM_H */
