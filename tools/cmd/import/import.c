/* import.c - sgdperf import: what other programs have traced, to files of ours */
#include "cmd/commands.h"
#include "import/import.h"

#include <string.h>

static const char help[] =
    "usage: sgdperf import [FORMAT] FILE [--view host|gpu] [--format table|csv|json]\n"
    "\n"
    "Reads the trace or profile of another program and prints what it holds. FILE may be\n"
    "compressed by gzip; - is stdin. FORMAT, told by content where it is left out:\n"
    "  kineto                a trace of PyTorch's profiler (Chrome trace events, JSON)\n"
    "  pipedream             graph.txt of PipeDream's profiler\n"
    "  transfers             a log of downlinks and uplinks alone: rows step,phase,start_s,end_s\n"
    "\n"
    "  --view V              host: a step is what its annotation says, launches and gaps and\n"
    "                        all; gpu: what its kernels take [host]\n"
    "  --format F            table, csv or json [table]\n";

/* ---- Which format ---------------------------------------------------------- */

static const import_format *format_named(const char *name)
{
    const import_format *f;
    size_t i;
    for (i = 0; (f = import_formats(i)) != NULL; i++)
        if (strcmp(f->name, name) == 0) return f;
    return NULL;
}

static const char *format_words(void)
{
    const char *words[32];
    char *list = (char *)tool_alloc(256, 1);
    size_t n = 0, i;
    words[n++] = "auto";
    for (i = 0; import_formats(i) && n < COUNT_OF(words); i++) words[n++] = import_formats(i)->name;
    return words_join(words, n, list, 256);
}

static const import_format *choose(stream *s, const char *word)
{
    const import_format *format;
    const size_t length = stream_peek(s, IMPORT_HEAD);
    if (strcmp(word, "auto") == 0) {
        format = import_guess(s->at, length);
        if (!format) tool_fail("%s: of no known format: %s", s->name, format_words());
        return format;
    }
    format = format_named(word);
    if (!format) tool_fail("'%s' is no format: %s", word, format_words());
    if (!format->recognises(s->at, length < IMPORT_HEAD ? length : IMPORT_HEAD)) {
        const import_format *other = import_guess(s->at, length);
        tool_fail("%s: is not %s%s%s", s->name, format->title, other ? ", but " : "",
                  other ? other->title : "");
    }
    return format;
}

/* ---- The command ----------------------------------------------------------- */

int cmd_import(int argc, char **argv)
{
    static const args_option options[] = {{"--view", ARGS_VALUE}};
    static const args_command command = {help, options, COUNT_OF(options), 1, 2};
    static const char *const views[] = {"host", "gpu"};
    args a;
    stream *s;
    const import_format *format;
    import_options how;
    import_found found;
    output out = {0};
    args_parse(&a, &command, argc, argv);
    memset(&found, 0, sizeof found);
    how.view = (import_view)args_choice(&a, "--view", views, 2, IMPORT_VIEW_HOST);
    s = stream_open(a.files[a.file_count - 1]);
    format = choose(s, a.file_count == 2 ? a.files[0] : "auto");
    found.file = s->name;
    format->read(s, &how, &found);
    stream_close(s);
    json_object(&out, NULL);
    json_string(&out, "source", format->name);
    json_integer(&out, "steps", found.steps);
    json_end(&out);
    names_free(&found.names);
    return output_flush(&out, EXIT_DONE);
}
