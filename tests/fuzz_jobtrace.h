/* fuzz_jobtrace.h - what the fuzz targets of the readers of job traces share: any bytes
 * are read as a trace that keeps what jobtrace.h promises, or refused with a place. */
#ifndef SGDPERF_FUZZ_JOBTRACE_H
#define SGDPERF_FUZZ_JOBTRACE_H

#include "fuzz.h"
#include "trial.h"
#include "import/jobtrace.h"

static size_t lines_of(const uint8_t *data, size_t size)
{
    size_t lines = 1, i;
    for (i = 0; i < size; i++) lines += data[i] == '\n';
    return lines;
}

static void require_trace(const jobtrace *trace, size_t lines)
{
    require(trace->jobs + trace->not_run + trace->no_nodes <= trace->names.count);
    require(trace->parted <= trace->jobs && trace->parts <= trace->wholes);
    require(trace->steps + trace->requeued + trace->joined <= lines);
    for (size_t i = 0; i < trace->jobs; i++) {
        const jobtrace_job *job = trace->job + i;
        require(job->name < trace->names.count && job->line >= 1 && job->line <= lines);
        require(names_text(&trace->names, job->name)[0] != '\0');
        require(names_find(&trace->names, names_text(&trace->names, job->name)) == job->name);
        require(job->run_s > 0.0 && job->run_s <= 1.7976931348623157e308);
        require(job->submit_s >= 0.0 && job->submit_s <= 1.7976931348623157e308);
        require(job->nodes >= 1);
        require(job->wait_s >= 0.0 || (job->wait_s <= -1.0 && job->wait_s >= -1.0));
        require(job->walltime_s >= 0.0 && job->walltime_s <= 1.7976931348623157e308);
        if (i == 0) { require(!(job->submit_s > 0.0)); continue; }
        require(job->submit_s >= job[-1].submit_s);
        require(job->submit_s > job[-1].submit_s || job->line >= job[-1].line);
    }
}

typedef struct fuzz_log {
    jobtrace_format  format;
    stream           text;
    const uint8_t   *data;       /* [size] that it reads                            */
    size_t           size;
    jobtrace_options options;
    jobtrace         trace;
} fuzz_log;

static void fuzz_read_log(void *ctx)
{
    fuzz_log *log = (fuzz_log *)ctx;
    jobtrace_read(&log->trace, log->format, &log->text, &log->options);
    require_trace(&log->trace, lines_of(log->data, log->size));
}

/* more, NULL or what else is read: of PAI submissions, of others times. */
static void fuzz_jobtrace_with(jobtrace_format format, const uint8_t *data, size_t size,
                               const uint8_t *more, size_t more_size,
                               const jobtrace_columns *columns, jobtrace_unit unit)
{
    static fuzz_log log;
    static stream other;
    char message[2048];
    memset(&log, 0, sizeof log);
    log.format = format;
    log.data = data;
    log.size = size;
    stream_of(&log.text, "fuzz", (const char *)data, size);
    stream_of(&other, "more", (const char *)more, more_size);
    log.options.columns = columns;
    log.options.unit = unit;
    if (more && format == JOBTRACE_PAI) log.options.submits = &other;
    else if (more) log.options.times = &other;
    if (!trial(fuzz_read_log, &log, message, sizeof message))
        require(strncmp(message, "fuzz:", 5) == 0 || strncmp(message, "more:", 5) == 0);
    names_free(&log.trace.names);      /* the rest went with the trial */
}

static inline void fuzz_jobtrace(jobtrace_format format, const uint8_t *data, size_t size)
{
    fuzz_jobtrace_with(format, data, size, NULL, 0, NULL, JOBTRACE_WHATEVER);
}

/* What else is read stands behind the first zero, if there is one. */
static inline void fuzz_two_files(jobtrace_format format, const uint8_t *data, size_t size)
{
    const uint8_t *zero = size > 0 ? (const uint8_t *)memchr(data, 0, size) : NULL;
    const size_t jobs = zero ? (size_t)(zero - data) : size;
    fuzz_jobtrace_with(format, data, jobs, zero ? zero + 1 : NULL, zero ? size - jobs - 1 : 0,
                       NULL, JOBTRACE_WHATEVER);
}

#define FUZZ_JOBTRACE(name, read, format, ...)                              \
    int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)            \
    {                                                                       \
        read(format, data, size);                                           \
        return 0;                                                           \
    }                                                                       \
    FUZZ_MAIN(name, __VA_ARGS__)

#endif /* SGDPERF_FUZZ_JOBTRACE_H */
