/* import.c - sgdperf import: what other programs have traced, to files of ours */
#include "base/file.h"
#include "base/words.h"
#include "cmd/commands.h"
#include "cmd/import/nccl.h"
#include "cmd/import/run.h"
#include "import/nccl.h"
#include "options/args.h"
#include "options/options.h"

#include <string.h>

static const option_use uses[] = {
    FIRST_WORDS("auto kineto pipedream chakra tensorflow trace transfers nccl"),
    ABOUT(
    "usage: sgdperf import [FORMAT] FILE... [--profile OUT] [--trace OUT] [...]\n"
    "       sgdperf import nccl LOG... [--protocols OUT] [--gpus G]\n"
    "\n"
    "Reads the trace or profile of another program, prints what it holds and writes\n"
    "files that the other commands take.\n"
    "\n"
    "FILE may be compressed by gzip; - is stdin. Without FORMAT, or with auto, the\n"
    "content tells it:\n"
    "  kineto      a trace of PyTorch's profiler (Chrome trace events, JSON)\n"
    "  pipedream   graph.txt of PipeDream's profiler\n"
    "  chakra      an execution trace of Chakra (Protocol Buffers or JSON)\n"
    "  tensorflow  a timeline, RunMetadata or StepStats of a session; a trace of\n"
    "              TensorFlow 2 or JAX (HOST.xplane.pb, HOST.trace.json.gz)\n"
    "  trace       a trace of ours, to be written as another format\n"
    "  transfers   a log of downlinks and uplinks alone: rows\n"
    "              step,phase,start_s,end_s and optionally bytes,server\n"
    "  nccl        logs of nccl-tests: all_reduce_perf, all_gather_perf and\n"
    "              reduce_scatter_perf, any number of them\n"
    "Several files, behind the format kineto, are ranks of one job, traced in the\n"
    "same steps. They tell what of an exchange is waiting for its last rank, and\n"
    "which rank is late.\n"
    "\n"
    "What to read\n"),
    USE(VIEW),
    USE_HELP(MEASURED_ON, "number of workers that ran in the trace [the number in FILE]", NULL),
    USE_HELP(BANDWIDTH, "bandwidth of the traced network, to compute sizes that transfers lack",
         NULL),
    USE_AS(WARMUP, AS_TABLE, "N", NULL,
         "number of first steps to leave out, while caches and allocators fill", "0"),
    USE_HELP(GPUS, "nccl only: number of accelerators per machine [hosts in the log]", NULL),
    HEADING("What to write"),
    USE_AS(PROFILE, AS_TABLE, "OUT", NULL,
         "writes a profile, one row, for sgdperf predict --profile", NULL),
    USE(TRACE),
    USE_AS(LAYERS, AS_TABLE, "OUT", NULL,
         "writes a table of layers, for trace-from-layers and predict --layers", NULL),
    USE(WHOLE_LAYERS), USE(POINTS), USE(CHAKRA),
    USE_AS(PROTOCOLS, AS_TABLE, "OUT", NULL,
         "nccl only: writes fitted constants of collectives, for predict --protocols", NULL),
    HEADING("Output"),
    USE_HELP(FORMAT, "output format: table, csv (a row per step) or json", "table"),
    SECTION("Units", BANDWIDTH_UNITS),
    SECTION("Notes",
    "  measured-on    The bandwidth of the link is what a ring of this many workers\n"
    "                 had. With parameter servers, transfers include the waiting of\n"
    "                 all workers, which predict removes by column measured_on.\n"
    "  bandwidth      A transfer without a size gets the bytes that this bandwidth\n"
    "                 carries in its time. Transfers with sizes give the overhead of\n"
    "                 parsing, for simulate --overhead.\n"
    "  trace          An exchange has the bytes that a ring carries of it. If sizes\n"
    "                 are missing, it has what a ring at the printed bandwidth\n"
    "                 carries in its time. The file has this bandwidth. With --view\n"
    "                 gpu it has kernels without the gaps between them.\n"
    "  warmup         The file's profiler may have left out some steps already.\n"
    "  whole-layers   buckets of predict, simulate and advise ask for the column.\n"
    "                 The layers of a PyTorch trace have it without the option.\n"
    "  several ranks  An exchange begins when its last rank arrives. Ends of the same\n"
    "                 exchange tell how clocks differ. Files are written of the rank\n"
    "                 for which the others wait most. The profile has the spread of\n"
    "                 the ranks' own times, as --vary, in its column vary.\n"
    "\n"
    "Prints for each step its time, the time with computing, with exchanges and with\n"
    "both, and the time in which the worker could only wait for an exchange. Then:\n"
    "where the time goes, and the step that predict and simulate give for the traced\n"
    "workers.\n"),
    SECTION("Example: two steps of transfers",
    "  $ printf '%s\\n' step,phase,start_s,end_s 0,downlink,0,0.125 \\\n"
    "      0,uplink,0.375,0.5 1,downlink,0.5625,0.6875 1,uplink,0.9375,1.0625 |\n"
    "      sgdperf import -\n"
    "  phases (mean), forward and update from the gaps\n"
    "    downlink       0.125 s\n"
    "    forward         0.25 s\n"
    "    uplink         0.125 s\n"
    "    update        0.0625 s\n"
    "\n"
    "  predict, 1 worker: 0.5625 s a step\n")
};

static const option_rule rules[] = {NEEDS(ONE(WHOLE_LAYERS), ONE(LAYERS))};

/* ---- Which format ---------------------------------------------------------- */

static const import_format *format_named(const char *name)
{
    const import_format *f;
    for (size_t i = 0; (f = import_formats(i)) != NULL; i++)
        if (strcmp(f->name, name) == 0) return f;
    return NULL;
}

/* The names, before them what else may be asked for, NULL: nothing. */
static const char *format_words(const char *besides)
{
    const char *words[32];
    char *list = tool_alloc(256, 1);
    size_t n = 0, i;
    if (besides) words[n++] = besides;
    for (i = 0; import_formats(i) && n < COUNT_OF(words); i++) words[n++] = import_formats(i)->name;
    return words_join(words, n, list, 256);
}

/* Passes over a mark of UTF-8, which editors put in front. */
static size_t peek(stream *s)
{
    const size_t length = stream_peek(s, IMPORT_HEAD);
    if (length >= 2 && (memcmp(s->at, "\xFF\xFE", 2) == 0 || memcmp(s->at, "\xFE\xFF", 2) == 0))
        tool_fail("%s: the text is UTF-16: save it as UTF-8", s->name);
    if (length < 3 || memcmp(s->at, "\xEF\xBB\xBF", 3) != 0) return length;
    s->at += 3;
    return length - 3;
}

static const import_format *choose(stream *s, const char *word)
{
    const import_format *format;
    const size_t length = peek(s);
    if (strcmp(word, "auto") == 0) {
        format = import_guess(s->at, length);
        if (!format && import_jobs(s->at, length))
            tool_fail("%s: %s", s->name, import_jobs(s->at, length));
        if (!format && nccl_recognises(s->at, length))
            tool_fail("%s: the file is a log of nccl-tests: sgdperf import nccl reads it", s->name);
        if (!format) tool_fail("%s: the format is unknown: name the format before the file, one of "
                               "%s", s->name, format_words(NULL));
        return format;
    }
    format = format_named(word);
    if (!format && !file_obstacle(word))
        tool_fail("'%s' is a file, not a format: several ranks follow their format, as in import "
                  "kineto RANK0 RANK1", word);
    if (!format) tool_fail("'%s' is not a format: name one of %s", word, format_words("auto"));
    /* A table whose columns are misspelt is told so by its reader. */
    if ((format == &import_transfers || format == &import_own) && !import_guess(s->at, length))
        return format;
    if (!format->recognises(s->at, length < IMPORT_HEAD ? length : IMPORT_HEAD)) {
        const import_format *other = import_guess(s->at, length);
        tool_fail("%s: the file is not %s%s%s", s->name, format->title, other ? ", but " : "",
                  other ? other->title : "");
    }
    return format;
}

/* ---- The command ----------------------------------------------------------- */

static const char *plural(uint64_t count) { return count == 1 ? "" : "s"; }

/* Steps of a program that runs ahead of its accelerator, or warms up, are not alike. */
static void say_spread(const import_run *r)
{
    double least_s, most_s;
    if (!r->parts) return;
    least_s = most_s = r->parts[0].step_s;
    for (size_t i = 1; i < r->found.steps; i++) {
        if (r->parts[i].step_s < least_s) least_s = r->parts[i].step_s;
        if (r->parts[i].step_s > most_s) most_s = r->parts[i].step_s;
    }
    if (most_s > 1.25 * least_s)
        tool_note("steps-differ",
                  "%s: the steps take %.4g to %.4g s: the mean step is used%s",
                  r->found.file, least_s,
                  most_s, r->parts[0].step_s < most_s ? ""
                          : "; the first step is the longest: --warmup 1 leaves the first step "
                            "out");
}

/* What was understood, and what was left out. */
static void report(const import_run *r)
{
    const import_found *f = &r->found;
    if (f->layers > 0)
        tool_note("found", "%s: read as %s of %.0f layer%s",
                  f->file, r->format->title, (double)f->layers,
                  plural(f->layers));
    else
        tool_note("found", "%s: read as %s: %.0f event%s, %.0f step%s", f->file, r->format->title,
                  (double)f->events, plural(f->events), (double)f->steps, plural(f->steps));
    for (size_t i = 0; i < f->drops; i++)
        tool_note("left-out", "%s: left out: %s: %.0f", f->file, f->dropped[i].why,
                  (double)f->dropped[i].count);
}

/* What the steps are like. */
static void say_steps(const import_run *r)
{
    say_spread(r);
    if (import_idle_s(r) > 0.0 && sgdfit_profile_bound(&r->mean) == SGDFIT_BOUND_HOST)
        tool_note("host-bound",
                  "%s: the host limits the step time, and a profiler slows the host: compare with "
                  "the step time without a profiler", r->found.file);
}

static void say_cut(const import_run *r)
{
    const size_t cut = r->found.steps - r->traces;
    if (cut > 0)
        tool_note("steps-cut",
                  "%s: %lu step%s cut short and left out of the trace", r->found.file,
                  (unsigned long)cut, cut == 1 ? " is" : "s are");
}

static void write_files(import_run *r, const args *a)
{
    const char *why = NULL;
    import_trace(r, &why);
    if (!why && (args_given(a, OPTION_TRACE) || args_given(a, OPTION_CHAKRA))) say_cut(r);
    if (r->traced && r->sends && r->found.timed && r->found.linked)
        import_serve(r, r->given_bytes_per_s);
    import_compare(r);
    if (args_given(a, OPTION_TRACE)) {
        if (why) args_fail(OPTION_TRACE, NULL, "%s", why);
        import_write_trace(r, args_text(a, OPTION_TRACE, NULL));
    }
    if (args_given(a, OPTION_CHAKRA)) {
        if (why) args_fail(OPTION_CHAKRA, NULL, "%s", why);
        import_write_chakra(r, args_text(a, OPTION_CHAKRA, NULL));
    }
    if (args_given(a, OPTION_PROFILE)) import_write_profile(r, args_text(a, OPTION_PROFILE, NULL));
    if (args_given(a, OPTION_LAYERS))
        import_write_layers(r, args_text(a, OPTION_LAYERS, NULL),
                            args_given(a, OPTION_WHOLE_LAYERS),
                            !args_given(a, OPTION_TRACE) && !args_given(a, OPTION_CHAKRA) &&
                            !args_given(a, OPTION_PROFILE) && !args_given(a, OPTION_POINTS));
    if (args_given(a, OPTION_POINTS)) import_write_points(r, args_text(a, OPTION_POINTS, NULL));
}

static void leave_out_warmup(import_found *f, const args *a)
{
    const uint64_t steps = args_integer(a, OPTION_WARMUP, 0, UINT32_MAX, 0);
    if (steps == 0) return;
    if (steps >= f->steps)
        args_fail(OPTION_WARMUP, NULL, "leaves no step: %.0f of the %.0f steps in %s would be left "
                                       "out",
                  (double)steps,
                  (double)f->steps, f->file);
    import_skip_steps(f, (size_t)steps);
    import_drop(f, "steps of --warmup", steps);
}

static void say_shared(const import_run *r)
{
    if (import_is_shared(r))
        tool_note("waiting-in-transfers",
                  "%s: the transfer times include waiting for other workers (%lu workers): predict "
                  "removes the waiting from a --profile, by column measured_on; a --trace keeps "
                  "the waiting", r->found.file,
                  (unsigned long)r->workers);
}

static void check_workers(import_run *r, const args *a)
{
    r->workers = (uint32_t)args_integer(a, OPTION_MEASURED_ON, 1, IMPORT_MOST_WORKERS,
                                        r->found.workers);
    if (r->workers > IMPORT_MOST_WORKERS)
        tool_fail("%s: the file says that %lu workers ran together, more than %d: give the right "
                  "number by %s", r->found.file, (unsigned long)r->workers,
                  (int)IMPORT_MOST_WORKERS, NAME_OF(MEASURED_ON));
    if (r->found.workers > 1 && r->workers != r->found.workers)
        tool_note("option-before-file", "%s: the file says %lu workers, %s says %lu: %s is used",
                  r->found.file, (unsigned long)r->found.workers, NAME_OF(MEASURED_ON),
                  (unsigned long)r->workers, NAME_OF(MEASURED_ON));
}

static void read_file(import_run *r, const args *a, const char *format, const char *path)
{
    import_options how;
    stream *s = stream_open(path);
    how.view = r->view;
    r->format = choose(s, format);
    r->found.file = s->name;
    r->format->read(s, &how, &r->found);
    if (s->cut) tool_note("file-cut", "%s: %s: only complete records count", s->name, s->cut);
    stream_close(s);
    leave_out_warmup(&r->found, a);
    if (import_schedule(&r->found))
        tool_note("no-times",
                  "%s: the trace has no start times: operations are assumed to run one after the "
                  "other on each of processor, accelerator and network", r->found.file);
    if (r->found.steps == 0 && r->found.layers == 0)
        tool_fail("%s: %s has no step: trace at least one whole step",
                  s->name, r->format->title);
    check_workers(r, a);
}

static void start(import_run *r, const args *a)
{
    memset(r, 0, sizeof *r);
    r->view = (import_view)args_word(a, OPTION_VIEW, IMPORT_VIEW_HOST);
    r->given_bytes_per_s = args_number(a, OPTION_BANDWIDTH, 0);
}

static int finish(import_run *r, const args *a)
{
    output out = {0};
    import_measure(r);
    write_files(r, a);
    report(r);
    say_steps(r);
    say_shared(r);
    out.form = args_form(a);
    import_print(&out, r);
    return output_flush(&out, EXIT_DONE);
}

/* Ranks of one job, the files behind the format. */
static int run_ranks(const args *a)
{
    import_ranks all = {.count = a->file_count - 1};
    import_run *late;
    size_t i;
    int status;
    all.rank = tool_alloc(all.count, sizeof *all.rank);
    for (i = 0; i < all.count; i++) {
        start(&all.rank[i].run, a);
        read_file(&all.rank[i].run, a, a->files[0], a->files[i + 1]);
        if (all.rank[i].run.format != &import_kineto)
            tool_fail("%s: is %s: only traces of PyTorch (kineto), one of each rank, can be given "
                      "together", a->files[i + 1],
                      all.rank[i].run.format->title);
    }
    import_meet(&all);
    late = &all.rank[all.late].run;
    late->ranks = &all;
    if (all.count < late->workers)
        tool_note("ranks-missing",
                  "only %lu of %lu ranks have a file: the late rank may be one without a file",
                  (unsigned long)all.count, (unsigned long)late->workers);
    if (all.met < all.exchanges)
        tool_note("exchanges-alone",
                  "%lu of %lu exchanges are in only one file: their waiting is unknown and counts "
                  "as transfer",
                  (unsigned long)(all.exchanges - all.met), (unsigned long)all.exchanges);
    for (i = 0; i < all.count; i++)
        if (i != all.late) report(&all.rank[i].run);
    status = finish(late, a);
    for (i = 0; i < all.count; i++) import_free(&all.rank[i].run.found);
    return status;
}

static int run(args *a)
{
    static const option_id of_nccl[] = {OPTION_PROTOCOLS, OPTION_GPUS};
    import_run r;
    int status;
    if (strcmp(a->files[0], "nccl") == 0 && a->file_count > 1) return import_nccl(a);
    args_refuse(a, of_nccl, COUNT_OF(of_nccl), "needs import nccl");
    if (a->file_count > 2) return run_ranks(a);
    if (a->file_count == 1 && format_named(a->files[0]) && file_obstacle(a->files[0]))
        tool_fail("import %s: a file is missing, see %s", a->files[0], NAME_OF(HELP));
    start(&r, a);
    read_file(&r, a, a->file_count == 2 ? a->files[0] : "auto", a->files[a->file_count - 1]);
    status = finish(&r, a);
    import_free(&r.found);
    return status;
}

const args_command command_import = {
    "import", "turn other programs' traces into profile and trace", run, uses,
    COUNT_OF(uses), rules, COUNT_OF(rules), 1, 4096, NULL, 0,
    EACH(OPTION_PROFILE, OPTION_TRACE, OPTION_LAYERS, OPTION_MEASURED_ON)};
