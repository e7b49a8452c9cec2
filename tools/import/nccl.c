/* nccl.c - logs of nccl-tests: lines that a launcher may have marked, '#' before all but rows
 *
 *     # nThread 1 nGpus 1 minBytes 8 maxBytes 1073741824 ...
 *     #   Rank  0 Pid  63365 on node-000000 device  0 [0x00] A100-SXM4-40GB
 *     #       size         count      type   redop     time   algbw   busbw  error     time ...
 *            8             2     float     sum     4.47    0.00    0.00  0e+00     0.47 ... */
#include "import/nccl.h"

#include "import/import.h"

#include <stdlib.h>
#include <string.h>

enum { WORDS = 24 };

/* A run, as far as it has been read. */
typedef struct nccl_run {
    nccl_points *to;
    const char *file;
    size_t      line;
    uint32_t    given_gpus;
    int         tables;       /* how many headers the file has had                  */
    int         named;        /* the log names the collective                       */
    int         told;         /* it is named, or a row has told it                  */
    sgdpar_collective collective;
    size_t      first;        /* of to->point: rows whose collective is not told    */
    size_t      ranks;
    name_index  hosts;
    size_t      on[4096];     /* [hosts.count] ranks of each                        */
    size_t      columns;      /* of the table; 0: its header has not come           */
    size_t      time[2], bus, alg, redop, wrong; /* places of columns; WORDS: none  */
} nccl_run;

/* ---- Lines ----------------------------------------------------------------- */

/* Behind what mpirun --tag-output ("[1,0]<stdout>:") and srun -l ("12: ") put before a line. */
static char *behind_mark(char *line)
{
    char *at = line + strspn(line, " ");
    if (*at == '[') {
        at += 1 + strspn(at + 1, "0123456789,");
        if (strncmp(at, "]<stdout>:", 10) == 0 || strncmp(at, "]<stderr>:", 10) == 0)
            return at + 10;
        return line;
    }
    if (*at < '0' || *at > '9') return line;
    at += strspn(at, "0123456789");
    return at[0] == ':' && (at[1] == ' ' || at[1] == '#') ? at + 1 : line;
}

/* Cuts a line at its blanks; returns how many words it has, of which WORDS are in `word`. */
static size_t split(char *line, char *word[WORDS])
{
    size_t count = 0;
    for (;;) {
        line += strspn(line, " \t\r");
        if (*line == '\0') return count;
        if (count < WORDS) word[count] = line;
        count++;
        line += strcspn(line, " \t\r");
        if (*line != '\0') *line++ = '\0';
    }
}

static size_t place_of(char *const word[WORDS], size_t count, const char *name, size_t from)
{
    size_t i = from;
    while (i < count && i < WORDS && strcmp(word[i], name) != 0) i++;
    return i < count ? i : WORDS;
}

/* ---- What stands behind '#' ------------------------------------------------ */

static void begin_run(nccl_run *r)
{
    names_free(&r->hosts);
    memset(r->on, 0, sizeof r->on);
    r->ranks = r->columns = 0;
    r->told = r->named;
    r->first = r->to->count;
}

/* "Rank 0 [Group 0] Pid 63365 on HOST device 0 [0x00] NAME" */
static void read_rank(nccl_run *r, char *const word[WORDS], size_t count)
{
    const size_t on = place_of(word, count, "on", 2);
    size_t host = 0;
    if (on + 1 >= count || on + 1 >= WORDS) return;
    if (strcmp(word[1], "0") == 0 && r->ranks > 0) begin_run(r);
    if (names_add(&r->hosts, word[on + 1], strlen(word[on + 1]), &host) == NAMES_FULL)
        tool_fail("%s: out of memory", r->file);
    if (host >= COUNT_OF(r->on))
        tool_fail("%s:%lu: more than %lu hosts", r->file, (unsigned long)r->line,
                  (unsigned long)COUNT_OF(r->on));
    r->on[host]++;
    r->ranks++;
}

static void read_header(nccl_run *r, char *const word[WORDS], size_t count)
{
    r->columns = count;
    r->time[0] = place_of(word, count, "time", 0);
    r->time[1] = place_of(word, count, "time", r->time[0] + 1);
    r->alg = place_of(word, count, "algbw", 0);
    r->bus = place_of(word, count, "busbw", 0);
    r->redop = place_of(word, count, "redop", 0);
    r->wrong = place_of(word, count, "#wrong", 0);
    r->tables++;
}

/* The program may be named anywhere: in its first line, in the command that a script prints. */
static void read_name(nccl_run *r, const char *line)
{
    static const struct { const char *name; sgdpar_collective collective; } programs[] = {
        {"all_reduce_perf", SGDPAR_COLLECTIVE_ALL_REDUCE},
        {"all_gather_perf", SGDPAR_COLLECTIVE_ALL_GATHER},
        {"reduce_scatter_perf", SGDPAR_COLLECTIVE_REDUCE_SCATTER}
    };
    for (size_t i = 0; i < COUNT_OF(programs); i++)
        if (strstr(line, programs[i].name)) {
            r->named = r->told = 1;
            r->collective = programs[i].collective;
            return;
        }
    if (strstr(line, "_perf") && (strstr(line, "alltoall") || strstr(line, "broadcast") ||
                                  strstr(line, "sendrecv") || strstr(line, "/reduce_perf")))
        tool_fail("%s:%lu: only logs of all_reduce_perf, all_gather_perf and reduce_scatter_perf "
                  "are read", r->file, (unsigned long)r->line);
}

/* ---- Rows ------------------------------------------------------------------ */

TOOL_NORETURN static void fail_cell(const nccl_run *r, const char *column, const char *text,
                                    const char *why)
{
    tool_fail("%s:%lu: column '%s': '%s' %s", r->file, (unsigned long)r->line, column, text, why);
}

static double number_of(const nccl_run *r, const char *column, const char *text)
{
    double value = 0.0;
    const char *why = number_parse(text, NUMBER_NON_NEGATIVE, &value);
    if (why) fail_cell(r, column, text, why);
    return value;
}

/* The accelerators of each machine; all have equally many. */
static uint32_t gpus_of(const nccl_run *r)
{
    if (r->ranks == 0)
        tool_fail("%s:%lu: a row before any line 'Rank ... on HOST device ...': keep the first "
                  "lines of the log", r->file, (unsigned long)r->line);
    if (r->given_gpus > 0) {
        const size_t gpus = r->given_gpus < r->ranks ? r->given_gpus : r->ranks;
        if (r->ranks % gpus != 0)
            tool_fail("%s:%lu: %lu ranks are no multiple of --gpus %lu", r->file,
                      (unsigned long)r->line, (unsigned long)r->ranks, (unsigned long)gpus);
        return (uint32_t)gpus;
    }
    for (size_t i = 1; i < r->hosts.count; i++)
        if (r->on[i] != r->on[0])
            tool_fail("%s:%lu: '%s' has %lu ranks and '%s' %lu: give the accelerators of a machine "
                      "by --gpus", r->file, (unsigned long)r->line, names_text(&r->hosts, 0),
                      (unsigned long)r->on[0], names_text(&r->hosts, i), (unsigned long)r->on[i]);
    return (uint32_t)r->on[0];
}

/* The ratio of both bandwidths tells the collective: 2 (n - 1)/n of an all-reduce, (n - 1)/n of
 * the other two. Small bandwidths are rounded too much. */
static void tell_collective(nccl_run *r, char *const word[WORDS])
{
    const double least = 1.0, near = 0.05, n = (double)r->ranks, part = (n - 1.0) / n;
    if (r->told || r->alg == WORDS || r->bus == WORDS || r->ranks < 2) return;
    if (!(atof(word[r->alg]) >= least)) return;
    double ratio = atof(word[r->bus]) / atof(word[r->alg]);
    if (ratio >= 2.0 * part * (1.0 - near) && ratio <= 2.0 * part * (1.0 + near))
        r->collective = SGDPAR_COLLECTIVE_ALL_REDUCE;
    else if (ratio >= part * (1.0 - near) && ratio <= part * (1.0 + near))
        r->collective = r->redop < WORDS && strcmp(word[r->redop], "none") != 0
                            ? SGDPAR_COLLECTIVE_REDUCE_SCATTER : SGDPAR_COLLECTIVE_ALL_GATHER;
    else
        tool_fail("%s:%lu: busbw / algbw of %lu ranks is neither that of all_reduce_perf nor of "
                  "all_gather_perf and reduce_scatter_perf", r->file, (unsigned long)r->line,
                  (unsigned long)r->ranks);
    r->told = 1;
    for (size_t i = r->first; i < r->to->count; i++) r->to->point[i].collective = r->collective;
}

/* 1 and the time in seconds; 0: it was not measured. */
static int time_of(const nccl_run *r, char *const word[WORDS], double *time_s)
{
    for (size_t i = 0; i < 2; i++) {
        if (r->time[i] == WORDS || strcmp(word[r->time[i]], "N/A") == 0) continue;
        *time_s = number_of(r, "time", word[r->time[i]]) * 1e-6;
        if (*time_s > 0.0 && *time_s < 1e-12)
            fail_cell(r, "time", word[r->time[i]], "is below a picosecond");
        return *time_s > 0.0;
    }
    return 0;
}

static int is_wrong(const nccl_run *r, char *const word[WORDS])
{
    return r->wrong < WORDS && strcmp(word[r->wrong], "N/A") != 0 &&
           number_of(r, "#wrong", word[r->wrong]) > 0.0;
}

static void read_row(nccl_run *r, char *const word[WORDS], size_t count, int cut)
{
    nccl_points *to = r->to;
    nccl_point p = {.collective = SGDPAR_COLLECTIVE_ALL_REDUCE};
    if (count != r->columns) {
        if (cut && count < r->columns) { to->cut++; return; }
        tool_fail("%s:%lu: the row has %lu columns, but the header names %lu", r->file,
                  (unsigned long)r->line, (unsigned long)count, (unsigned long)r->columns);
    }
    p.bytes = number_of(r, "size", word[0]);
    if (p.bytes > 9007199254740992.0) fail_cell(r, "size", word[0], "is above 2^53 bytes");
    p.gpus = gpus_of(r);
    p.machines = (uint32_t)(r->ranks / p.gpus);
    if (r->ranks == 1) { to->alone++; return; }
    if (is_wrong(r, word)) { to->wrong++; return; }
    if (!time_of(r, word, &p.time_s) || !(p.bytes > 0.0)) { to->empty++; return; }
    tell_collective(r, word);
    p.collective = r->collective;
    *IMPORT_ADD(to->point, to->count, to->room) = p;
}

/* ---- Files ----------------------------------------------------------------- */

/* A line, which is written to; cut: the file ends in it. */
static void read_line(nccl_run *r, char *line, int cut)
{
    char *word[WORDS], *at = behind_mark(line);
    size_t count;
    read_name(r, at);
    at += strspn(at, " \t\r");
    if (*at == '#') {
        if (strstr(at, "nThread")) begin_run(r);
        count = split(at + 1 + strspn(at + 1, "#"), word);
        if (count > 3 && strcmp(word[0], "Rank") == 0) read_rank(r, word, count);
        else if (count > 3 && count <= WORDS && strcmp(word[0], "size") == 0 &&
                 place_of(word, count, "time", 0) < WORDS)
            read_header(r, word, count);
    } else if (*at >= '0' && *at <= '9' && r->columns > 0) {
        count = split(at, word);
        read_row(r, word, count, cut);
    }
}

void nccl_read(nccl_points *to, stream *s, uint32_t gpus)
{
    static nccl_run r;
    const size_t before = to->count + to->alone + to->wrong + to->empty;
    size_t room = 0;
    char *line = NULL;
    names_free(&r.hosts);
    memset(&r, 0, sizeof r);
    r.to = to;
    r.file = s->name;
    r.given_gpus = gpus;
    begin_run(&r);
    for (r.line = 1; stream_peek(s, 1) > 0; r.line++) {
        int ended;
        const size_t length = stream_line(s, &ended);
        if (length + 1 > room) line = (char *)tool_resize(line, room = 2 * length + 256, 1);
        memcpy(line, s->at, length);
        line[length] = '\0';
        if (strlen(line) != length)
            tool_fail("%s:%lu: byte 0x00 is not text", s->name, (unsigned long)r.line);
        read_line(&r, line, !ended);
        s->at += length + (size_t)ended;
    }
    if (s->cut) tool_note("file-cut", "%s: %s: only complete rows count", s->name, s->cut);
    tool_free(line);
    names_free(&r.hosts);
    if (r.tables == 0)
        tool_fail("%s: no table of nccl-tests: no line '# size count type redop ... time'",
                  s->name);
    if (to->count + to->alone + to->wrong + to->empty == before)
        tool_fail("%s: the table of nccl-tests has no row", s->name);
}

int nccl_recognises(const char *head, size_t length)
{
    return import_has(head, length, "nThread") && import_has(head, length, "minBytes");
}
