/* job.c - the arguments of a node */
#include "testbed.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Values ----------------------------------------------------------------------- */

static double number(const char *key, const char *text, double least)
{
    char *end;
    double value;
    errno = 0;
    value = strtod(text, &end);
    if (end == text || *end != '\0' || errno != 0 || !(value >= least && value <= 1e15))
        tb_fail("%s: '%s' is no number from %g up", key, text, least);
    return value;
}

static int whole(const char *key, const char *text, int least, int most)
{
    const double value = number(key, text, least);
    if (!(value <= most) || value - floor(value) > 0.0)
        tb_fail("%s: '%s' is no whole number from %d to %d", key, text, least, most);
    return (int)value;
}

static int word(const char *key, const char *text, const char *const *words, int count)
{
    int i;
    for (i = 0; i < count; i++)
        if (strcmp(text, words[i]) == 0) return i;
    tb_fail("%s: '%s' is not known", key, text);
}

/* Splits a list at its commas, in place; returns how many. */
static int split(const char *key, char *text, char **item, int most)
{
    int count = 0;
    while (text) {
        char *comma = strchr(text, ',');
        if (count == most) tb_fail("%s: more than %d values", key, most);
        if (comma) *comma++ = '\0';
        item[count++] = text;
        text = comma;
    }
    return count;
}

static int numbers(const char *key, char *text, double **value, int most)
{
    char **item = (char **)tb_alloc((size_t)most, sizeof *item);
    const int count = split(key, text, item, most);
    int i;
    *value = (double *)tb_alloc((size_t)count, sizeof **value);
    for (i = 0; i < count; i++) (*value)[i] = number(key, item[i], 0.0);
    free(item);
    return count;
}

static int indices(const char *key, char *text, int **value, int most)
{
    double *found;
    const int count = numbers(key, text, &found, most);
    int i;
    *value = (int *)tb_alloc((size_t)count, sizeof **value);
    for (i = 0; i < count; i++) (*value)[i] = (int)found[i];
    free(found);
    return count;
}

/* HOST:PORT,... */
static int hosts(const char *key, char *text, tb_host *host, int most)
{
    char *item[TB_MOST_WORKERS];
    const int count = split(key, text, item, most);
    int i;
    for (i = 0; i < count; i++) {
        char *colon = strrchr(item[i], ':');
        if (!colon || (size_t)(colon - item[i]) >= sizeof host[i].address)
            tb_fail("%s: '%s' is not HOST:PORT", key, item[i]);
        *colon = '\0';
        strcpy(host[i].address, item[i]);
        host[i].port = whole(key, colon + 1, 1, 65535);
    }
    return count;
}

static void name(const char *key, const char *text, char *place, size_t room)
{
    if (strlen(text) >= room) tb_fail("%s: '%s' is too long", key, text);
    strcpy(place, text);
}

/* ---- Keys ------------------------------------------------------------------------- */

static const char *const roles[] = {"worker", "server", "ring", "tree", "relay", "spin"};
static const char *const modes[] = {"async", "sync", "ssp"};
static const char *const jitters[] = {"none", "normal", "lognormal", "exponential"};

/* Lists; returns 0 for another key. */
static int read_list(tb_job *job, const char *key, char *text, int *lists)
{
    if (strcmp(key, "servers") == 0)
        job->servers = hosts(key, text, job->server, TB_MOST_SERVERS);
    else if (strcmp(key, "peers") == 0)
        job->peers = hosts(key, text, job->peer, TB_MOST_WORKERS);
    else if (strcmp(key, "bytes") == 0)
        job->layers = numbers(key, text, &job->bytes, TB_MOST_LAYERS);
    else if (strcmp(key, "forward") == 0)
        lists[0] = numbers(key, text, &job->forward_s, TB_MOST_LAYERS);
    else if (strcmp(key, "backward") == 0)
        lists[1] = numbers(key, text, &job->backward_s, TB_MOST_LAYERS);
    else if (strcmp(key, "update") == 0)
        lists[2] = numbers(key, text, &job->update_s, TB_MOST_LAYERS);
    else if (strcmp(key, "order") == 0)
        lists[3] = indices(key, text, &job->order, TB_MOST_LAYERS);
    else if (strcmp(key, "place") == 0)
        lists[4] = indices(key, text, &job->place, TB_MOST_LAYERS);
    else if (strcmp(key, "share") == 0)
        lists[5] = numbers(key, text, &job->share, TB_MOST_SERVERS);
    else if (strcmp(key, "durations") == 0)
        job->durations = numbers(key, text, &job->duration_s, TB_MOST_DURATIONS);
    else
        return 0;
    return 1;
}

static void read_value(tb_job *job, const char *key, const char *text)
{
#define WHOLE(field, least, most) \
    if (strcmp(key, #field) == 0) { job->field = whole(key, text, least, most); return; }
#define NUMBER(name, field) \
    if (strcmp(key, name) == 0) { job->field = number(key, text, 0.0); return; }
#define WORD(field, type, words) \
    if (strcmp(key, #field) == 0) { \
        job->field = (type)word(key, text, words, (int)(sizeof words / sizeof *words)); \
        return; \
    }
#define NAME(key_name, field) \
    if (strcmp(key, key_name) == 0) { name(key, text, job->field, sizeof job->field); return; }
    WORD(role, tb_role, roles)
    WORD(mode, tb_mode, modes)
    WORD(jitter, tb_jitter, jitters)
    WHOLE(index, 0, TB_MOST_WORKERS - 1)
    WHOLE(workers, 1, TB_MOST_WORKERS)
    WHOLE(steps, 1, 1000000)
    WHOLE(every, 1, 1000000)
    WHOLE(backup, 0, TB_MOST_WORKERS - 1)
    WHOLE(staleness, 0, 1000000)
    WHOLE(separate, 0, 1)
    WHOLE(realtime, 0, 99)
    WHOLE(limit_s, 1, 100000)
    WHOLE(one_clock, 0, 1)
    if (strcmp(key, "seed") == 0) {
        job->seed = (uint64_t)whole(key, text, 0, INT_MAX);
        return;
    }
    NUMBER("cv", cv)
    NUMBER("bucket_bytes", bucket_bytes)
    if (strcmp(key, "flow_cap") == 0) { /* the kernel takes 32 bits, the greatest is none */
        job->flow_cap_bytes_per_s = number(key, text, 1.0);
        if (job->flow_cap_bytes_per_s >= 4294967295.0) tb_fail("flow_cap: '%s' is too large", text);
        return;
    }
    NUMBER("stagger", stagger_s)
    NUMBER("delay", delay_s)
    NAME("near_space", space[0])
    NAME("far_space", space[1])
    NAME("near_device", device[0])
    NAME("far_device", device[1])
#undef WHOLE
#undef NUMBER
#undef WORD
#undef NAME
    tb_fail("%s: no such key", key);
}

/* ---- The whole -------------------------------------------------------------------- */

static void check_indices(const char *key, const int *value, int count, int below)
{
    int i;
    for (i = 0; i < count; i++)
        if (value[i] >= below) tb_fail("%s: %d is not below %d", key, value[i], below);
}

static void check_once(const tb_job *job)
{
    char seen[TB_MOST_LAYERS] = {0};
    int i;
    for (i = 0; i < job->layers; i++)
        if (seen[job->order[i]]++) tb_fail("order: %d occurs twice", job->order[i]);
}

/* Lists that are not given: every layer in order, even shares. */
static void fill(tb_job *job, const int *lists)
{
    static const char *const list[] = {"forward", "backward", "update", "order", "place"};
    double **time[3];
    int i;
    time[0] = &job->forward_s;
    time[1] = &job->backward_s;
    time[2] = &job->update_s;
    for (i = 0; i < 5; i++)
        if (lists[i] != 0 && lists[i] != job->layers)
            tb_fail("%s: %d values, but %d layers", list[i], lists[i], job->layers);
    for (i = 0; i < 3; i++)
        if (!*time[i]) *time[i] = (double *)tb_alloc((size_t)job->layers, sizeof(double));
    if (lists[5] != 0 && lists[5] != job->servers)
        tb_fail("share: %d values, but %d servers", lists[5], job->servers);
    if (!job->order) {
        job->order = (int *)tb_alloc((size_t)job->layers, sizeof *job->order);
        for (i = 0; i < job->layers; i++) job->order[i] = i;
    }
    if (!job->share && job->servers > 0) {
        job->share = (double *)tb_alloc((size_t)job->servers, sizeof *job->share);
        for (i = 0; i < job->servers; i++) job->share[i] = 1.0 / job->servers;
    }
    check_indices("order", job->order, job->layers, job->layers);
    check_once(job);
    if (job->place) check_indices("place", job->place, job->layers, job->servers);
}

static void check(const tb_job *job)
{
    const int parameter_server = job->role == TB_WORKER || job->role == TB_SERVER;
    if (job->role == TB_RELAY || job->role == TB_SPIN) return;
    if (job->workers == 0) tb_fail("workers: not given");
    if (job->layers == 0) tb_fail("bytes: not given");
    if (job->steps == 0) tb_fail("steps: not given");
    if (!parameter_server && job->peers != job->workers)
        tb_fail("peers: %d, but %d workers", job->peers, job->workers);
    if (parameter_server && job->servers == 0) tb_fail("servers: not given");
    if (job->index >= (job->role == TB_SERVER ? job->servers : job->workers))
        tb_fail("index: %d is too large", job->index);
    if (job->backup >= job->workers) tb_fail("backup: %d is too large", job->backup);
    if (job->backup > 0 && job->servers != 1) tb_fail("backup: not with several servers");
}

void tb_job_read(tb_job *job, int count, char **argument)
{
    int lists[6] = {0}, i;
    memset(job, 0, sizeof *job);
    job->every = 1;
    job->limit_s = 600;
    for (i = 0; i < count; i++) {
        char *equals = strchr(argument[i], '=');
        if (!equals) tb_fail("'%s' is not KEY=VALUE", argument[i]);
        *equals = '\0';
        if (!read_list(job, argument[i], equals + 1, lists))
            read_value(job, argument[i], equals + 1);
    }
    fill(job, lists);
    check(job);
}

double tb_share(const tb_job *job, int server, int layer)
{
    if (!job->place) return job->share[server];
    return job->place[layer] == server ? 1.0 : 0.0;
}

size_t tb_bytes(const tb_job *job, int server, int layer)
{
    return (size_t)(job->bytes[layer] * tb_share(job, server, layer) + 0.5);
}
