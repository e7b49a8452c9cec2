/* fuzz_ranks.c - any bytes, cut at each @, as traces of the ranks of one job: exchanges begin
 * when the last rank arrives, or one line names a file */
#include "fuzz_import.h"
#include "cmd/import/run.h"

enum { RANKS = 3 };

typedef struct rank_reading {
    const char  *data;
    size_t       size;
    import_ranks all;
    import_rank  rank[RANKS];
} rank_reading;

static const char *const files[RANKS] = {"fuzz", "fuzz2", "fuzz3"};

/* Cuts the bytes; what is behind the last file is in it. */
static size_t next_file(const char *data, size_t size, size_t left)
{
    const char *end = left > 1 ? (const char *)memchr(data, '@', size) : NULL;
    return end ? (size_t)(end - data) : size;
}

static void require_rank(const import_ranks *all, size_t i)
{
    const import_rank *r = &all->rank[i];
    const size_t steps = r->run.found.steps;
    require(r->rank < r->run.workers && r->waiting_s >= 0.0 && r->caused_s >= 0.0);
    require(fuzz_is_finite(r->clock_s) && fuzz_is_finite(r->mean.step_s));
    for (size_t s = 0; s < steps; s++) require(r->own_s[s] >= 0.0);
    for (size_t y = 0; y < r->first[steps]; y++)
        require(r->partner[y] >= -1 && r->partner[y] < (int64_t)all->rank[0].first[steps]);
}

static void read_ranks(void *ctx)
{
    rank_reading *r = (rank_reading *)ctx;
    const import_options how = {.view = IMPORT_VIEW_HOST};
    size_t at = 0;
    for (size_t i = 0; i < RANKS && at <= r->size; i++) {
        import_run *run = &r->rank[i].run;
        const size_t length = next_file(r->data + at, r->size - at, RANKS - i);
        stream s;
        stream_of(&s, files[i], r->data + at, length);
        run->format = &import_kineto;
        run->found.file = files[i];
        import_kineto.read(&s, &how, &run->found);
        (void)import_schedule(&run->found);
        if (run->found.steps == 0) tool_fail("%s: has no step", files[i]);
        run->workers = run->found.workers;
        r->all.count++;
        at += length + 1;
    }
    import_meet(&r->all);
    require(r->all.met <= r->all.exchanges && r->all.late < r->all.count && r->all.cv >= 0.0);
    for (size_t i = 0; i < r->all.count; i++) {
        require_rank(&r->all, i);
        require_found(&r->rank[i].run.found);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static rank_reading r;
    memset(&r, 0, sizeof r);
    r.data = (const char *)data;
    r.size = size;
    r.all.rank = r.rank;
    fuzz_trial(read_ranks, &r, "fuzz");
    for (size_t i = 0; i < RANKS; i++) {
        names_free(&r.rank[i].run.found.names);    /* the rest went with the trial */
        names_free(&r.rank[i].run.found.nodes);
    }
    return 0;
}

#define HEAD(rank) "{\"schemaVersion\": 1, \"distributedInfo\": {\"rank\": " rank \
    ", \"world_size\": 2}, \"traceEvents\": ["
#define STEP(number, from) "{\"ph\": \"X\", \"cat\": \"user_annotation\", \"name\": " \
    "\"ProfilerStep#" number "\", \"pid\": 1, \"tid\": 1, \"ts\": " from ", \"dur\": 100}"
#define RING(from, lasts) "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": " \
    "\"ncclKernel_AllReduce\", \"ts\": " from ", \"dur\": " lasts ", \"args\": " \
    "{\"stream\": 7, \"In msg nelems\": 8, \"dtype\": \"Float\", \"Group size\": 2}}"
#define MM(from, lasts) "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"gemm\", \"ts\": " from \
    ", \"dur\": " lasts ", \"args\": {\"stream\": 6}}"
FUZZ_MAIN("fuzz_ranks",
    HEAD("0") STEP("1", "0") "," MM("0", "10") "," RING("20", "30") "," RING("60", "10") "]}",
    HEAD("0") STEP("1", "0") "," RING("20", "30") "]}@"
    HEAD("1") STEP("1", "0") "," RING("40", "10") "]}",
    HEAD("0") STEP("1", "0") "," STEP("2", "100") "," RING("20", "30") "," RING("110", "30") ","
    RING("150", "9") "]}@" HEAD("1") STEP("1", "5") "," STEP("2", "105") "," RING("45", "10") ","
    RING("125", "20") "]}",
    "[", "");
