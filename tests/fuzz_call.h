/* fuzz_call.h - what the fuzz targets of the headers' functions share: each function is a row
 * of a table, and all of them are held to what every header promises of work areas, statuses
 * and outputs
 *
 * A target reads its input from bytes into one static struct, and functions write into another.
 * The first byte chooses the row. Of it is required: _bytes() writes nothing where it refuses,
 * and then so does the function; work that is absent, a byte short or not aligned is refused;
 * with just as much the answer does not depend on what was in it; what is refused is not
 * written; inputs are left alone. What is answered is for the row's own check. A row that is
 * never answered in all the mutations of a target's own main is a failure as well. */
#ifndef SGDPERF_FUZZ_CALL_H
#define SGDPERF_FUZZ_CALL_H

#include "fuzz.h"

enum {
    FUZZ_OK = 0, FUZZ_TOO_COSTLY = 31, /* not to be run: takes too long                   */
    FUZZ_MOST_WORK = 1 << 23,          /* more is asked for, but not given                */
    FUZZ_MOST_OUT = 1 << 14, FUZZ_MOST_IN = 1 << 14, FUZZ_BLANK = 0xa5
};

typedef struct fuzz_call {
    const char *name;
    unsigned (*need)(size_t *bytes);   /* NULL: it takes no work                          */
    unsigned (*run)(void *work, size_t bytes); /* a status                                */
    void (*check)(void);               /* of an answer; may be NULL                       */
    unsigned leaves;                   /* statuses but success that write, 1 << status    */
    int  answered;
} fuzz_call;

typedef struct fuzz_chapter {
    fuzz_call *call;
    size_t     calls;
    void     (*read)(fuzz_bytes *b);   /* into `in`, which is zeros                       */
    void     (*prepare)(void);         /* the caller's part of `out`; may be NULL         */
    void      *in, *out;
    size_t     in_bytes, out_bytes;
} fuzz_chapter;

/* Bits, so that -0 and 0 differ, and NaN is itself. */
static inline int fuzz_same(double a, double b) { return memcmp(&a, &b, sizeof a) == 0; }

static inline int fuzz_finite(double x) { return x >= -DBL_MAX && x <= DBL_MAX; }

/* A number as it is usual for what is answered: finite and not below 0. */
static inline int fuzz_is_size(double x) { return x >= 0.0 && x <= DBL_MAX; }

/* A count: mostly below `most`, sometimes one that nobody can have. */
static inline uint32_t fuzz_count(fuzz_bytes *b, uint32_t most)
{
    const unsigned code = fuzz_byte(b);
    if (code < 250) return code % most;
    return code == 255 ? UINT32_MAX : code == 254 ? 0x80000000u : code == 253 ? 65536u : 1000u;
}

static uint8_t fuzz_blank[FUZZ_MOST_OUT], fuzz_answer[FUZZ_MOST_OUT];
static uint8_t fuzz_given[FUZZ_MOST_IN];

static unsigned fuzz_call_once(const fuzz_chapter *c, const fuzz_call *call, void *work,
                               size_t bytes)
{
    memcpy(c->out, fuzz_blank, c->out_bytes);
    unsigned status = call->run(work, bytes);
    snprintf(fuzz_doing, sizeof fuzz_doing, "(%s, status %u)", call->name, status);
    require(memcmp(c->in, fuzz_given, c->in_bytes) == 0);
    if (status != FUZZ_OK && !(call->leaves >> status & 1))
        require(memcmp(c->out, fuzz_blank, c->out_bytes) == 0);
    return status;
}

/* Twice, in areas of other contents: the second is just large enough, the first begins eight
 * bytes late, to be tried one byte out of place. */
static unsigned fuzz_call_twice(const fuzz_chapter *c, const fuzz_call *call, size_t need)
{
    char *room = (char *)fuzz_area(need + 8, 0), *exact = (char *)fuzz_area(need, 0xff);
    if (need > 0) {
        require(fuzz_call_once(c, call, NULL, need) != FUZZ_OK);
        require(fuzz_call_once(c, call, room + 8, need - 1) != FUZZ_OK);
        require(fuzz_call_once(c, call, room + 7, need) != FUZZ_OK);
    }
    unsigned status = fuzz_call_once(c, call, room + 8, need);
    memcpy(fuzz_answer, c->out, c->out_bytes);
    require(fuzz_call_once(c, call, exact, need) == status);
    require(memcmp(c->out, fuzz_answer, c->out_bytes) == 0);
    free(room);
    free(exact);
    return status;
}

static void fuzz_try(const fuzz_chapter *c, fuzz_call *call)
{
    const size_t unset = (size_t)-7;
    size_t need = unset;
    const unsigned status = call->need ? call->need(&need) : FUZZ_OK;
    double some[8];
    if (status == FUZZ_TOO_COSTLY) return;
    require((need == unset) == (status != FUZZ_OK || !call->need));
    if (need == unset) need = 0;
    if (status != FUZZ_OK || need > FUZZ_MOST_WORK) {
        require(fuzz_call_once(c, call, some, sizeof some) != FUZZ_OK);
    } else if (fuzz_call_twice(c, call, need) == FUZZ_OK) {
        call->answered = 1;
        if (call->check) call->check();
    }
}

static inline void fuzz_require_answers(const void *chapter)
{
    const fuzz_chapter *c = (const fuzz_chapter *)chapter;
    int good = 1;
    for (size_t i = 0; i < c->calls; i++) {
        if (!c->call[i].answered) fprintf(stderr, "never answered: %s\n", c->call[i].name);
        good &= c->call[i].answered;
    }
    require(good);
}

static int fuzz_chapter_run(const fuzz_chapter *c, const uint8_t *data, size_t size)
{
    fuzz_bytes b = fuzz_read(data, size);
    fuzz_call *call = c->call + fuzz_byte(&b) % c->calls;
    require(c->out_bytes <= sizeof fuzz_blank && c->in_bytes <= sizeof fuzz_given);
    memset(c->in, 0, c->in_bytes);
    memset(c->out, FUZZ_BLANK, c->out_bytes);
    c->read(&b);
    if (c->prepare) c->prepare();
    memcpy(fuzz_blank, c->out, c->out_bytes);
    memcpy(fuzz_given, c->in, c->in_bytes);
#ifndef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
    fuzz_at_end = fuzz_require_answers;
    fuzz_at_end_of = c;
#endif
    fuzz_try(c, call);
    return 0;
}

#define FUZZ_CHAPTER(calls, read, prepare, in, out)                                           \
    { calls, sizeof(calls) / sizeof(calls)[0], read, prepare, &(in), &(out), sizeof(in),      \
      sizeof(out) }

#define FUZZ_CALLS(name, chapter)                                                             \
    int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)                              \
    {                                                                                         \
        return fuzz_chapter_run(&(chapter), data, size);                                      \
    }                                                                                         \
    FUZZ_MAIN(name, "")

#endif /* SGDPERF_FUZZ_CALL_H */
