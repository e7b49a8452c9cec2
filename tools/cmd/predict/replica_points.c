/* replica_points.c - steps of data-parallel training by layers: what is compared */
#include "base/words.h"
#include "cmd/predict/replica.h"

#include <string.h>

enum { REPLICA_MOST = 1000000 };

#define NAME(name, text) text,
static const char *const shardings[SGDPAR_SHARDING_COUNT] = { SGDPAR_SHARDING_TABLE(NAME) };
#undef NAME

/* ---- What is compared ------------------------------------------------------ */

static size_t words_of(const args *a, const char *name, const char *usual, char ***word)
{
    return args_given(a, name) ? args_words(a, name, word) : args_split(usual, ',', word);
}

/* Does this sharding know what else was asked for? Else why not. */
static const char *unknown_to(const replica_set *s, sgdpar_sharding sharding)
{
    const int parted = sharding == SGDPAR_SHARDING_ALL || sharding == SGDPAR_SHARDING_HYBRID;
    if (s->replica.local_steps > 0 && sharding != SGDPAR_SHARDING_NONE) return "--local-steps";
    return parted && s->replica.overlap_exponent > 0.0 ? "--overlap-exponent" : NULL;
}

static void read_shardings(replica_set *s, const args *a, const char *usual)
{
    char **word = NULL;
    const size_t words = words_of(a, "--sharding", usual, &word);
    size_t i, k;
    for (i = 0; i < words; i++) {
        const size_t of = words_find(shardings, SGDPAR_SHARDING_COUNT, word[i]);
        const char *unknown;
        if (of >= SGDPAR_SHARDING_COUNT)
            args_fail("--sharding", word[i], "is none of ddp, zero-1, zero-2, fsdp, hsdp");
        unknown = unknown_to(s, (sgdpar_sharding)of);
        if (unknown && args_given(a, "--sharding"))
            args_fail(unknown, NULL, "not with --sharding %s", word[i]);
        if (unknown) tool_note("%s is left out: it does not know %s", word[i], unknown);
        for (k = 0; k < s->shardings; k++)
            if (s->sharding[k] == (sgdpar_sharding)of)
                args_fail("--sharding", word[i], "occurs twice");
        if (!unknown) s->sharding[s->shardings++] = (sgdpar_sharding)of;
    }
}

static void read_accumulate(replica_set *s, const args *a, const char *usual)
{
    char **word = NULL;
    size_t i;
    s->accumulates = words_of(a, "--accumulate", usual, &word);
    s->accumulate = (uint32_t *)tool_alloc(s->accumulates, sizeof *s->accumulate);
    for (i = 0; i < s->accumulates; i++) {
        uint64_t passes = 0;
        const char *wrong = number_whole(word[i], 1, REPLICA_MOST, &passes);
        if (wrong) args_fail("--accumulate", word[i], "%s", wrong);
        s->accumulate[i] = (uint32_t)passes;
        if (i > 0 && s->accumulate[i] <= s->accumulate[i - 1])
            args_fail("--accumulate", word[i], "is not above the one before");
    }
}

static void read_buckets(replica_set *s, const args *a, const char *usual)
{
    char **word = NULL;
    size_t i;
    s->buckets = words_of(a, "--bucket", usual, &word);
    s->bucket = (double *)tool_alloc(s->buckets, sizeof *s->bucket);
    for (i = 0; i < s->buckets; i++) {
        const int best = strcmp(word[i], "auto") == 0;
        s->bucket[i] = best ? 0.0 : replica_bytes("--bucket", word[i]);
        if (best && args_given(a, "--bucket")
            && (s->replica.local_steps > 0 || s->replica.overlap_exponent > 0.0))
            args_fail("--bucket", "auto", "not with --local-steps or --overlap-exponent");
    }
}

static void read_workers(replica_set *s, const args *a, const char *usual)
{
    uint32_t *workers = NULL;
    size_t count = args_workers(a, "--workers", &workers), i;
    if (count == 0 && !usual) tool_fail("--workers is missing");
    if (count == 0) {
        workers = (uint32_t *)tool_alloc(64, sizeof *workers);
        for (i = 1; i <= 64; i++)
            if (i <= s->gpus || i % s->gpus == 0) workers[count++] = (uint32_t)i;
    }
    s->workers = workers;
    s->groups = topology_keep_full("--workers", workers, count, s->gpus);
    for (i = 0; i < s->groups; i++)
        if (s->workers[i] > s->gpus && !(s->replica.topology.bandwidth_bytes_per_s > 0.0))
            tool_fail("--bandwidth is missing");
}

/* ---- Points ---------------------------------------------------------------- */

/* What differs from another point in name alone is left out, unless it was asked for. */
static int is_needless(const replica_set *s, const args *a, size_t group, sgdpar_sharding sharding)
{
    const uint32_t workers = s->workers[group];
    if (args_given(a, "--sharding") || sharding == s->sharding[0]) return 0;
    return workers == 1 ||
           (sharding == SGDPAR_SHARDING_HYBRID && (s->gpus == 1 || workers <= s->gpus));
}

static int exchange_has_latency(const replica_set *s, uint32_t workers, size_t ways)
{
    const sgdpar_topology *on = &s->replica.topology;
    if (on->latency_s > 0.0 && workers > s->gpus) return 1;
    if (on->local_latency_s > 0.0 && s->gpus > 1) return 1;
    return topology_ways_cost(&s->ways[ways].list);
}

static void add_point(replica_set *s, const args *a, const replica_point *of)
{
    if (replica_has_buckets(s, of) && !(of->asked_bytes > 0.0)) {
        if (s->replica.overlap_exponent > 0.0) return;
        if (!exchange_has_latency(s, of->workers, of->ways)) {
            if (!args_given(a, "--bucket")) return;
            args_fail("--bucket", "auto", "needs %s: where a message costs no time of its own "
                      "the smallest buckets always win",
                      of->workers > s->gpus ? "--latency" : "--local-latency");
        }
    }
    s->point[s->points++] = *of;
}

static void make_points(replica_set *s, const args *a)
{
    const size_t most = s->shardings * s->accumulates * s->buckets * s->collectives;
    replica_point p;
    size_t g, k, n, b, w;
    memset(&p, 0, sizeof p);
    s->point = (replica_point *)tool_alloc(s->groups, most * sizeof *s->point);
    for (g = 0; g < s->groups; g++) {
        p.group = g;
        p.workers = s->workers[g];
        for (k = 0; k < s->shardings; k++) {
            p.sharding = s->sharding[k];
            if (is_needless(s, a, g, p.sharding)) continue;
            for (n = 0; n < s->accumulates; n++)
                for (b = 0; b < s->buckets; b++)
                    for (w = 0; w < s->collectives; w++) {
                        if (b > 0 && !replica_has_buckets(s, &p)) continue;
                        if (w > 0 && p.workers == 1) continue;
                        p.accumulate = s->accumulate[n];
                        p.asked_bytes = s->bucket[b];
                        p.ways = w;
                        add_point(s, a, &p);
                    }
        }
    }
}

void replica_make_points(replica_set *s, const args *a, const replica_usual *usual)
{
    read_shardings(s, a, usual->sharding);
    read_accumulate(s, a, usual->accumulate);
    read_buckets(s, a, usual->bucket);
    s->least_bucket = args_given(a, "--bucket") ? 0.0 : SGDPAR_FIRST_BUCKET_BYTES;
    read_workers(s, a, usual->workers);
    make_points(s, a);
}
