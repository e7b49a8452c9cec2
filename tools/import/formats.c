/* formats.c - the formats that sgdperf import knows, and which of them a file has */
#include "import/import.h"

#include "import/jobtrace.h"


/* In this order they are asked: what is told by more comes first. */
static const import_format *const formats[] = {
    &import_kineto, &import_pipedream, &import_transfers, &import_tensorflow, &import_own,
    &import_chakra
};

const import_format *import_formats(size_t i)
{
    return i < COUNT_OF(formats) ? formats[i] : NULL;
}

const import_format *import_guess(const char *head, size_t length)
{
    if (length > IMPORT_HEAD) length = IMPORT_HEAD;
    for (size_t i = 0; i < COUNT_OF(formats); i++)
        if (formats[i]->recognises(head, length)) return formats[i];
    return NULL;
}

const char *import_jobs(const char *head, size_t length)
{
    jobtrace_format format;
    const char *title;
    if (length > IMPORT_HEAD) length = IMPORT_HEAD;
    if (!jobtrace_guess(head, length, &format, &title)) return NULL;
    return tool_text("the file is %s: sgdperf cluster --trace-format %s --jobs reads the file",
                     title, jobtrace_format_names[format]);
}

const char *import_foreign(const char *head, size_t length)
{
    const import_format *f = import_guess(head, length);
    if (stream_is_gzip(head, length))
        return "the file is compressed by gzip, not CSV: sgdperf import reads traces of other "
               "programs, sgdperf cluster --trace-format reads logs of jobs";
    if (!f) return import_jobs(head, length);
    if (f == &import_transfers || f == &import_own) return NULL;
    return tool_text("the file is %s, not CSV: sgdperf import %s reads the file", f->title,
                     f->name);
}
